import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { expect, inject } from 'vitest';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../src/platform/embedded-postgres/embedded-postgres.js';
import { isAlive, isPostmasterOf } from '../../src/platform/embedded-postgres/process-info.js';

const settings = { fsync: 'off', shared_buffers: '16MB', min_wal_size: '32MB', max_wal_size: '64MB' };

/** What `clearAway` deletes and kills; a test may add to both. */
export const folders: string[] = [];
export const children: ChildProcess[] = [];
const servers: EmbeddedPostgres[] = [];

/** For afterEach: stops, kills and deletes all that a test has started. */
export async function clearAway(): Promise<void> {
  await Promise.allSettled(servers.splice(0).map((server) => server.stop()));
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const folder of folders.splice(0)) await cleanUp(folder);
}

export async function makeFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'sp-')));
  // mkdtemp makes it private, which is a case of its own for root.
  await chmod(folder, 0o755);
  folders.push(folder);
  return folder;
}

const patterns = new Map<string, Promise<string>>();

/**
 * A data folder as a start and a stop have left it, with what the file of SQL makes. To make a database takes a second of CPU, to copy it a
 * fraction of that: only tests of the first start make one.
 */
export async function makePreparedFolder({
  name = '',
  sql,
}: {
  name?: string;
  sql?: URL;
} = {}): Promise<string> {
  const key = sql?.href ?? '';
  const pattern = patterns.get(key) ?? makePattern(sql);
  patterns.set(key, pattern);
  const dataDir = join(await makeFolder(), name);
  folders.push(dataDir);
  await mkdir(dataDir, { recursive: true });
  // Unlike cp of Node, this keeps the owners.
  await promisify(execFile)('cp', ['-a', `${await pattern}/.`, dataDir]);
  return dataDir;
}

async function makePattern(sql: URL | undefined): Promise<string> {
  const dataDir = await mkdtemp(join(inject('patternsDir'), 'data-'));
  await chmod(dataDir, 0o755);
  const { url, stop } = await startEmbeddedPostgres({ dataDir, settings, say: () => {} });
  if (sql !== undefined) await query(url, await readFile(sql, 'utf8'));
  await stop();
  return dataDir;
}

export async function start(
  dataDir: string,
  said: string[] = [],
  more: Readonly<Record<string, string>> = {},
): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({
    dataDir,
    settings: { ...settings, ...more },
    say: (line) => said.push(line),
  });
  servers.push(server);
  return server;
}

/**
 * A service in a process of its own, to be killed. It prints the URL when it is up. It runs what `npm test` has built.
 *
 * @param within a command that runs the command that follows it
 */
export function spawnChild(dataDir: string, within: readonly string[] = []): ChildProcess {
  const script = `
    const [module, options] = process.argv.slice(1);
    const { startEmbeddedPostgres } = await import(module);
    const server = await startEmbeddedPostgres({ ...JSON.parse(options), say: () => {} });
    process.stdout.write(server.url + '\\n');
    setInterval(() => {}, 1000);`;
  const module = new URL('../../dist/platform/embedded-postgres/embedded-postgres.js', import.meta.url).href;
  const node = [process.execPath, '--input-type=module', '-e', script];
  const [program = '', ...args] = [...within, ...node, module, JSON.stringify({ dataDir, settings })];
  const cwd = fileURLToPath(new URL('../..', import.meta.url));
  const child = spawn(program, args, { cwd, stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  return child;
}

export async function startChild(
  dataDir: string,
  within?: readonly string[],
): Promise<{ child: ChildProcess; url: string }> {
  const child = spawnChild(dataDir, within);
  if (child.stdout === null) throw new Error('no pipe');
  for await (const url of createInterface(child.stdout)) return { child, url };
  throw new Error('the child ended before its server was up');
}

export async function kill(child: ChildProcess): Promise<void> {
  // It says so once.
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

export async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query(text)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}

export const readPidFile = (dataDir: string) => readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8');
export const postmasterPid = async (dataDir: string) => Number.parseInt(await readPidFile(dataDir), 10);

export function newPostmaster(dataDir: string, old: number): Promise<number> {
  return eventually(async () => {
    const pid = await postmasterPid(dataDir);
    expect(pid).not.toBe(old);
    expect(isPostmasterOf(pid, await realpath(join(dataDir, 'postgres')))).toBe(true);
    return pid;
  });
}

export async function leftovers(dataDir: string): Promise<string[]> {
  return (await readdir(dataDir)).filter((name) => /\.init-|\.new$|\.stale-|write-test/.test(name));
}

export async function eventually<T>(attempt: () => Promise<T>, everyMs = 50): Promise<T> {
  const deadline = Date.now() + 120_000;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(everyMs);
    }
  }
}

async function cleanUp(dataDir: string): Promise<void> {
  const clusterDir = await realpath(join(dataDir, 'postgres')).catch(() => undefined);
  if (clusterDir !== undefined) {
    const pid = await postmasterPid(dataDir).catch(() => 0);
    if (pid > 0 && isPostmasterOf(pid, clusterDir)) {
      process.kill(pid, 'SIGQUIT');
      await eventually(async () => expect(isAlive(pid)).toBe(false));
    }
    if (!clusterDir.startsWith(dataDir)) {
      for (const path of [clusterDir, `${clusterDir}-run`]) await rm(path, { recursive: true, force: true });
    }
  }
  await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
}

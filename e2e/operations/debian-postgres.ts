import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { chown, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isRunning, signal } from '../faults/processes.js';
import { temporaryFolder, until } from '../support/service.js';

const VERSIONS = '/usr/lib/postgresql';
const START_TIMEOUT_MS = 60_000;

/** The folder of the programs of the newest PostgreSQL that Debian has installed. */
export function postgresPrograms(): string {
  const versions = existsSync(VERSIONS)
    ? readdirSync(VERSIONS)
        .map(Number)
        .sort((a, b) => b - a)
    : [];
  const found = versions
    .map((version) => join(VERSIONS, String(version), 'bin'))
    .find((folder) => existsSync(join(folder, 'initdb')));
  if (found === undefined)
    throw new Error('There is no PostgreSQL in /usr/lib/postgresql: apt-get install postgresql');
  return found;
}

/** PostgreSQL refuses to run as root. */
export function postgresAccount(): { uid: number; gid: number } | Record<string, never> {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

export type DebianPostgres = Readonly<{
  port: number;
  folder: string;
  stop(): Promise<void>;
  /** kill -9 of all its processes. */
  kill(): Promise<void>;
}>;

/** A new cluster that listens on 127.0.0.1, with the superuser `postgres` and no password: `access` says who may enter. */
export async function startDebianPostgres(
  port: number,
  access: string,
  prepare: (folder: string) => Promise<readonly string[]>,
): Promise<DebianPostgres> {
  const account = postgresAccount();
  const parent = await temporaryFolder();
  if (account.uid !== undefined) await chown(parent, account.uid, account.gid ?? 0);
  const folder = join(parent, 'cluster');
  execFileSync(
    join(postgresPrograms(), 'initdb'),
    ['--pgdata', folder, '--username', 'postgres', '--auth', 'trust', '--no-sync'],
    {
      ...account,
      cwd: parent,
      stdio: 'ignore',
    },
  );
  await writeFile(join(folder, 'pg_hba.conf'), access);
  return runPostgres(port, folder, await prepare(folder));
}

/** Starts PostgreSQL on a cluster that is there. Resolves when it takes writes: after a restore, when it has recovered. */
export async function runPostgres(
  port: number,
  folder: string,
  settings: readonly string[],
): Promise<DebianPostgres> {
  const parent = dirname(folder);
  const child = spawn(
    join(postgresPrograms(), 'postgres'),
    [
      '-D',
      folder,
      '-p',
      String(port),
      '-k',
      parent,
      '-c',
      'listen_addresses=127.0.0.1',
      ...settings.flatMap((setting) => ['-c', setting]),
    ],
    { ...postgresAccount(), cwd: parent, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let log = '';
  child.stderr.on('data', (chunk) => {
    log += chunk;
  });
  await until(
    () => log.includes('ready to accept connections'),
    START_TIMEOUT_MS,
    () => {
      if (child.exitCode !== null) throw new Error(`PostgreSQL has ended: ${log}`);
    },
  );
  return {
    port,
    folder,
    async stop() {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGINT');
      await gone;
    },
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const pids = processesOf(folder);
      for (const pid of pids) signal(pid, 'SIGKILL');
      await until(() => !pids.some(isRunning), START_TIMEOUT_MS);
    },
  };
}

/** The processes of a PostgreSQL: its first one, and the children of that. */
export function processesOf(dataDir: string): number[] {
  try {
    const first = execFileSync('head', ['-1', join(dataDir, 'postmaster.pid')], {
      encoding: 'utf8',
      stdio: 'pipe',
    }).trim();
    const list = execFileSync('ps', ['-o', 'pid=', '--ppid', first], { encoding: 'utf8', stdio: 'pipe' });
    return [Number(first), ...list.trim().split(/\s+/).map(Number)].filter((pid) => pid > 1);
  } catch {
    return [];
  }
}

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { syncFolder } from '../lib/durable-file.js';
import { StartupError } from '../lib/startup-error.js';
import type { Binaries } from './binaries.js';
import { makePrivateDirectory } from './cluster-place.js';
import { otherMajor, readNotedVersion } from './cluster-version.js';
import { ifExists } from './errno.js';
import { explainProgramFailure } from './failures.js';
import { adoptPostmaster, shutDown } from './postmaster.js';
import { findRunningServer } from './postmaster-pid.js';
import { runAs, type ServerUser } from './server-user.js';

/** The role that owns the cluster; the service itself logs in as a lesser one. */
export const SUPERUSER = 'postgres';

/** True when there is a cluster of our version, false when there is none; everything else is refused. */
export async function hasCluster(root: string, clusterDir: string, { major }: Binaries): Promise<boolean> {
  const found = await findClusterMajor(clusterDir);
  if (found === undefined) return false;
  if (found === major) return true;
  throw otherMajor({ clusterDir, found, major, version: await readNotedVersion(root) });
}

/** The major version of the PostgreSQL that made the cluster; undefined where there is none. */
export async function findClusterMajor(clusterDir: string): Promise<string | undefined> {
  const stats = await ifExists(stat(clusterDir));
  if (stats === undefined) return undefined;
  const uid = process.getuid?.();
  if (uid !== 0 && stats.uid !== uid) {
    throw new StartupError(
      `The database in ${clusterDir} belongs to another user (uid ${stats.uid}). Start Savepoint as that user, or set SAVEPOINT_DATA_DIR to another folder.`,
    );
  }
  if ((await readdir(clusterDir)).length === 0) return undefined;
  const version = (await ifExists(readFile(join(clusterDir, 'PG_VERSION'), 'utf8')))?.trim();
  if (version !== undefined) return version;
  throw new StartupError(
    `${clusterDir} holds something that is not a PostgreSQL database. Move it away, or set SAVEPOINT_DATA_DIR to another folder.`,
  );
}

/**
 * Makes the cluster under a temporary name beside its place and renames it when it is complete: a kill at any
 * moment leaves either no cluster or a whole one.
 */
export async function makeCluster(options: {
  clusterDir: string;
  socketDir: string;
  dataDir: string;
  binaries: Binaries;
  user: ServerUser | undefined;
  password: string;
  sync: boolean;
}): Promise<void> {
  const { clusterDir, socketDir, binaries, user, password } = options;
  const unique = randomBytes(4).toString('hex');
  const temporary = `${clusterDir}.init-${unique}`;
  // Not in the cluster's own directory, which initdb wants empty. The socket's one is as private.
  const passwordFile = join(socketDir, `initdb-password-${unique}`);
  try {
    await makePrivateDirectory(temporary, user);
    await writeFile(passwordFile, `${password}\n`, { mode: 0o600, flag: 'wx' });
    if (user !== undefined) await chown(passwordFile, user.uid, user.gid);
    const args = ['--encoding=UTF8', '--locale=C', '--auth=scram-sha-256', `--username=${SUPERUSER}`];
    args.push(`--pwfile=${passwordFile}`, ...(options.sync ? [] : ['--no-sync']), '-D', temporary);
    const { ok, output } = await run(binaries.initdb, args, user);
    if (!ok) throw explainProgramFailure(output, { what: 'PostgreSQL could not be set up', ...options });
    await rename(temporary, clusterDir);
    await syncFolder(dirname(clusterDir));
  } finally {
    await rm(passwordFile, { force: true });
    await rm(temporary, { recursive: true, force: true });
  }
}

/** Resolves when all files of a cluster whose server is stopped are on the disk. */
export async function syncCluster({
  clusterDir,
  dataDir,
  binaries,
  user,
}: {
  clusterDir: string;
  dataDir: string;
  binaries: Binaries;
  user: ServerUser | undefined;
}): Promise<void> {
  const { ok, output } = await run(binaries.initdb, ['--sync-only', '-D', clusterDir], user);
  if (!ok) throw explainProgramFailure(output, { what: 'The database could not be synced', dataDir });
}

/** What a start that was killed left behind. Safe because the data folder's lock is held. */
export async function removeLeftovers(clusterDir: string, socketDir: string): Promise<void> {
  const inits = (await readdir(dirname(clusterDir)))
    .filter((name) => name.startsWith(`${basename(clusterDir)}.init-`))
    .map((name) => join(dirname(clusterDir), name));
  const passwords = ((await ifExists(readdir(socketDir))) ?? [])
    .filter((name) => name.startsWith('initdb-password-'))
    .map((name) => join(socketDir, name));
  // The server of an upgrade or a restore that was killed.
  for (const path of inits) {
    const running = await findRunningServer(path);
    if (running !== undefined) await shutDown(adoptPostmaster(running.pid), path);
  }
  for (const path of [...inits, ...passwords]) {
    // An initdb whose service was killed may still be writing into it. It will fail; the next start cleans up.
    await rm(path, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
  }
}

function run(program: string, args: string[], user: ServerUser | undefined) {
  return new Promise<{ ok: boolean; output: string }>((resolve, reject) => {
    let output = '';
    const child = spawn(program, args, { ...runAs(user), stdio: ['ignore', 'pipe', 'pipe'] });
    const collect = (chunk: Buffer) => {
      output += chunk.toString('utf8');
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.once('error', reject);
    child.once('close', (code) => resolve({ ok: code === 0, output }));
  });
}

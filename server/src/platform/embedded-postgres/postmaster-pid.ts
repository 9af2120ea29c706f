import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartupError } from '../lib/startup-error.js';
import { ifExists } from './errno.js';
import { isAlive, isPostmasterOf } from './process-info.js';
import { isAnswered } from './unix-socket.js';

/** What a running server writes about itself into postmaster.pid. */
export type RunningServer = {
  readonly pid: number;
  readonly port: number;
  readonly socketDir: string;
  readonly isStopping: boolean;
};

/** A file this young may belong to a server that is just writing it. */
const WRITE_GRACE_MS = 2_000;
/** While the memory of a killed server is freed, it has no arguments to be known by, and still its socket. */
const DYING_MS = 1_000;

/**
 * The live server of this cluster, if there is one.
 *
 * @throws StartupError if it lives in another container: it can be neither watched nor stopped from here
 */
export async function findRunningServer(clusterDir: string): Promise<RunningServer | undefined> {
  const text = await ifExists(readFile(join(clusterDir, 'postmaster.pid'), 'utf8'));
  // Lines: pid, data directory, start time, port, socket directory, listen address, shared memory, status.
  const lines = text?.split('\n') ?? [];
  const pid = Number.parseInt(lines[0] ?? '', 10);
  if (!(pid > 0)) return undefined;
  if (!isPostmasterOf(pid, clusterDir)) {
    if (await livesElsewhere(clusterDir, lines)) {
      throw new StartupError(
        `PostgreSQL runs on ${clusterDir} in another container (pid ${pid} there). Stop that container first, or run the command in it (docker exec).`,
      );
    }
    return undefined;
  }
  return {
    pid,
    port: Number(lines[3]),
    socketDir: lines[4] ?? '',
    isStopping: lines[7]?.trim() === 'stopping',
  };
}

/**
 * Whether the server that wrote these lines answers on its socket, although no process here has its pid. PostgreSQL itself asks for the
 * pid and for the shared memory, and sees neither of another container.
 */
async function livesElsewhere(clusterDir: string, lines: readonly string[]): Promise<boolean> {
  const [, folder, , port, socketDir = ''] = lines;
  // In that container the volume may have another path.
  const socket = join(folder === clusterDir ? socketDir : `${clusterDir}-run`, `.s.PGSQL.${port}`);
  for (const pauseMs of [0, DYING_MS]) {
    await sleep(pauseMs);
    // That of a live server is for the same user as the lines.
    const lock = await readFile(`${socket}.lock`, 'utf8').catch(() => undefined);
    // By now it may be the socket of another server: of another pid, folder or start.
    const isItsOwn = lock?.split('\n').slice(0, 3).join() === lines.slice(0, 3).join();
    if (!isItsOwn || !(await isAnswered(socket))) return false;
  }
  return true;
}

/**
 * PostgreSQL refuses to start while the pid in a lock file belongs to any live process of the same user, even
 * when that is by now another program. Call only when findRunningServer found none.
 */
export async function disarmStaleLocks(clusterDir: string, socketDir: string, port: number): Promise<void> {
  const pidFile = join(clusterDir, 'postmaster.pid');
  const text = await ifExists(readFile(pidFile, 'utf8'));
  if (text !== undefined) {
    const pid = Number.parseInt(text, 10);
    if (!(pid > 0)) {
      const { mtimeMs } = (await ifExists(stat(pidFile))) ?? { mtimeMs: Date.now() };
      if (Date.now() - mtimeMs > WRITE_GRACE_MS) await rm(pidFile, { force: true });
    } else if (isAlive(pid) || isZombie(pid)) {
      // Do not delete the file: it also names the shared memory by which PostgreSQL recognises surviving
      // children of a killed server. Naming the parent of the coming server, us, makes PostgreSQL see that
      // the pid is stale (CreateLockFile in miscinit.c) and still check the memory.
      await writeFile(pidFile, text.replace(/^\d+/, String(process.pid)));
    }
  }
  // The socket's lock guards nothing more than the socket, which is private to this cluster.
  const socketLock = join(socketDir, `.s.PGSQL.${port}.lock`);
  const holder = Number.parseInt((await ifExists(readFile(socketLock, 'utf8'))) ?? '', 10);
  if (holder > 0 && !isPostmasterOf(holder, clusterDir)) await rm(socketLock, { force: true });
}

/** Signals reach a zombie, which is how PostgreSQL would mistake it for a live server. */
function isZombie(pid: number): boolean {
  try {
    return process.kill(pid, 0) && !isAlive(pid);
  } catch {
    return false;
  }
}

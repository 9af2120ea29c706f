import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartupError } from '../lib/startup-error.js';
import { errorCode } from './errno.js';
import { sizeOf } from './failures.js';
import { isAlive, isPostmasterOf } from './process-info.js';
import { runAs, type ServerUser } from './server-user.js';

/** A running PostgreSQL server: its first process. */
export type Postmaster = {
  readonly pid: number;
  readonly adopted: boolean;
  /** Resolves when the process has ended. Does not keep the event loop alive. */
  readonly exited: Promise<void>;
  isRunning(): boolean;
};

const LOG_LIMIT_BYTES = 10 * 1024 ** 2;
const ADOPTED_POLL_MS = 1_000;
const FAST_SHUTDOWN_MS = 8_000;
/** In an immediate shutdown the postmaster kills children that do not end within 5 s. */
const IMMEDIATE_SHUTDOWN_MS = 7_000;

/**
 * Starts the server in a process group of its own, so that Ctrl-C in a terminal reaches the service only,
 * which then stops the server in order.
 */
export async function launchPostmaster(options: {
  program: string;
  args: string[];
  logFile: string;
  user: ServerUser | undefined;
}): Promise<Postmaster> {
  const log = await openLog(options.logFile);
  try {
    const child = spawn(options.program, options.args, {
      ...runAs(options.user),
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    });
    const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject));
    child.unref();
    const isRunning = () => child.exitCode === null && child.signalCode === null;
    return { pid: child.pid as number, adopted: false, exited, isRunning };
  } finally {
    await log.close();
  }
}

/** A server that is not our child can only be watched. */
export function adoptPostmaster(pid: number): Postmaster {
  const exited = new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      if (isAlive(pid)) return;
      clearInterval(timer);
      resolve();
    }, ADOPTED_POLL_MS).unref();
  });
  return { pid, adopted: true, exited, isRunning: () => isAlive(pid) };
}

/** Fast shutdown; if that takes too long, immediate shutdown, after which the next start recovers. */
export async function shutDown(postmaster: Postmaster, clusterDir: string): Promise<void> {
  for (const [signal, timeoutMs] of [
    ['SIGINT', FAST_SHUTDOWN_MS],
    ['SIGQUIT', IMMEDIATE_SHUTDOWN_MS],
  ] as const) {
    // An adopted server's pid may have passed to another program.
    if (!postmaster.isRunning() || (postmaster.adopted && !isPostmasterOf(postmaster.pid, clusterDir)))
      return;
    try {
      process.kill(postmaster.pid, signal);
    } catch (error) {
      if (errorCode(error) !== 'ESRCH') throw error;
    }
    const deadline = Date.now() + timeoutMs;
    while (postmaster.isRunning() && Date.now() < deadline) await sleep(20);
  }
}

/**
 * For whoever renames the cluster of a server that he has stopped.
 *
 * @throws StartupError if it still runs, such as one that waits for a disk
 */
export function requireStopped(postmaster: Postmaster): void {
  if (!postmaster.isRunning()) return;
  throw new StartupError(
    `PostgreSQL (pid ${postmaster.pid}) does not stop, although it was told to. Wait until it has ended, or end it with kill -9, then try again. Nothing was changed.`,
  );
}

/** Appends; one older generation is kept when it has grown large or belongs to another user. */
async function openLog(path: string) {
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT;
  if ((await sizeOf(path)) > LOG_LIMIT_BYTES) await rename(path, `${path}.1`);
  try {
    return await open(path, flags, 0o600);
  } catch (error) {
    if (errorCode(error) !== 'EACCES') throw error;
    await rename(path, `${path}.1`);
    return await open(path, flags, 0o600);
  }
}

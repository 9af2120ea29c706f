import { randomBytes } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartupError } from '../lib/startup-error.js';
import { errorCode, ifExists } from './errno.js';
import { isAlive, startTimeOf } from './process-info.js';
import { isAnswered, showLife } from './unix-socket.js';

/** How long a lock file may be empty: its maker is between creating and writing it, or was killed there. */
const WRITE_GRACE_MS = 1_000;
/** Where there was a lock at first: long enough for a rival that has seen the same stale one to have acted. */
const TAKEOVER_SETTLE_MS = 100;
const SOCKET_ID = /^[0-9a-f]{8}$/;

/**
 * One service per data folder. The lock names a process by pid and start time, so neither a kill -9 nor a reused pid ever blocks. It also
 * names a socket on which that process listens: a pid of another container on the same volume looks dead, and two servers on one
 * database destroy it. Where there can be no socket, the pid alone decides. Gives the function that releases it.
 */
export async function takeDataLock(root: string): Promise<() => Promise<void>> {
  const path = lockPathIn(root);
  const id = randomBytes(4).toString('hex');
  // Before the lock is there: another container must never find one that nobody answers for.
  const life = await showLife(socketPathOf(path, id));
  const mine = `${JSON.stringify({ pid: process.pid, started: startTimeOf(process.pid), socket: id })}\n`;
  try {
    await acquire(path, id, mine);
  } catch (error) {
    await life?.end();
    throw error;
  }
  return async () => {
    if (await hasContent(path, mine)) await rm(path, { force: true });
    await life?.end();
  };
}

async function acquire(path: string, id: string, mine: string): Promise<void> {
  for (let isContested = false; ; isContested = true) {
    if (await createExclusively(path, mine)) {
      if (!isContested) return;
      await sleep(TAKEOVER_SETTLE_MS);
      if (await hasContent(path, mine)) return;
      continue;
    }
    const found = await readSettled(path);
    if (found === undefined) continue;
    // A rival took it for the stale one, and has put it back.
    if (found === mine) return;
    const holder = parseHolder(found);
    if (holder !== undefined) await refuseHeld(path, holder);
    await removeStale(path, found, id);
    if (holder?.socket !== undefined) await rm(socketPathOf(path, holder.socket), { force: true });
  }
}

async function refuseHeld(path: string, holder: Holder): Promise<void> {
  if (isStillRunning(holder)) {
    throw new StartupError(
      `Another Savepoint is already running on this data folder (pid ${holder.pid}). Stop it, or set SAVEPOINT_DATA_DIR to another folder.`,
    );
  }
  if (await isHeldElsewhere(path, holder)) {
    throw new StartupError(
      `Another Savepoint is already running on this data folder, in another container (pid ${holder.pid} there). Stop that container first, or run the command in it (docker exec).`,
    );
  }
}

/** Whether a running service holds the data folder. */
export async function isDataLocked(root: string): Promise<boolean> {
  const path = lockPathIn(root);
  const text = await ifExists(readFile(path, 'utf8'));
  const holder = text === undefined ? undefined : parseHolder(text);
  return holder !== undefined && (isStillRunning(holder) || (await isHeldElsewhere(path, holder)));
}

const lockPathIn = (root: string): string => join(root, 'savepoint.lock');
const socketPathOf = (path: string, id: string): string => `${path}.${id}`;

/** `socket` is the end of its name; a lock of Savepoint before it had one lacks it. */
type Holder = { pid: number; started?: string; socket?: string };

function isStillRunning(holder: Holder): boolean {
  if (!isAlive(holder.pid)) return false;
  const started = startTimeOf(holder.pid);
  // Where the system does not tell the start time, a live pid counts as the holder: the safe mistake.
  return started === undefined || holder.started === undefined || started === holder.started;
}

async function isHeldElsewhere(path: string, { socket }: Holder): Promise<boolean> {
  return socket !== undefined && isAnswered(socketPathOf(path, socket));
}

function parseHolder(text: string): Holder | undefined {
  try {
    const { pid, started, socket } = JSON.parse(text) as Record<keyof Holder, unknown>;
    if (typeof pid !== 'number' || !Number.isInteger(pid) || pid <= 0) return undefined;
    return {
      pid,
      ...(typeof started === 'string' ? { started } : {}),
      ...(typeof socket === 'string' && SOCKET_ID.test(socket) ? { socket } : {}),
    };
  } catch {
    return undefined;
  }
}

const hasContent = async (path: string, content: string): Promise<boolean> =>
  (await ifExists(readFile(path, 'utf8'))) === content;

async function createExclusively(path: string, content: string): Promise<boolean> {
  try {
    await writeFile(path, content, { flag: 'wx' });
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

async function readSettled(path: string): Promise<string | undefined> {
  const deadline = Date.now() + WRITE_GRACE_MS;
  for (;;) {
    const text = await ifExists(readFile(path, 'utf8'));
    if (text === undefined || parseHolder(text) !== undefined || Date.now() > deadline) return text;
    await sleep(50);
  }
}

/**
 * Two rivals may find the same stale lock. The slower one must not remove the new lock of the faster one. In two containers they may have
 * the same pid, so the name that they give it is of the `id`.
 */
async function removeStale(path: string, judged: string, id: string): Promise<void> {
  const aside = `${path}.stale-${id}`;
  if ((await ifExists(rename(path, aside).then(() => true))) === undefined) return;
  if ((await readFile(aside, 'utf8')) !== judged) await link(aside, path).catch(() => undefined);
  await rm(aside, { force: true });
}

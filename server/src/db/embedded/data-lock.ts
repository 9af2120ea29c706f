import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartupError } from '../../lib/startup-error.js';
import { errorCode, ifExists } from './errno.js';
import { isAlive, startTimeOf } from './process-info.js';

/** How long a lock file may be empty: its maker is between creating and writing it, or was killed there. */
const WRITE_GRACE_MS = 1_000;
/** After a takeover, long enough for a rival that has seen the same stale lock to have acted. */
const TAKEOVER_SETTLE_MS = 100;

/**
 * One service per data folder. The lock names a process by pid and start time, so neither a kill -9 nor a
 * reused pid ever blocks. Gives the function that releases it.
 */
export async function takeDataLock(root: string): Promise<() => Promise<void>> {
  const path = lockPathIn(root);
  const mine = `${JSON.stringify({ pid: process.pid, started: startTimeOf(process.pid) })}\n`;
  const isMine = async () => (await ifExists(readFile(path, 'utf8'))) === mine;

  let tookOver = false;
  for (;;) {
    if (await createExclusively(path, mine)) {
      if (!tookOver) break;
      await sleep(TAKEOVER_SETTLE_MS);
      if (await isMine()) break;
      continue;
    }
    const found = await readSettled(path);
    if (found === undefined) continue;
    const holder = parseHolder(found);
    if (holder !== undefined && isStillRunning(holder)) {
      throw new StartupError(
        `Another Savepoint is already running on this data folder (pid ${holder.pid}). Stop it, or set SAVEPOINT_DATA_DIR to another folder.`,
      );
    }
    await removeStale(path, found);
    tookOver = true;
  }
  return async () => {
    if (await isMine()) await rm(path, { force: true });
  };
}

/** Whether a running service holds the data folder. */
export async function isDataLocked(root: string): Promise<boolean> {
  const text = await ifExists(readFile(lockPathIn(root), 'utf8'));
  const holder = text === undefined ? undefined : parseHolder(text);
  return holder !== undefined && isStillRunning(holder);
}

const lockPathIn = (root: string): string => join(root, 'savepoint.lock');

type Holder = { pid: number; started?: string };

function isStillRunning(holder: Holder): boolean {
  if (!isAlive(holder.pid)) return false;
  const started = startTimeOf(holder.pid);
  // Where the system does not tell the start time, a live pid counts as the holder: the safe mistake.
  return started === undefined || holder.started === undefined || started === holder.started;
}

function parseHolder(text: string): Holder | undefined {
  try {
    const { pid, started } = JSON.parse(text) as { pid?: unknown; started?: unknown };
    if (typeof pid !== 'number' || !Number.isInteger(pid) || pid <= 0) return undefined;
    return typeof started === 'string' ? { pid, started } : { pid };
  } catch {
    return undefined;
  }
}

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

/** Two rivals may find the same stale lock. The slower one must not remove the new lock of the faster one. */
async function removeStale(path: string, judged: string): Promise<void> {
  const aside = `${path}.stale-${process.pid}`;
  if ((await ifExists(rename(path, aside).then(() => true))) === undefined) return;
  if ((await readFile(aside, 'utf8')) !== judged) await link(aside, path).catch(() => undefined);
  await rm(aside, { force: true });
}

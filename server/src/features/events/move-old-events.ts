import { setTimeout as sleep } from 'node:timers/promises';
import { isLockTimeout, type OwnConnection, withOwnConnection } from '../../db/own-connection.js';
import type { Pool } from '../../db/pool.js';
import { ensureDay, utcDay } from './event-partitions.js';
import {
  clearOldNames,
  countOldPages,
  dropOldPartition,
  hasRows,
  listOldPartitions,
  moveOldPages,
  type OldPartition,
} from './move-old-queries.js';

const DAY_MS = 86_400_000;
/** 2 MB, some six thousand events: a tenth of a second. */
const PAGES_A_STEP = 256;
/** Intake comes first: after each step the move rests as long as the step took, and at least this long. */
const MIN_REST_MS = 20;
const DROP_ATTEMPTS = 10;
const DROP_PAUSE_MS = 300;

export type MoveProgress = { movedEvents: number; donePages: number; totalPages: number };

export type MoveOptions = {
  nowMs: number;
  /** Ends the move at the next step; the next one goes on from there. */
  signal?: AbortSignal;
  /** Without it the move uses all it can get. */
  rests?: boolean;
  onProgress?: (progress: MoveProgress) => void;
};

export type MoveResult = {
  /** `busy`: another node is at it. `waiting`: something held a lock. */
  state: 'nothing' | 'done' | 'interrupted' | 'busy' | 'waiting';
  movedEvents: number;
};

/**
 * Moves the events of the former layout, a row each, into blocks:
 *
 *   for each daily partition: [ some pages: rows ──► blocks and identities ] … ──► drop it
 *
 * Each step is a transaction: an event is in one layout or in the other, and intake, explain and export look at both. A move
 * can be killed at any time and goes on where it was. Events past the retention of their game are not moved but deleted.
 */
export async function moveOldEvents(pool: Pool, options: MoveOptions): Promise<MoveResult> {
  return withOwnConnection(pool, async (connection) => {
    if ((await listOldPartitions(connection)).length === 0) return { state: 'nothing', movedEvents: 0 };
    if (!(await takeTurn(connection))) return { state: 'busy', movedEvents: 0 };
    // Read again: another node may have just ended.
    const partitions = await listOldPartitions(connection);
    const progress: MoveProgress = { movedEvents: 0, donePages: 0, totalPages: 0 };
    for (const { name } of partitions) progress.totalPages += await countOldPages(connection, name);
    for (const partition of partitions) {
      const state = await movePartition(pool, connection, partition, progress, options);
      if (state !== 'done') return { state, movedEvents: progress.movedEvents };
    }
    await clearOldNames(connection);
    return { state: 'done', movedEvents: progress.movedEvents };
  });
}

/** Held until the connection ends, so also after a crash. */
async function takeTurn(connection: OwnConnection): Promise<boolean> {
  const { rows } = await connection.query<{ mine: boolean }>(
    "select pg_try_advisory_lock(hashtext('savepoint old events')) as mine",
  );
  return rows[0]?.mine === true;
}

async function movePartition(
  pool: Pool,
  connection: OwnConnection,
  { name, day }: OldPartition,
  progress: MoveProgress,
  { nowMs, signal, rests = true, onProgress }: MoveOptions,
): Promise<'done' | 'interrupted' | 'waiting'> {
  // Most events of a day were received on it or on the next; the others go to the default partition.
  if (day !== null) {
    await ensureDay(pool, day);
    await ensureDay(pool, utcDay(Date.parse(day) + DAY_MS));
  }
  const pages = await countOldPages(connection, name);
  for (let page = 0; page < pages; page += PAGES_A_STEP) {
    if (signal?.aborted) return 'interrupted';
    const start = performance.now();
    progress.movedEvents += await moveOldPages(connection, name, page, page + PAGES_A_STEP, nowMs);
    progress.donePages += Math.min(PAGES_A_STEP, pages - page);
    onProgress?.({ ...progress });
    if (rests) await sleep(Math.max(MIN_REST_MS, performance.now() - start));
  }
  return dropEmpty(connection, name, signal);
}

async function dropEmpty(
  connection: OwnConnection,
  name: string,
  signal: AbortSignal | undefined,
): Promise<'done' | 'interrupted' | 'waiting'> {
  if (await hasRows(connection, name)) return 'waiting';
  for (let attempt = 0; attempt < DROP_ATTEMPTS; attempt++) {
    if (signal?.aborted) return 'interrupted';
    try {
      await dropOldPartition(connection, name);
      return 'done';
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      await sleep(DROP_PAUSE_MS);
    }
  }
  return 'waiting';
}

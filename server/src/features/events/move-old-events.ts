import { setTimeout as sleep } from 'node:timers/promises';
import {
  isLockTimeout,
  type OwnConnection,
  tryAdvisoryLock,
  withOwnConnection,
} from '../../db/own-connection.js';
import type { Pool } from '../../db/pool.js';
import { rest } from '../../db/rest.js';
import { countPages } from '../../db/table-pages.js';
import { utcDay } from '../../lib/day.js';
import { dayAfter, ensureDays } from './event-partitions.js';
import {
  clearOldNames,
  dropOldPartition,
  hasRows,
  listOldPartitions,
  moveOldPages,
  type OldPartition,
  stopVacuum,
} from './move-old-queries.js';

/**
 * A step is as large as this much time allows. It blocks no other session; shorter steps would spend more of the time on
 * planning and commits.
 */
const STEP_MS = 1_000;
const MIN_PAGES = 16;
/** 16 MB, some sixty thousand events, which are sorted in memory. */
const MAX_PAGES = 2_048;
/** Intake comes first: where other sessions are active after a step, the move rests for this part of the step's time. */
const BUSY_REST = 0.25;
const MIN_REST_MS = 10;
const LOCK_ATTEMPTS = 10;
const LOCK_PAUSE_MS = 300;

export type MoveProgress = { movedEvents: number; donePages: number; totalPages: number };

export type MoveOptions = {
  nowMs: number;
  /** Ends the move at the next step; the next one goes on from there. */
  signal?: AbortSignal;
  /** Without it the move does not pause. */
  rests?: boolean;
  onProgress?: (progress: MoveProgress) => void;
};

/** `waiting`: something held a lock. */
type MoveState = 'done' | 'interrupted' | 'waiting';

export type MoveResult = {
  /** `busy`: another node is working on it. */
  state: MoveState | 'nothing' | 'busy';
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
    if (!(await hasWork(connection))) return { state: 'nothing', movedEvents: 0 };
    if (!(await tryAdvisoryLock(connection, 'savepoint old events')))
      return { state: 'busy', movedEvents: 0 };
    // Read again: another node may have just ended.
    const partitions = await listOldPartitions(connection);
    // All of them first: an event may have been received long after its day, and a day that has blocks in the default partition
    // gets no partition of its own any more.
    const firstDay = partitions.find(({ day }) => day !== null)?.day;
    if (firstDay) await ensureDays(pool, daysSince(firstDay, options.nowMs));
    const progress: MoveProgress = { movedEvents: 0, donePages: 0, totalPages: 0 };
    for (const { name } of partitions) progress.totalPages += await countPages(connection, name);
    let state: MoveState = 'done';
    for (const partition of partitions) {
      const partitionState = await movePartition(connection, partition, progress, options);
      if (partitionState !== 'done') state = partitionState;
      // A session that reads a partition for long, such as a backup, does not hold up the other partitions.
      if (state === 'interrupted') break;
    }
    if (state === 'done') state = await retryLock(() => clearOldNames(connection), options.signal);
    return { state, movedEvents: progress.movedEvents };
  });
}

function daysSince(firstDay: string, nowMs: number): string[] {
  const days: string[] = [];
  for (let day = firstDay; day <= utcDay(nowMs); day = dayAfter(day)) days.push(day);
  return days;
}

/** A move that ended between its last partition and the names left the names. */
async function hasWork(connection: OwnConnection): Promise<boolean> {
  return (await listOldPartitions(connection)).length > 0 || (await hasRows(connection, 'old_event_names'));
}

async function movePartition(
  connection: OwnConnection,
  { name }: OldPartition,
  progress: MoveProgress,
  { nowMs, signal, rests = true, onProgress }: MoveOptions,
): Promise<MoveState> {
  await stopVacuum(connection, name);
  const pages = await countPages(connection, name);
  let stepPages = MIN_PAGES;
  for (let page = 0; page < pages; ) {
    if (signal?.aborted) return 'interrupted';
    const start = performance.now();
    const endPage = Math.min(page + stepPages, pages);
    progress.movedEvents += await moveOldPages(connection, name, page, endPage, nowMs);
    progress.donePages += endPage - page;
    onProgress?.({ ...progress });
    const ms = performance.now() - start;
    page = endPage;
    stepPages = nextStepPages(stepPages, ms);
    if (rests) await rest(connection, { stepMs: ms, share: BUSY_REST, leastMs: MIN_REST_MS, signal });
  }
  if (await hasRows(connection, name)) return 'waiting';
  return retryLock(() => dropOldPartition(connection, name), signal);
}

/** Twice or half as many at most: a single slow step says little. */
function nextStepPages(pages: number, ms: number): number {
  const factor = Math.min(2, Math.max(0.5, STEP_MS / ms));
  return Math.min(MAX_PAGES, Math.max(MIN_PAGES, Math.round(pages * factor)));
}

/** For work that waits for a lock only briefly. */
async function retryLock(work: () => Promise<void>, signal: AbortSignal | undefined): Promise<MoveState> {
  for (let attempt = 0; attempt < LOCK_ATTEMPTS; attempt++) {
    if (signal?.aborted) return 'interrupted';
    try {
      await work();
      return 'done';
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      await sleep(LOCK_PAUSE_MS);
    }
  }
  return 'waiting';
}

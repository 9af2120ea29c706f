import { setTimeout as sleep } from 'node:timers/promises';
import { closedBefore, dayTable } from '../../core/events/storage/event-partitions.js';
import {
  type DedicatedConnection,
  isLockTimeout,
  isUndefinedTable,
  tryAdvisoryLock,
  withDedicatedConnection,
} from '../../platform/db/dedicated-connection.js';
import type { Pool } from '../../platform/db/pool.js';
import { findTableOid } from '../../platform/db/table-pages.js';
import { DAY_MS } from '../../platform/lib/day.js';
import {
  type DaySample,
  deferDay,
  findRewrite,
  forgetDroppedDays,
  hasChanged,
  keepDay,
  listDaysToCompact,
  type Rewrite,
  type SwapObstacle,
  sampleDay,
  updateWaitsFor,
} from './compact-queries.js';
import { type BlockLimits, beginRewrite, rewritePages } from './rewrite-queries.js';
import { findDayBytes, freezeRewrite, holdsAsManyEvents, swapDay } from './swap-queries.js';

/** Intake comes first: after each step the rewrite rests as long as the step took, and at least this long. */
const MIN_REST_MS = 20;
const LOCK_PAUSE_MS = 300;
/** A writer to a closed day, such as a queue that catches up, may go on for a while. */
const DEFER_MS = DAY_MS;

export type CompactionLimits = BlockLimits &
  Readonly<{
    /** A step, and a window of receipt: 128 MB, some 350,000 blocks of one event, ten seconds. */
    pagesPerWindow: number;
    /** Below this a day is not worth the work. */
    minPages: number;
    /** So much of a day is looked at to decide whether it is worth the work. */
    samplePages: number;
    /** A block of fewer events is small: with this many it takes a third more space than with hundreds. */
    smallEvents: number;
    /** Minimum average merge factor: small blocks per larger one. */
    minBlocksPerSource: number;
    /** Small blocks must take at least this share of the space. */
    minShare: number;
    /** Each waits a fifth of a second at most. */
    lockAttempts: number;
    /**
     * Each attempt reads all of the rewrite that could not be frozen yet. What is in the way usually ends within a second, or
     * stays.
     */
    freezeAttempts: number;
  }>;

const LIMITS: CompactionLimits = {
  // Explain reads fifty blocks at a time.
  maxEvents: 500,
  maxBytes: 128 * 1024,
  pagesPerWindow: 16_384,
  minPages: 128,
  samplePages: 4_096,
  smallEvents: 20,
  minBlocksPerSource: 2,
  minShare: 0.2,
  lockAttempts: 10,
  freezeAttempts: 3,
};

export type CompactionOptions = {
  nowMs: number;
  /** Ends the rewrite at the next step; the next run goes on from there. */
  signal?: AbortSignal;
  /** Without it the rewrite does not pause. */
  rests?: boolean;
  limits?: Partial<CompactionLimits>;
  onProgress?: (progress: Rewrite) => Promise<void> | void;
};

export type CompactionResult = {
  /**
   * `busy`: another node is working on it. `waiting`: something is in the way, or the day has changed; a later run continues.
   */
  state: 'nothing' | 'done' | 'interrupted' | 'busy' | 'waiting';
  day: string | null;
  /** How far the day is from being rewritten. */
  pagesLeft: number;
  bytesFreed: number;
};

type Run = CompactionOptions & { connection: DedicatedConnection; limits: CompactionLimits };

/**
 * Rewrites the small blocks of one closed day into larger ones, those of a player beside each other:
 *
 *   closed day ──► too little to gain ──► kept
 *       │
 *       ▼
 *   rewriting: [ some pages ──► rewrite table ] … ──► frozen ──► swapped in ──► compacted
 *       │                                               │
 *       └────────── changed by somebody ◄───────────────┘
 *                         │
 *                         ▼
 *                  deferred for a day ──► rewriting, from the start
 *
 * Each step is a transaction: a run can be killed at any time, and the next one goes on where it was. Until the swap everybody
 * reads the small blocks.
 */
export async function compactEvents(pool: Pool, options: CompactionOptions): Promise<CompactionResult> {
  return withDedicatedConnection(pool, async (connection) => {
    const none = { day: null, pagesLeft: 0, bytesFreed: 0 };
    if (!(await tryAdvisoryLock(connection, 'savepoint compaction'))) return { state: 'busy', ...none };
    await readByPages(connection);
    await forgetDroppedDays(connection);
    const run = { ...options, connection, limits: { ...LIMITS, ...options.limits } };
    const { nowMs, signal } = options;
    for (const day of await listDaysToCompact(connection, closedBefore(nowMs), new Date(nowMs - DEFER_MS))) {
      if (signal?.aborted) return { state: 'interrupted', ...none };
      const result = await unlessDropped(connection, day, async () => {
        const rewrite = (await findRewrite(connection, day)) ?? (await beginIfWorthIt(run, day));
        return rewrite === 'kept' ? rewrite : compactDay(run, day, rewrite);
      });
      if (result !== 'kept' && result !== 'dropped') return result;
    }
    return { state: 'nothing', ...none };
  });
}

/** Retention may drop the day at any time. The next run cleans up what is left. */
async function unlessDropped<T>(
  connection: DedicatedConnection,
  day: string,
  work: () => Promise<T>,
): Promise<T | 'dropped'> {
  try {
    return await work();
  } catch (error) {
    if (isUndefinedTable(error) && (await findTableOid(connection, dayTable(day))) === null) return 'dropped';
    throw error;
  }
}

/** Pages are read as they come, whatever the statistics say; one core at most, and no seconds spent on compiling. */
async function readByPages(connection: DedicatedConnection): Promise<void> {
  await connection.query('set enable_seqscan = off');
  await connection.query('set enable_indexscan = off');
  await connection.query('set enable_indexonlyscan = off');
  await connection.query('set enable_bitmapscan = off');
  await connection.query('set max_parallel_workers_per_gather = 0');
  await connection.query("set work_mem = '64MB'");
}

async function beginIfWorthIt(
  { connection, limits }: Run,
  day: string,
): Promise<Rewrite | 'kept' | 'locked'> {
  const { samplePages: maxPages, smallEvents } = limits;
  if (!isWorthIt(await sampleDay(connection, day, { maxPages, smallEvents }), limits)) {
    await keepDay(connection, day);
    return 'kept';
  }
  for (let attempt = 1; ; attempt++) {
    try {
      return await beginRewrite(connection, day, limits.pagesPerWindow);
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      if (attempt >= limits.lockAttempts) return 'locked';
      await sleep(LOCK_PAUSE_MS);
    }
  }
}

function isWorthIt(sample: DaySample, { minPages, minBlocksPerSource, minShare }: CompactionLimits): boolean {
  const { pages, smallBlocks, smallSources, smallBytes, bytes } = sample;
  return (
    pages >= minPages && smallBlocks >= minBlocksPerSource * smallSources && smallBytes >= minShare * bytes
  );
}

async function compactDay(run: Run, day: string, begun: Rewrite | 'locked'): Promise<CompactionResult> {
  const { connection } = run;
  if (begun === 'locked') return { state: 'waiting', day, pagesLeft: 0, bytesFreed: 0 };
  const bytesBefore = await findDayBytes(connection, day);
  const { state, donePages } = await rewriteDay(run, begun);
  const result = state === 'done' ? await putInPlace(run, day) : state;
  if (result === 'changed') await deferDay(connection, day);
  return {
    state: result === 'changed' ? 'waiting' : result,
    day,
    pagesLeft: begun.totalPages - donePages,
    bytesFreed: bytesBefore - (await findDayBytes(connection, day)),
  };
}

async function rewriteDay(
  { connection, limits, signal, rests = true, onProgress }: Run,
  begun: Rewrite,
): Promise<{ state: 'done' | 'interrupted' | 'changed'; donePages: number }> {
  const { day, totalPages } = begun;
  let { donePages } = begun;
  while (donePages < totalPages) {
    if (signal?.aborted) return { state: 'interrupted', donePages };
    const start = performance.now();
    const endPage = Math.min(donePages + limits.pagesPerWindow, totalPages);
    await rewritePages(connection, { day, donePages, totalPages }, endPage, limits);
    donePages = endPage;
    await onProgress?.({ day, donePages, totalPages });
    // The swap would find the change, too, but the work until then would be wasted.
    if (await hasChanged(connection, day)) return { state: 'changed', donePages };
    if (rests) await sleep(Math.max(MIN_REST_MS, performance.now() - start));
  }
  return { state: 'done', donePages };
}

async function putInPlace(
  { connection, limits, signal }: Run,
  day: string,
): Promise<'done' | 'interrupted' | 'waiting' | 'changed'> {
  if (!(await holdsAsManyEvents(connection, day))) {
    if (await hasChanged(connection, day)) return 'changed';
    // Other days must not wait for this one.
    await deferDay(connection, day);
    throw new Error(`the rewrite of ${day} does not hold as many events as the day; nothing was replaced`);
  }
  for (let attempt = 1; ; attempt++) {
    if (signal?.aborted) return 'interrupted';
    await freezeRewrite(connection, day);
    const outcome = await swapDay(connection, day);
    if (outcome === 'swapped') return 'done';
    if (outcome === 'changed') return 'changed';
    if (attempt >= attemptsFor(outcome, limits)) {
      await updateWaitsFor(connection, day, outcome);
      return 'waiting';
    }
    await sleep(LOCK_PAUSE_MS);
  }
}

function attemptsFor(obstacle: SwapObstacle, { lockAttempts, freezeAttempts }: CompactionLimits): number {
  const attempts = { lock: lockAttempts, snapshot: freezeAttempts, default_partition: 1 };
  return attempts[obstacle];
}

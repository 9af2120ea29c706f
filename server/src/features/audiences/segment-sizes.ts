import type { Pool } from '../../db/pool.js';
import { utcDay } from '../../lib/day.js';
import { createFairSemaphore } from '../../lib/fair-semaphore.js';
import { createFifoMap } from '../../lib/fifo-map.js';
import type { ConfigDocument } from '../../personalisation/document/document.js';
import { dryRun } from '../dry-runs/dry-run.js';
import { noteSegmentSizes } from './segment-size-queries.js';

/** The number of players in each segment, by the id of the segment. */
export type SegmentSizes = Readonly<{
  players: number;
  examined: number;
  isSampled: boolean;
  countedAt: number;
  /** Null if the rules use more facts than can be read at once. */
  sizes: ReadonlyMap<string, { players: number; payers: number }> | null;
}>;

export type CountedDocument = Readonly<{
  tenantId: number;
  gameId: number;
  version: number;
  document: ConfigDocument;
}>;

export type SegmentCounter = {
  /** Undefined if too many games of the studio wait to be counted. */
  count(counted: CountedDocument, nowMs: number): Promise<SegmentSizes> | undefined;
};

/** Gives an error of less than 0.7 percent of all players in 19 of 20 cases. */
export const SAMPLE_SIZE = 20_000;
/** A count is kept for at least a minute. */
const MIN_KEPT_MS = 60_000;
/** A count is kept for this many times as long as it took: counting reads the ids of all players, and may take 1/60 of the time. */
const KEPT_PER_COUNTING = 60;
const MAX_KEPT_MS = 3_600_000;
const MAX_KEPT = 1_000;
const COUNTS = { maxConcurrent: 2, maxConcurrentPerKey: 1, maxWaitingPerKey: 10 };

type Kept = {
  readonly version: number;
  readonly sizes: Promise<SegmentSizes>;
  /** Undefined while the count is running: other requests wait for the same count. */
  keptUntil: number | undefined;
};

export type CountSegments = (counted: CountedDocument, nowMs: number) => Promise<SegmentSizes>;

/** All requests for the sizes of one game share one count. It is kept in proportion to the time that it took. */
export function createSegmentCounter(countSegments: CountSegments, timer: () => number): SegmentCounter {
  const semaphore = createFairSemaphore(COUNTS);
  const kept = createFifoMap<number, Kept>();

  return {
    count(counted, nowMs) {
      const { tenantId, gameId, version } = counted;
      const known = kept.get(gameId);
      const isKept = known !== undefined && (known.keptUntil === undefined || nowMs < known.keptUntil);
      if (isKept && known.version === version) return known.sizes;
      // Measures the work only, not the wait for the semaphore.
      let tookMs = 0;
      const sizes = semaphore.of(tenantId).take(async () => {
        const startedAt = timer();
        const found = await countSegments(counted, nowMs);
        tookMs = timer() - startedAt;
        return found;
      });
      if (sizes === undefined) return undefined;
      const entry: Kept = { version, sizes, keptUntil: undefined };
      kept.set(gameId, entry);
      sizes.then(
        () => {
          const keptMs = Math.min(MAX_KEPT_MS, Math.max(MIN_KEPT_MS, tookMs * KEPT_PER_COUNTING));
          entry.keptUntil = nowMs + keptMs;
        },
        // A count that failed is not kept.
        () => kept.get(gameId) === entry && kept.delete(gameId),
      );
      if (kept.size > MAX_KEPT) kept.delete(kept.oldest()?.[0] ?? gameId);
      return sizes;
    },
  };
}

/**
 * Counts the players of all segments of a document in one pass: a dry run of the document against itself, on an even sample. Also
 * stores the sizes, for the trend.
 */
export async function countSegments(
  pool: Pool,
  { gameId, version, document }: Omit<CountedDocument, 'tenantId'>,
  nowMs: number,
): Promise<SegmentSizes> {
  const run = await dryRun(pool, { gameId, before: document, after: document, nowMs, sample: SAMPLE_SIZE });
  if (run.outcome !== 'done') {
    return { players: 0, examined: 0, isSampled: false, countedAt: nowMs, sizes: null };
  }
  const { players, examined, sampled, segments } = run.result;
  const sizes = segments.map(({ segmentId, counts, estimate }) => {
    const { after, payers } = estimate ?? counts;
    return [segmentId, { players: after, payers }] as const;
  });
  await noteSegmentSizes(pool, gameId, {
    day: utcDay(nowMs),
    version,
    players,
    sizes: Object.fromEntries(sizes.map(([segmentId, size]) => [segmentId, size.players])),
  });
  return { players, examined, isSampled: sampled, countedAt: nowMs, sizes: new Map(sizes) };
}

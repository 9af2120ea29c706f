import type { Pool } from '../../db/pool.js';
import { createFairSemaphore } from '../../lib/fair-semaphore.js';
import { createFifoMap } from '../../lib/fifo-map.js';
import type { ConfigDocument } from '../../personalisation/document/document.js';
import { dryRun } from '../dry-runs/dry-run.js';

/** How many players are in each segment, by its id. */
export type SegmentSizes = Readonly<{
  players: number;
  examined: number;
  isSampled: boolean;
  countedAt: number;
  /** Null where the rules ask for more than can be read at once. */
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

/** Off by less than 0.7 percent of all players in 19 of 20 cases. */
const SAMPLE = 20_000;
/** Whoever looks at the list again and again sees the same numbers for a minute. */
const KEPT_MS = 60_000;
const MAX_KEPT = 1_000;
const COUNTS = { maxConcurrent: 2, maxConcurrentPerKey: 1, maxWaitingPerKey: 10 };

type Kept = Readonly<{ version: number; startedAt: number; sizes: Promise<SegmentSizes> }>;

/** Counts the players of all segments of a document at once: a dry run of the document against itself, on an even sample. */
export function createSegmentCounter(pool: Pool): SegmentCounter {
  const turns = createFairSemaphore(COUNTS);
  const kept = createFifoMap<number, Kept>();

  return {
    count({ tenantId, gameId, version, document }, nowMs) {
      const known = kept.get(gameId);
      const isFresh = known !== undefined && known.version === version && nowMs - known.startedAt < KEPT_MS;
      if (isFresh) return known.sizes;
      const sizes = turns.of(tenantId).take(() => countSegments(pool, gameId, document, nowMs));
      if (sizes === undefined) return undefined;
      kept.set(gameId, { version, startedAt: nowMs, sizes });
      // What failed is tried again.
      sizes.catch(() => kept.get(gameId)?.sizes === sizes && kept.delete(gameId));
      if (kept.size > MAX_KEPT) kept.delete(kept.oldest()?.[0] ?? gameId);
      return sizes;
    },
  };
}

async function countSegments(
  pool: Pool,
  gameId: number,
  document: ConfigDocument,
  nowMs: number,
): Promise<SegmentSizes> {
  const run = await dryRun(pool, { gameId, before: document, after: document, nowMs, sample: SAMPLE });
  if (run.outcome !== 'done') {
    return { players: 0, examined: 0, isSampled: false, countedAt: nowMs, sizes: null };
  }
  const { players, examined, sampled, segments } = run.result;
  const sizes = segments.map(({ segmentId, counts, estimate }) => {
    const { after, payers } = estimate ?? counts;
    return [segmentId, { players: after, payers }] as const;
  });
  return { players, examined, isSampled: sampled, countedAt: nowMs, sizes: new Map(sizes) };
}

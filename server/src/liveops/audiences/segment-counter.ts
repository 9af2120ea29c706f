import type { ConfigDocument } from '../../decide/document/document.js';
import { busy } from '../../platform/errors.js';
import { createFairSemaphore } from '../../platform/lib/fair-semaphore.js';
import { createFifoMap } from '../../platform/lib/fifo-map.js';
import { withTimeout } from '../../platform/lib/with-timeout.js';

export type CountedDocument = Readonly<{
  tenantId: number;
  gameId: number;
  version: number;
  document: ConfigDocument;
}>;

export type SegmentCounter<Count> = {
  /** Undefined if too many games of the studio wait to be counted. */
  count(counted: CountedDocument, nowMs: number): Promise<Count> | undefined;
};

/** A count is kept for at least a minute. */
const MIN_KEPT_MS = 60_000;
/** A count is kept for this many times as long as it took: counting reads the ids of all players, and may take 1/60 of the time. */
const KEPT_PER_COUNTING = 60;
const MAX_KEPT_MS = 3_600_000;
const MAX_KEPT = 1_000;
const COUNTS = { maxConcurrent: 2, maxConcurrentPerKey: 1, maxWaitingPerKey: 10 };

/** About as long as counting the segments of another game takes. */
const RETRY_AFTER_SECONDS = 5;
/** A request that has waited this long gets `busy`. The count continues, and a later request finds its result. */
export const MAX_WAIT_MS = 20_000;

type Kept<Count> = {
  readonly version: number;
  readonly counting: Promise<Count>;
  /** Undefined while the count is running: other requests wait for the same count. */
  keptUntil: number | undefined;
};

/** All requests for a count of one game share it. It is kept in proportion to the time that it took. */
export function createSegmentCounter<Count>(
  countSegments: (counted: CountedDocument, nowMs: number) => Promise<Count>,
  timer: () => number,
): SegmentCounter<Count> {
  const semaphore = createFairSemaphore(COUNTS);
  const kept = createFifoMap<number, Kept<Count>>();

  return {
    count(counted, nowMs) {
      const { tenantId, gameId, version } = counted;
      const known = kept.get(gameId);
      const isKept = known !== undefined && (known.keptUntil === undefined || nowMs < known.keptUntil);
      if (isKept && known.version === version) return known.counting;
      // Measures the work only, not the wait for the semaphore.
      let tookMs = 0;
      const counting = semaphore.of(tenantId).take(async () => {
        const startedAt = timer();
        const found = await countSegments(counted, nowMs);
        tookMs = timer() - startedAt;
        return found;
      });
      if (counting === undefined) return undefined;
      const entry: Kept<Count> = { version, counting, keptUntil: undefined };
      kept.set(gameId, entry);
      counting.then(
        () => {
          const keptMs = Math.min(MAX_KEPT_MS, Math.max(MIN_KEPT_MS, tookMs * KEPT_PER_COUNTING));
          entry.keptUntil = nowMs + keptMs;
        },
        // A count that failed is not kept.
        () => kept.get(gameId) === entry && kept.delete(gameId),
      );
      if (kept.size > MAX_KEPT) kept.delete(kept.oldest()?.[0] ?? gameId);
      return counting;
    },
  };
}

/**
 * Waits for a count. Requests share it, so it continues after a client hangs up or gets `busy`.
 * @throws ApiError `busy` if the count has not started or takes longer than `maxWaitMs`
 */
export async function requireCount<Count extends object>(
  counting: Promise<Count> | undefined,
  { what, maxWaitMs = MAX_WAIT_MS }: { what: string; maxWaitMs?: number | undefined },
): Promise<Count> {
  if (counting === undefined) throw busy(RETRY_AFTER_SECONDS);
  const counted = await withTimeout(counting, maxWaitMs);
  if (counted !== undefined) return counted;
  throw busy(RETRY_AFTER_SECONDS, `${what} are still being counted. Try again in a few seconds.`);
}

import type { Pool } from '../../platform/db/pool.js';
import type { Reads } from '../../platform/db/reads.js';
import { utcDay } from '../../platform/lib/day.js';
import { dryRun } from '../dry-runs/dry-run.js';
import { SEGMENT_SAMPLE_SIZE } from './player-samples.js';
import type { CountedDocument } from './segment-counter.js';
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

/**
 * Counts the players of all segments of a document in one pass: a dry run of the document against itself, on an even sample. Also
 * stores the sizes, for the trend.
 */
export async function countSegments(
  { pool, reads }: Readonly<{ pool: Pool; reads: Reads }>,
  { gameId, version, document }: Omit<CountedDocument, 'tenantId'>,
  nowMs: number,
): Promise<SegmentSizes> {
  const counted = { gameId, nowMs, before: document, after: document, sample: SEGMENT_SAMPLE_SIZE };
  const run = await reads.run((db) => dryRun(db, counted));
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

import { findConfigVersionAt } from '../core/configs/config-queries.js';
import { EXPOSURE_SEGMENTS } from '../decide/compile/exposure-segments.js';
import type { Pool } from '../platform/db/pool.js';
import { ApiError } from '../platform/errors.js';
import { textParameter } from '../platform/http/parameters.js';
import type { Explored, Grouping, TimeSpan } from './group-queries.js';
import { listSegmentPublications, type SegmentPublication } from './segment-queries.js';

const NO_SEGMENT = 'by=segment needs the id of a segment, such as by=segment&segment=whales.';
const NOT_BY_SEGMENT = 'A segment can be given with by=segment only.';
const NOT_STORED = `Exposures do not say who was in this segment: its rule depends on an experiment, ${EXPOSURE_SEGMENTS} other segments have a higher priority, or no version with it was published while an experiment ran.`;

type Asked = Readonly<{ by: Explored; segment?: string | undefined }>;

/** How players are grouped who were exposed since `startedAt`, as a request names it. */
export async function groupingOf(
  pool: Pool,
  gameId: number,
  { by, segment }: Asked,
  { startedAt, nowMs }: { startedAt: number | null; nowMs: number },
): Promise<Grouping> {
  if (by !== 'segment') {
    if (segment !== undefined) throw new ApiError('parameter_invalid', { message: NOT_BY_SEGMENT });
    return { by };
  }
  if (segment === undefined) throw new ApiError('parameter_invalid', { message: NO_SEGMENT });
  const segmentId = textParameter('segment', segment, 64);
  const sinceMs = startedAt ?? nowMs;
  const stored = storedSpans(await listSegmentPublications(pool, gameId, segmentId, sinceMs));
  const spans = stored.filter(({ before }) => before > sinceMs);
  if (spans.length > 0) return { by, segmentId, spans };
  const { document } = await findConfigVersionAt(pool, gameId, nowMs);
  const isThere = document.segments.some((each) => each.segmentId === segmentId);
  throw isThere
    ? new ApiError('parameter_invalid', { message: NOT_STORED })
    : new ApiError('segment_not_found');
}

/** From when on players are examined. Of those before nothing is known, and in a long experiment they would be all who are examined. */
export function examinedSince(grouping: Grouping): number | null {
  return grouping.by === 'segment' ? (grouping.spans[0]?.since ?? null) : null;
}

/** When exposures say whether the player was in the segment. */
export function storedSpans(publications: readonly SegmentPublication[]): TimeSpan[] {
  const spans: { since: number; before: number }[] = [];
  let open: { since: number; before: number } | null = null;
  for (const { publishedAt, isStored } of publications) {
    if (isStored && open === null) {
      open = { since: publishedAt, before: Number.POSITIVE_INFINITY };
      spans.push(open);
    } else if (!isStored && open !== null) {
      open.before = publishedAt;
      open = null;
    }
  }
  return spans;
}

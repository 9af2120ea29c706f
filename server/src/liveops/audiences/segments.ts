import type { CompiledDocument } from '../../decide/compile/compiled-document.js';
import { ApiError, ERRORS } from '../../platform/errors.js';
import { didYouMean, nearestName } from '../../platform/lib/nearest-name.js';

/** The segments, flags and offers of a document whose rules use a segment, by id. */
export type SegmentUse = Readonly<{ segments: string[]; flags: string[]; offers: string[] }>;

export function segmentUse({ flagsAndSegments, offers }: CompiledDocument, segmentId: string): SegmentUse {
  const users = flagsAndSegments.filter(({ rule }) => rule?.segments.includes(segmentId));
  return {
    segments: users.flatMap((node) => (node.kind === 'segment' ? node.listed.segmentId : [])),
    flags: users.flatMap((node) => (node.kind === 'flag' ? node.flagId : [])),
    offers: offers.filter(({ rule }) => rule?.segments.includes(segmentId)).map(({ offerId }) => offerId),
  };
}

export function requireSegment({ segments }: CompiledDocument, segmentId: string): void {
  const ids = segments.map(({ listed }) => listed.segmentId);
  if (ids.includes(segmentId)) return;
  const nearest = nearestName(segmentId, ids);
  throw new ApiError(
    'segment_not_found',
    nearest === undefined ? {} : { message: `${ERRORS.segment_not_found.message}${didYouMean(nearest)}` },
  );
}

import type { CompiledDocument, SegmentMembership } from '../../decide/compile/compiled-document.js';

/**
 * The segments that an exposure is stored with: those the player is told to be in by the decision that the arm comes from, which follows
 * from the facts before the arm. Null: the version says of no segment that it is stored.
 */
export function segmentsAtExposure(
  { exposureSegments }: Pick<CompiledDocument, 'exposureSegments'>,
  segments: readonly SegmentMembership[],
): readonly string[] | null {
  if (exposureSegments === null) return null;
  return segments.map(({ segmentId }) => segmentId).filter((id) => exposureSegments.has(id));
}

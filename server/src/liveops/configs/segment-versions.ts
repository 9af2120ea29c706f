import type { SegmentVersions } from '../../core/configs/config-queries.js';
import { numberIn } from '../../decide/attributes/player-facts.js';
import type { ConfigDocument } from '../../decide/document/document.js';
import type { SegmentEntry } from '../../decide/document/parts/segments.js';
import { thresholdsKey } from '../../decide/document/thresholds.js';

type Numbered = Readonly<{ document: ConfigDocument; segmentVersions: SegmentVersions }>;

/**
 * The numbers of a document's segments when it follows another: one higher where rule, thresholds or name changed, so that a client
 * can tell that "payer" means something else now. Deleted segments keep theirs, in case they come back.
 */
export function nextSegmentVersions(before: Numbered, after: ConfigDocument): SegmentVersions {
  const former = new Map(before.document.segments.map((segment) => [segment.segmentId, segment]));
  const versions = new Map(Object.entries(before.segmentVersions));
  for (const { segmentId } of before.document.segments) {
    versions.set(segmentId, numberIn(before.segmentVersions, segmentId) || 1);
  }
  for (const segment of after.segments) {
    const { segmentId } = segment;
    const old = former.get(segmentId);
    const isSame = old !== undefined && meaningOf(old) === meaningOf(segment);
    if (!isSame) versions.set(segmentId, (versions.get(segmentId) ?? 0) + 1);
  }
  return Object.fromEntries(versions);
}

function meaningOf({ rule, name, thresholds }: SegmentEntry): string {
  return JSON.stringify([rule, name, thresholds === undefined ? null : thresholdsKey(thresholds)]);
}

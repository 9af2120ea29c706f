import { type Static, Type } from 'typebox';
import { type EntryRule, listPart } from '../document-part.js';
import { PATTERNS } from '../document-patterns.js';
import { Rule, strict, text } from '../member-schemas.js';
import { Thresholds, thresholdRules } from '../thresholds.js';
import { checkThresholds } from './check-thresholds.js';

const Segment = Type.Object(
  {
    segmentId: Type.String({ pattern: PATTERNS.segmentId }),
    name: text(200),
    rule: Rule,
    /** So that a player at the edge does not come and go. Left out: the rule alone decides, anew each time. */
    thresholds: Type.Optional(Thresholds),
    visibleToClients: Type.Boolean(),
    /** Segments are listed from the highest priority to the lowest, equal ones in the order of the document. */
    priority: Type.Integer({ minimum: -1000, maximum: 1000 }),
  },
  strict,
);

export type SegmentEntry = Static<typeof Segment>;

export const SEGMENTS = listPart({
  name: 'segments',
  path: 'segments',
  noun: 'segment',
  title: 'Segments',
  idMember: 'segmentId',
  limit: 200,
  entry: Segment,
  rulesOf: ({ rule, thresholds }) => [{ member: 'rule', expression: rule }, ...ruleOf(thresholds)],
  check: ({ thresholds }, pointer, problems) => {
    if (thresholds !== undefined) checkThresholds(thresholds, `${pointer}/thresholds`, problems);
  },
});

/** Of who enters and who stays, only one is asked of a player. */
function ruleOf(thresholds: Thresholds | undefined): EntryRule[] {
  if (thresholds === undefined) return [];
  return [{ member: 'thresholds', expression: thresholdRules(thresholds).enter }];
}

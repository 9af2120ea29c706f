import { type Static, Type } from 'typebox';
import { PATTERNS } from '../document-patterns.js';
import { Rule, strict, text } from '../member-schemas.js';
import { Thresholds } from '../thresholds.js';

export const Segment = Type.Object(
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

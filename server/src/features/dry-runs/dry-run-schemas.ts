import { Type } from 'typebox';
import { nullable, Time } from '../../http/admin-responses.js';
import { ConfigDocument } from '../../personalisation/document/document.js';
import { DOCUMENT_EXAMPLE } from '../game-configs/config-schemas.js';
import type { DryRunResult } from './dry-run.js';

/** Documentation of the bodies of a dry run. */

const asked = {
  version: Type.Optional(Type.Integer({ minimum: 0, description: 'A published version, to go back to' })),
  at: Type.Optional(
    Type.String({
      maxLength: 40,
      description:
        'The moment to decide for, RFC 3339 with a zone, not in the past; now, if left out. For an offer that begins later, say. What is known of the players is what is known now.',
    }),
  ),
  sample: Type.Optional(
    Type.Integer({
      minimum: 1,
      description:
        'How many players to examine at the most. By default all of up to 2 million, else 500,000 of them.',
    }),
  ),
};

export const DryRunBody = Type.Union(
  [
    Type.Object({ ...asked, document: Type.Optional(ConfigDocument) }, { title: 'DryRunRequest' }),
    Type.Null(),
  ],
  {
    description: 'What might be published: the draft if neither a document nor a version is given.',
    examples: [{ document: DOCUMENT_EXAMPLE, sample: 100_000 }],
  },
);
/** What is checked before the document itself is, which has an error of its own. */
export const DryRunEnvelope = Type.Union([
  Type.Object({ ...asked, document: Type.Optional(Type.Unknown()) }),
  Type.Null(),
  Type.Undefined(),
]);

const count = (description: string) => Type.Integer({ description });
const Counts = Type.Object(
  {
    before: count('Of whom it is true as published'),
    after: count('Of whom it would be true'),
    enter: count('After, but not before'),
    leave: count('Before, but not after'),
    stay: count('Both'),
    payers: count('Of those after: who have a purchase that was not refunded'),
  },
  { title: 'DryRunCounts' },
);
const effect = {
  counts: Counts,
  estimate: nullable(Counts),
  revenueShare: Type.Record(Type.String(), Type.Number(), {
    description:
      'By currency: what part of all that the examined players have spent, refunds taken off, those after have spent. 0.25 is a quarter.',
  }),
  examples: Type.Object({
    enter: Type.Array(Type.String(), { description: 'A few userIds' }),
    leave: Type.Array(Type.String()),
  }),
};

const Result = Type.Object(
  {
    players: count('Of the game'),
    examined: count('How many of them were looked at'),
    sampled: Type.Boolean({
      description: 'True: `counts` are of the players examined, `estimate` is for all of them.',
    }),
    at: Time('The moment it was decided for'),
    seconds: Type.Number({ description: 'How long it took' }),
    flags: Type.Array(Type.Object({ flagId: Type.String(), ...effect }, { title: 'DryRunFlag' })),
    segments: Type.Array(Type.Object({ segmentId: Type.String(), ...effect }, { title: 'DryRunSegment' })),
    offers: Type.Array(
      Type.Object(
        { offerId: Type.String(), ...effect },
        { title: 'DryRunOffer', description: 'The players to whom it applies' },
      ),
    ),
    ruleErrors: Type.Array(
      Type.Object({
        part: Type.String({ description: 'Such as `segment:whales`' }),
        before: count(
          'For how many players its rule fails as published: a flag then has its default, segments and offers do not match',
        ),
        after: count('For how many it would'),
      }),
    ),
  },
  { title: 'DryRunResult' },
);

const EFFECT_EXAMPLE = {
  counts: { before: 120, after: 150, enter: 40, leave: 10, stay: 110, payers: 30 },
  estimate: null,
  revenueShare: { USD: 0.25 },
  examples: {
    enter: ['0199c1a2-7b3c-7d4e-8f5a-6b7c8d9e0f1a'],
    leave: ['0199c1a2-7b3c-7d4e-8f5a-6b7c8d9e0f1b'],
  },
};
const RESULT_EXAMPLE: DryRunResult = {
  players: 1000,
  examined: 1000,
  sampled: false,
  at: '2026-11-15T12:00:00.000Z',
  seconds: 0.4,
  flags: [{ flagId: 'isPayer', ...EFFECT_EXAMPLE }],
  segments: [{ segmentId: 'payer', ...EFFECT_EXAMPLE }],
  offers: [{ offerId: 'winter_sale', ...EFFECT_EXAMPLE }],
  ruleErrors: [{ part: 'segment:whales', before: 0, after: 3 }],
};

export const DryRunLine = Type.Union(
  [
    Type.Object({ progress: Type.Object({ examined: Type.Integer(), total: Type.Integer() }) }),
    Type.Object({ result: Result }),
    Type.Object({ error: Type.Object({ code: Type.String(), message: Type.String() }) }),
  ],
  {
    title: 'DryRunLine',
    description:
      'One of the lines: any number of `progress`, then `result`, or `error` if it failed on the way.',
    examples: [{ progress: { examined: 250_000, total: 1_000_000 } }, { result: RESULT_EXAMPLE }],
  },
);

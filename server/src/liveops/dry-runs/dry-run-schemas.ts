import { Type } from 'typebox';
import { EVALUATED_PARTS, type EvaluatedPart } from '../../decide/decide/evaluated-parts.js';
import { MAX_COMING_INSTANTS } from '../../decide/document/coming-instants.js';
import { ConfigDocument } from '../../decide/document/document.js';
import { nullable, Time } from '../../platform/admin-api/admin-responses.js';
import { REPORTED_SHARE_EXAMPLE, ReportedShare } from '../../studio/money/money-schemas.js';
import { DOCUMENT_EXAMPLE } from '../configs/config-schemas.js';
import { Notes } from '../own-attributes/own-attribute-schemas.js';
import type { DryRunResult } from './dry-run.js';
import type { Effects, PartEffect, PartEffects } from './dry-run-report.js';

/** Request and response of a dry run. */

const asked = {
  version: Type.Optional(
    Type.Integer({ minimum: 0, description: 'A published version, to see what rolling back would change' }),
  ),
  at: Type.Optional(
    Type.String({
      maxLength: 40,
      description:
        'The instant to evaluate for, RFC 3339 with a zone, not in the past; now, if left out. The facts about players are those of now.',
    }),
  ),
  later: Type.Optional(
    Type.Boolean({
      description:
        'Whether to evaluate also for the instants at which something of the two documents begins or ends later. True, if left out, unless `at` is given.',
    }),
  ),
  sample: Type.Optional(
    Type.Integer({
      minimum: 1,
      description:
        'How many players to examine at most. By default all players of a game of up to 2 million, and 500,000 of a larger one.',
    }),
  ),
};

export const DryRunBody = Type.Union(
  [
    Type.Object({ ...asked, document: Type.Optional(ConfigDocument) }, { title: 'DryRunRequest' }),
    Type.Null(),
  ],
  {
    description: 'The document to try: the draft, if neither a document nor a version is given.',
    examples: [{ document: DOCUMENT_EXAMPLE, sample: 100_000 }],
  },
);
/** Checked first. The document is checked later, and has its own error. */
export const DryRunEnvelope = Type.Union([
  Type.Object({ ...asked, document: Type.Optional(Type.Unknown()) }),
  Type.Null(),
  Type.Undefined(),
]);

export const count = (description: string) => Type.Integer({ description });
const Counts = Type.Object(
  {
    before: count('Players of whom it is true under the published document'),
    after: count('Players of whom it would be true'),
    enter: count('Players after, but not before'),
    leave: count('Players before, but not after'),
    stay: count('Both'),
    payers: count('Players after with a purchase that was not refunded'),
  },
  { title: 'DryRunCounts' },
);
const effect = {
  counts: Counts,
  estimate: nullable(Counts),
  revenueShare: Type.Record(Type.String(), Type.Number(), {
    description:
      'By currency: the share of the players after in the spend of all examined players, minus refunds. 0.25 is a quarter.',
  }),
  reportedRevenueShare: ReportedShare,
  examples: Type.Object({
    enter: Type.Array(Type.String(), { description: 'A few userIds' }),
    leave: Type.Array(Type.String()),
  }),
};

function effectsOf({ part: { noun, idMember }, description }: EvaluatedPart) {
  const title = `DryRun${noun.charAt(0).toUpperCase()}${noun.slice(1)}`;
  return Type.Array(
    Type.Object(
      { [idMember]: Type.String(), ...effect },
      description === undefined ? { title } : { title, description },
    ),
  );
}

const ShownPrice = Type.Object({ currency: Type.String(), price: Type.String() }, { title: 'ShownPrice' });

export const EFFECTS = {
  ...Object.fromEntries(EVALUATED_PARTS.map((evaluated) => [evaluated.part.name, effectsOf(evaluated)])),
  prices: Type.Array(
    Type.Object(
      {
        skuId: Type.String(),
        from: nullable(ShownPrice),
        to: nullable(ShownPrice),
        players: count('Examined players whose price changes in this way'),
        estimate: nullable(count('The same for all players, if only a sample was examined')),
      },
      { title: 'DryRunPrice' },
    ),
    {
      description:
        'Prices that some players would see changed, the change of most players first; 200 at most. Null: the SKU is not in the store of these players.',
    },
  ),
  priced: Type.Object(
    {
      players: count('Players who would see another price of a SKU, a new SKU, or a SKU no longer'),
      payLess: count('Those of them for whom some SKU costs less'),
      payMore: count('Those of them for whom some SKU costs more'),
    },
    { title: 'DryRunPriced', description: 'Of all players; an estimate if only a sample was examined' },
  ),
  ruleErrors: Type.Array(
    Type.Object({
      part: Type.String({ description: 'Such as `segment:whales`' }),
      before: count(
        'For how many players the rule fails under the published document: a flag then has its default, segments and offers do not match',
      ),
      after: count('For how many players the rule would fail'),
    }),
  ),
};
const examined = {
  examined: count('How many players were examined'),
  sampled: Type.Boolean({
    description: 'True: `counts` are for the examined players, `estimate` is for all players.',
  }),
};
const names = (description: string) => Type.Array(Type.String(), { description });

const Later = Type.Object(
  {
    at: Time('The instant'),
    begins: names('What begins then, such as `offer:weekend`'),
    ends: names('What ends then'),
    ...examined,
    ...EFFECTS,
  },
  {
    title: 'DryRunLater',
    description:
      'What the new document changes at a later instant, against the published document at the same instant, for the players as they are now. Flags, segments and offers that no player enters or leaves are left out.',
  },
);

const Result = Type.Object(
  {
    players: count('All players of the game'),
    ...examined,
    at: Time('The instant that was evaluated'),
    seconds: Type.Number({ description: 'How long the run took' }),
    ...EFFECTS,
    later: Type.Array(Later, {
      description: `The instants at which something of the two documents begins or ends later, in order; ${MAX_COMING_INSTANTS} at most, those of changed entries first. In a large game, fewer players are examined for them.`,
    }),
    leftOut: nullable(
      Type.Object(
        { instants: count('How many'), firstAt: Time('The first of them') },
        { description: 'Later instants that were not evaluated, because there are too many' },
      ),
    ),
    notes: Notes,
  },
  { title: 'DryRunResult' },
);

const EFFECT_EXAMPLE: PartEffect = {
  counts: { before: 120, after: 150, enter: 40, leave: 10, stay: 110, payers: 30 },
  estimate: null,
  revenueShare: { USD: 0.25 },
  reportedRevenueShare: REPORTED_SHARE_EXAMPLE,
  examples: {
    enter: ['0199c1a2-7b3c-7d4e-8f5a-6b7c8d9e0f1a'],
    leave: ['0199c1a2-7b3c-7d4e-8f5a-6b7c8d9e0f1b'],
  },
};
export const EFFECTS_EXAMPLE: Effects = {
  ...(Object.fromEntries(
    EVALUATED_PARTS.map(({ part, exampleId }): [string, unknown] => [
      part.name,
      [{ [part.idMember]: exampleId, ...EFFECT_EXAMPLE }],
    ]),
  ) as PartEffects),
  prices: [
    {
      skuId: 'gems_80',
      from: { currency: 'USD', price: '4.99' },
      to: { currency: 'USD', price: '2.50' },
      players: 150,
      estimate: null,
    },
  ],
  priced: { players: 150, payLess: 150, payMore: 0 },
  ruleErrors: [{ part: 'segment:whales', before: 0, after: 3 }],
};
const EXAMINED_EXAMPLE = { examined: 1000, sampled: false };
const RESULT_EXAMPLE: DryRunResult = {
  players: 1000,
  ...EXAMINED_EXAMPLE,
  at: '2026-11-15T12:00:00.000Z',
  seconds: 0.4,
  ...EFFECTS_EXAMPLE,
  later: [
    {
      at: '2026-11-21T00:00:00.000Z',
      begins: ['offer:winter_sale'],
      ends: [],
      ...EXAMINED_EXAMPLE,
      ...EFFECTS_EXAMPLE,
    },
  ],
  leftOut: null,
  notes: [],
};

export const DryRunLine = Type.Union(
  [
    Type.Object({ progress: Type.Object({ examined: Type.Integer(), total: Type.Integer() }) }),
    Type.Object({ result: Result }),
    Type.Object({ error: Type.Object({ code: Type.String(), message: Type.String() }) }),
  ],
  {
    title: 'DryRunLine',
    description: 'One of the lines: any number of `progress`, then `result`, or `error` if the run failed.',
    examples: [{ progress: { examined: 250_000, total: 1_000_000 } }, { result: RESULT_EXAMPLE }],
  },
);

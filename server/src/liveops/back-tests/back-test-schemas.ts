import { Type } from 'typebox';
import { EVALUATED_PARTS, type EvaluatedPart } from '../../decide/decide/evaluated-parts.js';
import { ConfigDocument } from '../../decide/document/document.js';
import { nullable } from '../../platform/admin-api/admin-responses.js';
import { DOCUMENT_EXAMPLE } from '../configs/config-schemas.js';
import { count, EFFECTS, EFFECTS_EXAMPLE } from '../dry-runs/dry-run-schemas.js';
import { DEFAULT_DAYS, DEFAULT_SAMPLE, MAX_DAYS, MAX_SAMPLE } from './back-test.js';
import type { BackTestResult } from './back-test-report.js';
import { CANNOT_KNOW } from './cannot-know.js';
import type { Matches, PartMatches } from './match-tally.js';

/** Request and response of a back-test. */

const asked = {
  version: Type.Optional(Type.Integer({ minimum: 0, description: 'A published version' })),
  days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_DAYS,
      default: DEFAULT_DAYS,
      description: 'How many whole days before today (UTC)',
    }),
  ),
  sample: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_SAMPLE,
      default: DEFAULT_SAMPLE,
      description: 'How many of the players who were here since the first day to examine at most',
    }),
  ),
};

export const BackTestBody = Type.Union(
  [
    Type.Object({ ...asked, document: Type.Optional(ConfigDocument) }, { title: 'BackTestRequest' }),
    Type.Null(),
  ],
  {
    description: 'The document to try: the draft, if neither a document nor a version is given.',
    examples: [{ document: DOCUMENT_EXAMPLE, days: 14, sample: 1000 }],
  },
);
/** Checked first. The document is checked later, and has its own error. */
export const BackTestEnvelope = Type.Union([
  Type.Object({ ...asked, document: Type.Optional(Type.Unknown()) }),
  Type.Null(),
  Type.Undefined(),
]);

const sides = (description: string) =>
  Type.Object(
    {
      before: count('Under the versions that were in force'),
      after: count('Under the document'),
    },
    { description },
  );
const matches = {
  players: sides('Examined players of whom it was true on at least one day'),
  playerDays: sides('The same, each player counted on each day'),
};

function matchesOf({ part: { noun, idMember } }: EvaluatedPart) {
  const title = `BackTest${noun.charAt(0).toUpperCase()}${noun.slice(1)}`;
  return Type.Array(Type.Object({ [idMember]: Type.String(), ...matches }, { title }));
}

const Day = Type.Object(
  {
    day: Type.String({ format: 'date' }),
    version: count('The version that was in force when the day began'),
    players: count('Examined players who were here on the day'),
    ...EFFECTS,
  },
  {
    title: 'BackTestDay',
    description:
      'What the document would have changed on the day, as in a dry run. Flags, segments, offers and values that no player enters or leaves are left out.',
  },
);

const Sku = Type.Object(
  {
    skuId: Type.String(),
    currency: Type.String(),
    purchases: count('Purchases that were not refunded'),
    paid: Type.String({ description: 'What was paid for all of them' }),
    same: count('Purchases that would have cost the same under the document'),
    lower: count('Less'),
    higher: count('More'),
    notInStore: count('The SKU would not have been in the store of the player'),
    otherCurrency: count('The store would have named a price in another currency'),
    comparedPaid: Type.String({ description: 'What was paid for `same`, `lower` and `higher`' }),
    comparedPrice: Type.String({ description: 'What the same purchases would have cost' }),
  },
  { title: 'BackTestSku' },
);

const Result = Type.Object(
  {
    players: count(
      'Players who were here since the first day. An estimate, if the game has more than 10,000 players and more than ten times `sample`.',
    ),
    examined: count('How many of them were examined'),
    sampled: Type.Boolean({ description: 'True: not all of them were examined.' }),
    from: Type.String({ format: 'date', description: 'The first day' }),
    to: Type.String({ format: 'date', description: 'The last day' }),
    playerDays: count('Days of examined players on which they were here'),
    seconds: Type.Number({ description: 'How long the run took' }),
    completeSince: nullable(
      Type.String({
        format: 'date',
        description: 'Events before this day are deleted, so what is known of the players lacks them.',
      }),
    ),
    ...Object.fromEntries(EVALUATED_PARTS.map((part) => [part.part.name, matchesOf(part)])),
    days: Type.Array(Day, { description: 'The oldest first' }),
    purchases: Type.Object({
      count: count('Purchases of examined players in these days'),
      notCounted: count(
        'Of them not compared: purchases of further SKUs, beyond the first 5,000 names, and what a player bought after 100 changes of the store on one day',
      ),
      skus: Type.Array(Sku, { description: 'The most purchases first; 200 at most' }),
    }),
    cannotKnow: Type.Object(
      {
        matches: Type.String(),
        prices: Type.String(),
        purchases: Type.String(),
      },
      { description: 'What the numbers do not say' },
    ),
  },
  { title: 'BackTestResult' },
);

const MATCHES_EXAMPLE: Matches = {
  players: { before: 120, after: 150 },
  playerDays: { before: 410, after: 520 },
};
const RESULT_EXAMPLE: BackTestResult = {
  players: 4000,
  examined: 1000,
  sampled: true,
  from: '2026-11-01',
  to: '2026-11-14',
  playerDays: 5120,
  seconds: 31.4,
  completeSince: null,
  ...(Object.fromEntries(
    EVALUATED_PARTS.map(({ part, exampleId }): [string, unknown] => [
      part.name,
      [{ [part.idMember]: exampleId, ...MATCHES_EXAMPLE }],
    ]),
  ) as PartMatches),
  days: [{ day: '2026-11-01', version: 7, players: 360, ...EFFECTS_EXAMPLE }],
  purchases: {
    count: 42,
    notCounted: 0,
    skus: [
      {
        skuId: 'gems_80',
        currency: 'USD',
        purchases: 42,
        paid: '209.58',
        same: 30,
        lower: 12,
        higher: 0,
        notInStore: 0,
        otherCurrency: 0,
        comparedPaid: '209.58',
        comparedPrice: '179.64',
      },
    ],
  },
  cannotKnow: CANNOT_KNOW,
};

export const BackTestLine = Type.Union(
  [
    Type.Object({ progress: Type.Object({ examined: Type.Integer(), total: Type.Integer() }) }),
    Type.Object({ result: Result }),
    Type.Object({ error: Type.Object({ code: Type.String(), message: Type.String() }) }),
  ],
  {
    title: 'BackTestLine',
    description: 'One of the lines: any number of `progress`, then `result`, or `error` if the run failed.',
    examples: [{ progress: { examined: 400, total: 1000 } }, { result: RESULT_EXAMPLE }],
  },
);

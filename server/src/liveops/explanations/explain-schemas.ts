import { type Static, Type } from 'typebox';
import { ConfigDocument } from '../../decide/document/document.js';
import { nullable, successOf, Time } from '../../platform/admin-api/admin-responses.js';
import { MAX_INTEGER } from '../../platform/lib/max-integer.js';
import { ExplainedPredictions, PREDICTIONS_EXAMPLE } from './explained-prediction-schemas.js';
import { FactsJson } from './facts-json.js';
import { DecisionTrace } from './trace-schemas.js';

/** Request and response of an explanation. */

const members = {
  playerId: Type.Optional(
    Type.String({ maxLength: 64, description: '`userId` of the login response. This, or `hypothetical`.' }),
  ),
  at: Type.Optional(
    Type.String({
      maxLength: 40,
      description:
        'RFC 3339 with a zone; now, if left out. For the past, the facts are rebuilt from the stored events. For the future, the facts are those of now.',
    }),
  ),
  version: Type.Optional(
    Type.Union([Type.Integer({ minimum: 0, maximum: MAX_INTEGER }), Type.Literal('draft')], {
      description: 'A published version, or the draft; the version in force at that time, if left out.',
    }),
  ),
};

/** Checked first. The hypothetical player and the document are checked later, and have their own messages. */
export const ExplainEnvelope = Type.Object({
  ...members,
  hypothetical: Type.Optional(Type.Unknown()),
  document: Type.Optional(Type.Unknown()),
});
export type ExplainEnvelope = Static<typeof ExplainEnvelope>;

export const ExplainBody = Type.Object(
  {
    ...members,
    hypothetical: Type.Optional(FactsJson),
    document: Type.Optional(ConfigDocument),
  },
  {
    title: 'ExplainRequest',
    description:
      'A player or a hypothetical one; under a version, or under a document as if it were published at that time.',
    examples: [
      { playerId: '0199c1a2-7b3c-7d4e-8f5a-6b7c8d9e0f1a', at: '2026-11-15T12:00:00Z' },
      { hypothetical: { profile: { country: 'DE' }, spend: { USD: 120 } }, version: 'draft' },
    ],
  },
);

const sentences = Type.Array(Type.String());

const Explanation = Type.Object(
  {
    at: Time('The instant that is explained'),
    version: Type.Union([Type.Integer(), Type.Literal('draft')], {
      description: '`draft` also for a document in the request',
    }),
    publishedAt: nullable(Time('When the version was published')),
    source: Type.String({ description: 'current row, stored events or hypothetical' }),
    completeSince: nullable(Time('Earlier events are deleted, so the facts lack them')),
    facts: FactsJson,
    decision: Type.Object({
      flags: Type.Record(
        Type.String(),
        Type.Object({
          value: Type.Boolean(),
          defaultValue: Type.Boolean(),
          expiredAt: nullable(Time('When the flag has its default again')),
        }),
      ),
      segments: Type.Array(
        Type.Object({
          segmentId: Type.String(),
          name: Type.String(),
          version: Type.Integer(),
          visibleToClients: Type.Boolean(),
        }),
        { description: 'Including segments that are not visible to clients' },
      ),
      heldOut: Type.Boolean({
        description: 'True: the player gets the untargeted store, whichever offers apply',
      }),
      store: Type.Unknown({ description: 'What GET /v1/player/store_configs returns' }),
      storeText: Type.String({ description: 'The same store, byte by byte' }),
      storeEtag: Type.String(),
      values: Type.Record(Type.String(), Type.Unknown(), {
        description: 'By key, including values for servers only',
      }),
      validUntil: nullable(Time('When the decision next changes with time alone')),
    }),
    predictions: ExplainedPredictions,
    trace: DecisionTrace,
    because: Type.Object(
      {
        flags: sentences,
        segments: sentences,
        offers: sentences,
        skus: sentences,
        values: sentences,
        experiments: sentences,
        predictions: sentences,
      },
      { description: 'The reasons in sentences' },
    ),
    problems: Type.Array(Type.Object({ part: Type.String(), message: Type.String() }), {
      description: 'Rules that failed, and parts of the document that cannot be used',
    }),
  },
  { title: 'Explanation' },
);

const RULE = { expression: 'flags.isPayer', result: true, error: null, values: { 'flags["isPayer"]': true } };
const STORE_TEXT =
  '{"activeSkus":[],"userSpecificPromoId":null,"fallbackConfig":null,"lastUpdatedTimestamp":1794744000000}';

export const ExplainResponse = successOf('ExplainResponse', Explanation, {
  description: 'What was decided for the player, rule by rule, with the values that the rules read.',
  example: {
    at: '2026-11-15T12:00:00.000Z',
    version: 7,
    publishedAt: '2026-11-01T09:00:00.000Z',
    source: 'stored events',
    completeSince: null,
    facts: {
      playerId: '0199c1a2-7b3c-7d4e-8f5a-6b7c8d9e0f1a',
      createdAt: '2026-11-01T09:30:00.000Z',
      purchaseCount: 1,
      lastPurchaseAt: '2026-11-14T20:15:00.000Z',
      spend: { USD: 4.99 },
    },
    decision: {
      flags: { isPayer: { value: true, defaultValue: false, expiredAt: null } },
      segments: [{ segmentId: 'payer', name: 'Payer', version: 1, visibleToClients: true }],
      heldOut: false,
      store: JSON.parse(STORE_TEXT),
      storeText: STORE_TEXT,
      storeEtag: '"p5uUSfpQ9SOMTu5Rpa4Xbw"',
      values: {},
      validUntil: null,
    },
    predictions: PREDICTIONS_EXAMPLE,
    trace: {
      flags: [{ flagId: 'isPayer', value: true, because: 'purchase', schedule: null, rule: null }],
      segments: [{ segmentId: 'payer', member: true, rule: RULE, stay: null, nearMiss: null }],
      offers: [],
      skus: [],
      values: [],
      experiments: [],
    },
    because: {
      flags: ['Flag isPayer is true: the last purchase was at 2026-11-14T20:15:00.000Z.'],
      segments: ['In segment payer: flags.isPayer is true (flags["isPayer"] = true).'],
      offers: [],
      skus: [],
      values: [],
      experiments: [],
      predictions: [PREDICTIONS_EXAMPLE.predictions.churn.sentence],
    },
    problems: [],
  },
});

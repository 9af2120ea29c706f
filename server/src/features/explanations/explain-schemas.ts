import { type Static, Type } from 'typebox';
import { nullable, successOf, Time } from '../../admin/admin-responses.js';
import { MAX_INTEGER } from '../../lib/max-integer.js';
import { ConfigDocument } from '../../personalisation/document/document.js';
import { ExplainedPredictions, PREDICTIONS_EXAMPLE } from './explained-prediction-schemas.js';
import { FactsJson } from './facts-json.js';
import { NearMiss } from './near-miss-schema.js';

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

const RuleTrace = Type.Object(
  {
    expression: Type.String(),
    result: Type.Boolean(),
    error: nullable(
      Type.String({
        description: 'Why the rule failed: a flag then has its default, segments and offers do not match',
      }),
    ),
    values: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean()]), {
      description: 'The values that the rule read',
    }),
  },
  { title: 'RuleTrace' },
);
const id = Type.String();
const price = nullable(Type.String({ description: 'With the decimals of the currency' }));
const sentences = Type.Array(Type.String());

const Trace = Type.Object(
  {
    flags: Type.Array(
      Type.Object({
        flagId: id,
        value: Type.Boolean(),
        because: Type.String({ description: 'override, purchase, purchase_expired, rule or default' }),
        rule: nullable(RuleTrace),
      }),
    ),
    segments: Type.Array(
      Type.Object({
        segmentId: id,
        member: Type.Boolean(),
        rule: RuleTrace,
        stay: nullable(
          Type.Object(
            {
              enteredAt: Time('When the player entered'),
              value: Type.Number({ description: 'The prediction with which the player entered' }),
            },
            {
              title: 'SegmentStay',
              description:
                'Set for a player who was already in a segment with two thresholds: `rule` then decides who stays, otherwise who enters',
            },
          ),
        ),
        nearMiss: nullable(NearMiss),
      }),
    ),
    offers: Type.Array(
      Type.Object({
        offerId: id,
        outcome: Type.String({
          description:
            'applies, held_out, not_for_children, outside_share, limit_reached, not_started, closed, ended or rule_false',
        }),
        sharePercent: Type.Number(),
        place: nullable(
          Type.Number({
            description:
              'The bucket of the player in percent, from 0 to 100. A bucket below the share is inside.',
          }),
        ),
        purchases: nullable(
          Type.Integer({ description: 'Purchases with the promotion; null if the offer has no limit' }),
        ),
        schedule: nullable(
          Type.Object(
            {
              zone: Type.String(),
              isOpen: Type.Boolean(),
              since: nullable(Type.String()),
              until: nullable(Type.String()),
            },
            { description: 'Whether a window of its schedule is open, since when and until when that is so' },
          ),
        ),
        rule: nullable(RuleTrace),
      }),
    ),
    skus: Type.Array(
      Type.Object({
        skuId: id,
        isShown: Type.Boolean(),
        absent: nullable(Type.String({ description: 'inactive, not_started or ended' })),
        hidden: Type.Boolean({ description: 'True: not in the untargeted store' }),
        locale: nullable(Type.String()),
        currency: nullable(Type.String()),
        actualPrice: price,
        cataloguePrice: price,
        offerPrice: price,
        priceBasis: nullable(
          Type.String({
            description:
              'What the price follows from: list, scheduled (time, country, platform) or personal (anything else about the player)',
          }),
        ),
        priceNotice: nullable(Type.String({ description: 'Sent with a personal price, by country' })),
        promoId: nullable(
          Type.String({ description: 'The promotion that a purchase of the SKU belongs to' }),
        ),
        steps: Type.Array(
          Type.Object({
            offerId: id,
            applied: Type.Boolean({ description: 'False: an earlier offer has won the SKU' }),
            visibility: nullable(Type.String({ description: 'show or hide' })),
            promoId: nullable(Type.String({ description: 'The promotion of the offer' })),
            wantedPrice: price,
            rails: Type.Array(Type.String({ description: 'floor_price, largest_discount or actual_price' })),
            price: Type.String({ description: 'After this step' }),
          }),
          { description: 'The offers that apply and change this SKU, in order' },
        ),
      }),
    ),
    values: Type.Array(
      Type.Object({
        key: id,
        value: Type.Unknown(),
        because: Type.String({ description: 'pin, rule or default' }),
        place: nullable(
          Type.Number({
            description: 'The bucket of the player in percent, if a rule has a share below 100',
          }),
        ),
        pin: nullable(
          Type.Object(
            {
              author: Type.String(),
              reason: Type.String(),
              setAt: Time('When it was pinned'),
              until: nullable(Time('When it ends of itself')),
              problem: nullable(
                Type.String({ description: 'Why it is ignored: the type of the value has changed since' }),
              ),
            },
            { title: 'PinTrace', description: 'What the studio has pinned for the player' },
          ),
        ),
        rules: Type.Array(
          Type.Object({
            sharePercent: Type.Number(),
            outcome: Type.String({ description: 'applies, outside_share or rule_false' }),
            rule: nullable(RuleTrace),
          }),
          { description: 'The rules that were tried, in order: the first that applies decides' },
        ),
      }),
    ),
    experiments: Type.Array(
      Type.Object({
        experimentId: id,
        seed: Type.String(),
        variantId: Type.String({ description: 'Empty: the player is not in it' }),
        because: Type.String({
          description:
            'stored (by the first exposure), bucket, winner, planned, stopped, child, outside_slot, not_covered or rule_false',
        }),
        place: nullable(Type.Number({ description: 'The bucket of the player in percent' })),
        exposedAt: nullable(Time('When a response depended on the arm for the first time')),
        rule: nullable(RuleTrace),
      }),
      { description: 'Every experiment of the document' },
    ),
  },
  { title: 'DecisionTrace' },
);

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
          segmentId: id,
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
    trace: Trace,
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
      flags: [{ flagId: 'isPayer', value: true, because: 'purchase', rule: null }],
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

import { Type } from 'typebox';
import { nullable, Time } from '../../platform/admin-api/admin-responses.js';
import { NearMiss } from './near-miss-schema.js';

/** Why something was decided as it was: the part of an explanation that programs read. */

const RuleTrace = Type.Object(
  {
    expression: Type.String(),
    result: Type.Boolean(),
    error: nullable(
      Type.String({
        description: 'Why the rule failed: a flag then has its default, segments and offers do not match',
      }),
    ),
    values: Type.Record(
      Type.String(),
      Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]),
      { description: 'The values that the rule read; null: not worked out for the player yet' },
    ),
  },
  { title: 'RuleTrace' },
);
const ScheduleTrace = Type.Object(
  {
    zone: Type.String(),
    isOpen: Type.Boolean(),
    since: nullable(Type.String()),
    until: nullable(Type.String()),
  },
  {
    title: 'ScheduleTrace',
    description: 'Whether a window of its schedule is open, since when and until when that is so',
  },
);
const id = Type.String();
const price = nullable(Type.String({ description: 'With the decimals of the currency' }));

const PinTrace = Type.Object(
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
);

/** The reasons of a decision, as the code that decides has noted them. */
export const DecisionTrace = Type.Object(
  {
    flags: Type.Array(
      Type.Object({
        flagId: id,
        value: Type.Boolean(),
        because: Type.String({
          description: 'override, purchase, purchase_expired, rule, closed (its schedule is) or default',
        }),
        schedule: nullable(ScheduleTrace),
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
            'applies, held_out, held_out_of_offer, not_for_children, outside_share, limit_reached, not_started, closed, ended or rule_false',
        }),
        sharePercent: Type.Number(),
        place: nullable(
          Type.Number({
            description:
              'The bucket of the player in percent, from 0 to 100. A bucket below the share is inside.',
          }),
        ),
        holdout: Type.Optional(
          Type.Object(
            { percent: Type.Number(), place: Type.Number() },
            {
              description:
                'Of an offer with a hold-out that would apply to the player. The place is a bucket in percent: below `percent` the player is held out of the offer.',
            },
          ),
        ),
        purchases: nullable(
          Type.Integer({ description: 'Purchases with the promotion; null if the offer has no limit' }),
        ),
        schedule: nullable(ScheduleTrace),
        rule: nullable(RuleTrace),
      }),
    ),
    skus: Type.Array(
      Type.Object({
        skuId: id,
        isShown: Type.Boolean(),
        absent: nullable(Type.String({ description: 'inactive, not_started, closed or ended' })),
        schedule: nullable(ScheduleTrace),
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
        lowestPrice30d: price,
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
        pin: nullable(PinTrace),
        rules: Type.Array(
          Type.Object({
            sharePercent: Type.Number(),
            outcome: Type.String({ description: 'applies, outside_share, closed or rule_false' }),
            schedule: nullable(ScheduleTrace),
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
            'pin, stored (by the first exposure), bucket, winner, planned, stopped, child, outside_slot, not_covered or rule_false',
        }),
        place: nullable(Type.Number({ description: 'The bucket of the player in percent' })),
        exposedAt: nullable(Time('When a response depended on the arm for the first time')),
        pin: nullable(PinTrace),
        rule: nullable(RuleTrace),
      }),
      { description: 'Every experiment of the document' },
    ),
  },
  { title: 'DecisionTrace' },
);

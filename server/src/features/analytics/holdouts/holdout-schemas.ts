import { Type } from 'typebox';
import { nullable, successOf, Time } from '../../../admin/admin-responses.js';
import { FEWEST } from './comparison.js';

/** Documentation of the comparison of players who are held out with the others. */

const Interval = (description: string) =>
  nullable(Type.Object({ low: Type.Number(), high: Type.Number() }, { description }));

const Group = Type.Object(
  {
    players: Type.Integer({ description: 'Players with at least one event in the span' }),
    payers: Type.Integer({
      description: 'Those with at least one purchase in the span that was not refunded',
    }),
    conversion: nullable(Type.Number({ description: 'payers divided by players' })),
    conversionInterval: Interval('95%: Wilson’s score interval'),
    revenuePerPlayer: Type.Record(Type.String(), Type.Number(), {
      description: 'By currency: what they spent in the span divided by players, to four decimals',
    }),
  },
  { title: 'HoldoutGroup' },
);

const Difference = Type.Object(
  {
    difference: Type.Number({ description: 'targeted less heldOut' }),
    interval: Interval('95%; null if there are too few'),
    state: Type.Union(
      [
        Type.Literal('higher'),
        Type.Literal('lower'),
        Type.Literal('no_difference_seen'),
        Type.Literal('too_few'),
      ],
      {
        description: `Whether the interval lies above zero, below, or around it. too_few: fewer than ${FEWEST.players} players in a group or, for revenue, fewer than ${FEWEST.payers} payers in that currency`,
      },
    ),
  },
  { title: 'HoldoutDifference' },
);

const Comparison = Type.Object(
  {
    from: Type.String({ format: 'date' }),
    to: Type.String({ format: 'date' }),
    holdoutPercent: Type.Number(),
    summedAt: Time('When the players were read'),
    heldOut: Group,
    targeted: Group,
    conversion: Difference,
    revenuePerPlayer: Type.Record(Type.String(), Difference, {
      description: 'By currency; intervals by Welch’s t, with players who bought nothing as zeros',
    }),
    reported: nullable(
      Type.Object(
        {
          currency: Type.String({ description: 'The reporting currency of the studio' }),
          ratesVersion: Type.Integer({ description: 'The exchange rates when the players were read' }),
          heldOut: nullable(Type.Number({ description: 'Revenue of all currencies per player' })),
          targeted: nullable(Type.Number()),
          difference: Difference,
          missing: Type.Array(Type.String(), {
            description: 'Currencies that are not in it on some days, because no rate held on them',
          }),
        },
        {
          title: 'ReportedHoldout',
          description:
            'Revenue per player in the reporting currency; null if the studio had none when the players were read',
        },
      ),
    ),
  },
  { title: 'HoldoutComparison' },
);

export const HoldoutResponse = successOf(
  'HoldoutResponse',
  Type.Object({
    state: Type.Union([Type.Literal('off'), Type.Literal('collecting'), Type.Literal('compared')], {
      description:
        'off: the published store holds no players out. collecting: no whole day has been compared since the share was published',
    }),
    holdoutPercent: Type.Number({ description: 'Of the published store' }),
    comparison: nullable(Comparison),
  }),
  {
    description:
      'What targeting changes: players who get targeted stores against those who are held out, on the 28 UTC days before today, or since the share was changed. Compared once a day. The interval of the difference of conversions is Newcombe’s hybrid score interval.',
    example: {
      state: 'compared',
      holdoutPercent: 5,
      comparison: {
        from: '2026-10-18',
        to: '2026-11-14',
        holdoutPercent: 5,
        summedAt: '2026-11-15T00:20:00.000Z',
        heldOut: {
          players: 1980,
          payers: 61,
          conversion: 0.0308,
          conversionInterval: { low: 0.0241, high: 0.0394 },
          revenuePerPlayer: { USD: 0.2411 },
        },
        targeted: {
          players: 37_811,
          payers: 1404,
          conversion: 0.0371,
          conversionInterval: { low: 0.0353, high: 0.0391 },
          revenuePerPlayer: { USD: 0.3382 },
        },
        conversion: {
          difference: 0.0063,
          interval: { low: -0.0024, high: 0.0133 },
          state: 'no_difference_seen',
        },
        revenuePerPlayer: {
          USD: { difference: 0.0971, interval: { low: 0.0102, high: 0.184 }, state: 'higher' },
        },
        reported: {
          currency: 'USD',
          ratesVersion: 4,
          heldOut: 0.2411,
          targeted: 0.3382,
          difference: { difference: 0.0971, interval: { low: 0.0102, high: 0.184 }, state: 'higher' },
          missing: [],
        },
      },
    },
  },
);

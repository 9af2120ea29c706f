import { Type } from 'typebox';
import { nullable, successOf, Time } from '../../platform/admin-api/admin-responses.js';
import { FEWEST } from './comparison.js';

/** Documentation of the comparison of players who are held out with the others. */

const Interval = (description: string) =>
  nullable(Type.Object({ low: Type.Number(), high: Type.Number() }, { description }));

const Group = Type.Object(
  {
    players: Type.Integer({
      description:
        'Players who were known to the game by the end of `to`, whether they played since `from` or not: an offer may bring players back, so who played does not decide who counts',
    }),
    payers: Type.Integer({
      description: 'Those with at least one purchase in that time that was not refunded',
    }),
    conversion: nullable(Type.Number({ description: 'payers divided by players' })),
    conversionInterval: Interval('95% at all looks together; null if there are too few players or payers'),
    revenuePerPlayer: Type.Record(Type.String(), Type.Number(), {
      description:
        'By currency: what they spent in that time divided by players, to four decimals, not capped',
    }),
  },
  { title: 'HoldoutGroup' },
);

const Difference = Type.Object(
  {
    difference: Type.Number({ description: 'targeted less heldOut; of revenue, with large values capped' }),
    interval: Interval(
      '95% at all looks together: it may be looked at every day (asymptotic confidence sequence). null if there is no verdict',
    ),
    state: Type.Union(
      [
        Type.Literal('higher'),
        Type.Literal('lower'),
        Type.Literal('no_difference_seen'),
        Type.Literal('too_few'),
        Type.Literal('sample_ratio_mismatch'),
      ],
      {
        description: `Whether the interval lies above zero, below, or around it (not proven). too_few: fewer than ${FEWEST.players} players or ${FEWEST.payers} payers (of that currency) in a group. sample_ratio_mismatch: see sampleRatio`,
      },
    ),
    capped: nullable(
      Type.Object(
        { players: Type.Integer(), at: Type.Number() },
        {
          description:
            'So many players spent more than `at`, the 99th percentile of the payers of both groups together, and count as `at`; null if no value is capped',
        },
      ),
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
    sampleRatio: Type.Object(
      { p: Type.Number(), isMismatch: Type.Boolean() },
      {
        description:
          'Whether the groups have as many players as the share says, at all looks together, and the p-value of one look (chi-squared). At a mismatch the groups differ by more than targeting, for instance because events of one of them get lost, and no verdict is given',
      },
    ),
    conversion: Difference,
    revenuePerPlayer: Type.Record(Type.String(), Difference, {
      description: 'By currency, with players who bought nothing as zeros',
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

const EXAMPLE_REVENUE = {
  ...{ difference: 0.0971, interval: { low: 0.0102, high: 0.184 }, state: 'higher' as const },
  capped: { players: 14, at: 83.0117 },
};

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
      'What targeting changes: players who get targeted stores against those who are held out, since the share was published, on whole UTC days. Compared once a day. The intervals hold at all looks together, so a verdict on any day is right in 95% of games.',
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
          conversionInterval: { low: 0.0166, high: 0.045 },
          revenuePerPlayer: { USD: 0.2411 },
        },
        targeted: {
          players: 37_811,
          payers: 1404,
          conversion: 0.0371,
          conversionInterval: { low: 0.0341, high: 0.0402 },
          revenuePerPlayer: { USD: 0.3382 },
        },
        sampleRatio: { p: 0.8209, isMismatch: false },
        conversion: {
          difference: 0.0063,
          interval: { low: -0.0063, high: 0.0189 },
          state: 'no_difference_seen',
          capped: null,
        },
        revenuePerPlayer: { USD: EXAMPLE_REVENUE },
        reported: {
          currency: 'USD',
          ratesVersion: 4,
          heldOut: 0.2411,
          targeted: 0.3382,
          difference: EXAMPLE_REVENUE,
          missing: [],
        },
      },
    },
  },
);

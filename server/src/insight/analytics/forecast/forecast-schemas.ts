import { Type } from 'typebox';
import { nullable, successOf } from '../../../platform/admin-api/admin-responses.js';
import { MISSING } from '../../../studio/money/money-schemas.js';

/** Documentation of the forecast of revenue. */

const Interval = {
  expected: Type.Number({
    minimum: 0,
    description: 'The level of the last weeks times the factor of the weekday',
  }),
  low: Type.Number({ minimum: 0, description: 'The lower end of the interval' }),
  high: Type.Number({ minimum: 0, description: 'The upper end of the interval' }),
};
const Day = Type.String({ format: 'date', description: 'In UTC' });
const count = (description: string) => Type.Integer({ minimum: 0, description });

const EXAMPLE_DAY = { expected: 210.5, low: 161.2, high: 268.1 };

export const ForecastResponse = successOf(
  'ForecastResponse',
  Type.Object({
    currency: nullable(Type.String({ description: 'Null if the game had no revenue in the last year' })),
    currencies: Type.Array(Type.String(), {
      description: 'With revenue in the last year, those with the most days of revenue first',
    }),
    reportingCurrency: nullable(Type.String({ description: 'Of the studio; null if it has none' })),
    isReported: Type.Boolean({
      description:
        'True: all payments in the reporting currency, each with the rate of its day. False: payments in `currency` only',
    }),
    missing: MISSING,
    state: Type.Union([Type.Literal('forecast'), Type.Literal('too_little_data')], {
      description: 'too_little_data: there are no numbers, because they would be guesses',
    }),
    daysKnown: count('Days from the first one with revenue to yesterday, 365 at most'),
    daysNeeded: count('As many are needed for a forecast'),
    revenueDaysKnown: nullable(
      count('Of the last 56 days: how many had revenue. Null if there is a forecast'),
    ),
    revenueDaysNeeded: count('As many of the last 56 days must have revenue'),
    nominalCoverage: Type.Number({ description: 'The share of days that should lie within the interval' }),
    pastIntervals: count(
      'Intervals that the method would have given in the past 13 weeks, each from what was known then. 0 while that is too early',
    ),
    pastCovered: count('How many of them the revenue of their day lay within'),
    history: Type.Array(Type.Object({ day: Day, revenue: Type.Number() }), {
      description: 'The last 56 days that are over, oldest first',
    }),
    days: Type.Array(Type.Object({ day: Day, ...Interval }), {
      description: '28 days from today on; empty without a forecast',
    }),
    total: nullable(
      Type.Object(Interval, {
        description:
          'Of the 28 days together. Null until 111 days are known: totals of 28 days need more past forecasts than days do',
      }),
    ),
  }),
  {
    description:
      'Expected: the mean revenue of the last eight weeks, in which a week ago counts half, times the factor of the weekday. The interval goes from the 10th to the 90th percentile of what the same method was off by in the past, at the same number of weeks ahead. It knows nothing of coming offers, updates or holidays.',
    example: {
      currency: 'USD',
      currencies: ['USD', 'EUR'],
      reportingCurrency: 'USD',
      isReported: true,
      missing: {},
      state: 'forecast',
      daysKnown: 180,
      daysNeeded: 84,
      revenueDaysKnown: null,
      revenueDaysNeeded: 28,
      nominalCoverage: 0.8,
      pastIntervals: 322,
      pastCovered: 259,
      history: [{ day: '2026-11-14', revenue: 198.3 }],
      days: [{ day: '2026-11-15', ...EXAMPLE_DAY }],
      total: { expected: 5894, low: 5103.2, high: 6710.4 },
    },
  },
);

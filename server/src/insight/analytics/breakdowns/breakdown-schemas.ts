import { Type } from 'typebox';
import { nullable, successOf, Time } from '../../../platform/admin-api/admin-responses.js';
import { Money, ReportedRevenue } from '../../../studio/money/money-schemas.js';
import { SummingSchema } from './days-behind.js';

/** Documentation of the numbers by country, platform, build, SKU and promotion. */

const count = (description: string) => Type.Integer({ minimum: 0, description });

export const DimensionParameter = Type.Union(
  [
    Type.Literal('country'),
    Type.Literal('platform'),
    Type.Literal('build'),
    Type.Literal('sku'),
    Type.Literal('promotion'),
  ],
  {
    description:
      'By default country. country, platform (osName) and build (clientBuild) are the last values that the metadata of a player’s events reported by the end of each day; sku and promotion are those of the purchases',
  },
);

const Retained = Type.Object(
  {
    newPlayers: count('New players of the days whose day after is over and summed'),
    active: count('How many of them had an event on exactly that day'),
  },
  { title: 'RetainedPlayers' },
);

const BreakdownValue = Type.Object(
  {
    kind: Type.Union([Type.Literal('value'), Type.Literal('unknown'), Type.Literal('other')], {
      description:
        'unknown: no value was reported, or no promotion was used. other: all values that were not among the 50 largest of their day',
    }),
    value: nullable(Type.String({ description: 'Null unless kind is value' })),
    activePlayerDays: nullable(
      count('Active players of each day, added up: who was active on three days counts three times'),
    ),
    newPlayers: nullable(
      count('Players whose first login or first event, whichever is earlier, was on one of the days'),
    ),
    payingPlayerDays: count(
      'Payers of each day, added up. Under other, who bought several SKUs counts for each',
    ),
    dailyConversion: nullable(
      Type.Number({
        description:
          'The conversion of an average day: payingPlayerDays divided by activePlayerDays; by those of all players for sku and promotion',
      }),
    ),
    purchases: count('Purchases that were not refunded'),
    revenue: Money('Prices of the purchases, refunds taken off'),
    revenuePerActivePlayer: Money('revenue divided by what dailyConversion is divided by, to four decimals'),
    revenuePerPayingPlayer: Money(
      'revenue divided by payingPlayerDays, to four decimals; empty where players paid in several currencies',
    ),
    reported: ReportedRevenue,
    retention: nullable(
      Type.Object(
        { '1': Retained, '7': Retained, '28': Retained, '30': Retained },
        {
          description:
            'How many of the new players had an event on exactly the 1st, 7th, 28th and 30th day after',
        },
      ),
    ),
  },
  {
    title: 'BreakdownValue',
    description: 'Members that are unknown for purchases are null for sku and promotion.',
  },
);

const NOBODY = { newPlayers: 0, active: 0 };

export const BreakdownResponse = successOf(
  'BreakdownResponse',
  Type.Object({
    by: DimensionParameter,
    from: Type.String({ format: 'date' }),
    to: Type.String({ format: 'date' }),
    daysSummed: count('How many days of the span have been summed; the others do not count'),
    summedAt: nullable(Time('When the newest of them was')),
    summing: SummingSchema,
    activePlayerDays: count('Of all players of the game on these days'),
    values: Type.Array(BreakdownValue, {
      description: 'The 50 largest, and all others as one; largest first, other last',
    }),
  }),
  {
    description:
      'Summed by maintenance: the present day every few minutes, a past day again when something changes. A player counts under the country, platform and build of the day itself, and in retention under those of the first day.',
    example: {
      by: 'country',
      from: '2026-11-15',
      to: '2026-11-15',
      daysSummed: 1,
      summedAt: '2026-11-15T12:00:00.000Z',
      summing: null,
      activePlayerDays: 1204,
      values: [
        {
          kind: 'value',
          value: 'DE',
          activePlayerDays: 410,
          newPlayers: 31,
          payingPlayerDays: 12,
          dailyConversion: 0.0293,
          purchases: 13,
          revenue: { EUR: '84.87' },
          revenuePerActivePlayer: { EUR: '0.207' },
          revenuePerPayingPlayer: { EUR: '7.0725' },
          reported: {
            currency: 'USD',
            revenue: '91.6596',
            revenuePerActivePlayer: '0.2236',
            revenuePerPayingPlayer: '7.6383',
            missing: {},
          },
          retention: { '1': NOBODY, '7': NOBODY, '28': NOBODY, '30': NOBODY },
        },
      ],
    },
  },
);

import { Type } from 'typebox';
import { nullable, PersonEmail, successOf, Time } from '../../platform/admin-api/admin-responses.js';
import {
  Money,
  REPORTED_AMOUNT_EXAMPLE,
  REPORTED_EXAMPLE,
  ReportedAmount,
  ReportedRevenue,
} from '../../studio/money/money-schemas.js';

/** Documentation of the numbers of a game. The descriptions are the definitions that the console shows. */

const count = (description: string) => Type.Integer({ minimum: 0, description });

const RevenuePart = (description: string) =>
  Type.Object({ amounts: Money(description), reported: ReportedAmount }, { description });

const DashboardDay = Type.Object(
  {
    day: Type.String({ format: 'date', description: 'In UTC' }),
    activePlayers: count('Players with at least one event on this UTC day'),
    weeklyActivePlayers: nullable(
      count(
        'Players with at least one event on the 7 UTC days that end with this one, each counted once; summed every few minutes, null before and while this day alone has more',
      ),
    ),
    monthlyActivePlayers: nullable(count('The same of the 30 UTC days that end with this one')),
    newPlayers: count('Players whose first login or first event, whichever is earlier, was on this UTC day'),
    payingPlayers: count('Players with at least one purchase on this UTC day that was not refunded'),
    weeklyPayingPlayers: nullable(
      count(
        'Players with at least one such purchase on the 7 UTC days that end with this one, each counted once',
      ),
    ),
    monthlyPayingPlayers: nullable(count('The same of the 30 UTC days that end with this one')),
    conversion: nullable(
      Type.Number({
        description: 'Of this UTC day: payingPlayers divided by activePlayers; null if nobody was active',
      }),
    ),
    weeklyConversion: nullable(
      Type.Number({ description: 'Of the 7 days: weeklyPayingPlayers divided by weeklyActivePlayers' }),
    ),
    monthlyConversion: nullable(
      Type.Number({ description: 'Of the 30 days: monthlyPayingPlayers divided by monthlyActivePlayers' }),
    ),
    sessions: count('Session_Start events'),
    events: count('All events'),
    adImpressions: count('Ad_Impression events'),
    storeViews: count('Store_View events'),
    playMs: count('Time played that Session_End events tell of, in milliseconds'),
    purchases: count('Purchases that were not refunded; each transactionId of a player once'),
    revenue: Money('Prices of the purchases, refunds taken off'),
    revenuePerActivePlayer: Money('revenue divided by activePlayers, rounded to four decimals'),
    revenuePerPayingPlayer: Money(
      'revenue divided by payingPlayers, rounded to four decimals; empty where players paid in several currencies, because payers are not counted by currency',
    ),
    reported: ReportedRevenue,
    revenueByProof: Type.Object(
      {
        verified: RevenuePart('What a store or a server of the studio has proved'),
        unverified: RevenuePart('What only clients claim'),
        refunded: RevenuePart('What was given back of purchases of this day; it is not in revenue'),
      },
      { title: 'RevenueByProof', description: 'The first two together are revenue.' },
    ),
  },
  {
    title: 'DashboardDay',
    description:
      'An event counts on the day of its own time, or of its receipt where its clock is not believed.',
  },
);

const Cohort = Type.Object(
  {
    day: Type.String({
      format: 'date',
      description: 'The UTC day of the first login or the first event, whichever is earlier',
    }),
    players: count('Players who started on this day'),
    retention: Type.Record(Type.String(), nullable(Type.Integer()), {
      description:
        'Of these players: how many had an event on exactly the 1st, 7th, 28th and 30th UTC day after; null until that day is over',
    }),
    active: Type.Array(Type.Integer(), {
      description:
        'Of these players: how many had an event on the day itself, on the next day, and so on to the end of the span',
    }),
  },
  { title: 'RetentionCohort' },
);

const DAY_EXAMPLE = {
  day: '2026-11-15',
  activePlayers: 1204,
  weeklyActivePlayers: 3310,
  monthlyActivePlayers: 7925,
  newPlayers: 88,
  payingPlayers: 31,
  weeklyPayingPlayers: 118,
  monthlyPayingPlayers: 402,
  conversion: 0.0257,
  weeklyConversion: 0.0356,
  monthlyConversion: 0.0507,
  sessions: 2410,
  events: 48_211,
  adImpressions: 9120,
  storeViews: 1822,
  playMs: 86_400_000,
  purchases: 34,
  revenue: { USD: '210.66' },
  revenuePerActivePlayer: { USD: '0.175' },
  revenuePerPayingPlayer: { USD: '6.7955' },
  reported: REPORTED_EXAMPLE,
  revenueByProof: {
    verified: { amounts: { USD: '200.68' }, reported: { currency: 'USD', amount: '200.68', missing: {} } },
    unverified: { amounts: { USD: '9.98' }, reported: REPORTED_AMOUNT_EXAMPLE },
    refunded: { amounts: {}, reported: { currency: 'USD', amount: '0', missing: {} } },
  },
};

export const DashboardResponse = successOf(
  'DashboardResponse',
  Type.Object({
    from: Type.String({ format: 'date' }),
    to: Type.String({ format: 'date' }),
    today: DashboardDay,
    days: Type.Array(DashboardDay, { description: 'Every day of the span, oldest first' }),
    cohorts: Type.Array(Cohort, { description: 'Every day of the span, oldest first' }),
    versions: Type.Array(
      Type.Object(
        {
          version: Type.Integer(),
          publishedAt: Time('When it was published'),
          author: Type.String(),
          authorEmail: PersonEmail,
          note: Type.String(),
          copyOf: nullable(Type.Integer({ description: 'The older version that it repeats' })),
        },
        { title: 'PublishedVersion' },
      ),
      { description: 'Published within the span, newest first, 200 at most' },
    ),
    builds: Type.Array(
      Type.Object({ build: Type.String(), firstDay: Type.String({ format: 'date' }) }, { title: 'NewBuild' }),
      {
        description:
          'Client builds that players were first active with within the span, by day; the 12 with most players',
      },
    ),
  }),
  {
    description:
      'From roll-ups, which hold what has been applied to the moment; weekly and monthly players from sums of the last minutes.',
    example: {
      from: '2026-11-15',
      to: '2026-11-15',
      today: DAY_EXAMPLE,
      days: [DAY_EXAMPLE],
      cohorts: [
        {
          day: '2026-11-15',
          players: 88,
          retention: { '1': null, '7': null, '28': null, '30': null },
          active: [88],
        },
      ],
      versions: [
        {
          version: 7,
          publishedAt: '2026-11-15T12:00:00.000Z',
          author: 'Ana',
          authorEmail: 'ana@studio.example',
          note: 'Weekend sale',
          copyOf: null,
        },
      ],
      builds: [{ build: '1.43', firstDay: '2026-11-15' }],
    },
  },
);

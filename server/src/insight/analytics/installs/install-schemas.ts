import { Type } from 'typebox';
import { nullable, successOf, Time } from '../../../platform/admin-api/admin-responses.js';
import { MISSING } from '../../../studio/money/money-schemas.js';
import { SummingSchema } from '../breakdowns/days-behind.js';
import { MAX_AGE_DAYS } from './install-cohorts.js';

/** Documentation of revenue per install. */

const count = (description: string) => Type.Integer({ minimum: 0, description });

export const ByParameter = Type.Union(
  [Type.Literal('cohort'), Type.Literal('country'), Type.Literal('source')],
  {
    description:
      'By default cohort: a curve for each week or month. country and source: a curve for each value, over all cohorts of the span. country is that of the first day; source is metadata.source of the earliest event of the player that has one',
  },
);
export const PeriodParameter = Type.Union([Type.Literal('week'), Type.Literal('month')], {
  description:
    'By default week, which begins on Monday. The weeks or months that the span touches are taken as a whole',
});

const InstallCurve = Type.Object(
  {
    cohort: nullable(
      Type.String({
        format: 'date',
        description: 'The first day of the week or month; null by country and source',
      }),
    ),
    kind: Type.Union(
      [Type.Literal('all'), Type.Literal('value'), Type.Literal('unknown'), Type.Literal('other')],
      {
        description:
          'all: by cohort. unknown: nothing was reported. other: all values that are not among the 12 largest',
      },
    ),
    value: nullable(Type.String({ description: 'Null unless kind is value' })),
    players: count('Players who started (first login or first event, whichever is earlier)'),
    playersAt: Type.Array(Type.Integer(), {
      description:
        'By days since the start, from 0 on: how many of the players are in the point. A week or month is in a point once all of its players have completed that day',
    }),
    revenue: Type.Record(Type.String(), Type.Array(Type.String()), {
      description:
        'What these players have paid up to that day after their start, refunds taken off; exact decimals by currency',
    }),
    revenuePerInstall: Type.Record(Type.String(), Type.Array(Type.Number()), {
      description: 'revenue divided by playersAt, rounded to four decimals',
    }),
    reported: nullable(
      Type.Object(
        {
          currency: Type.String({ description: 'The reporting currency of the studio' }),
          revenue: Type.Array(Type.String(), {
            description: 'By days since the start: each payment with the rate that holds on its day',
          }),
          revenuePerInstall: Type.Array(Type.Number(), {
            description: 'revenue divided by playersAt, rounded to four decimals',
          }),
          missing: MISSING,
        },
        {
          title: 'ReportedCurve',
          description:
            'In the reporting currency; null if the studio has none. After a rate for a new day was added, the curves follow with the next sum, a few minutes later.',
        },
      ),
    ),
  },
  { title: 'InstallCurve' },
);

export const RevenuePerInstallResponse = successOf(
  'RevenuePerInstallResponse',
  Type.Object({
    by: ByParameter,
    period: PeriodParameter,
    from: Type.String({ format: 'date' }),
    to: Type.String({ format: 'date' }),
    summedAt: nullable(Time('When the curves were summed; null before the first time')),
    summing: SummingSchema,
    throughDay: nullable(Type.String({ format: 'date', description: 'The last day that counts' })),
    curves: Type.Array(InstallCurve, { description: 'By cohort the oldest first, else the largest first' }),
  }),
  {
    description: `Revenue per install (lifetime value) up to ${MAX_AGE_DAYS} days after the start, of players who started in about the last year. Summed by maintenance every few minutes, from days that are over.`,
    example: {
      by: 'cohort' as const,
      period: 'week' as const,
      from: '2026-10-19',
      to: '2026-11-15',
      summedAt: '2026-11-15T12:00:00.000Z',
      summing: null,
      throughDay: '2026-11-14',
      curves: [
        {
          cohort: '2026-11-02',
          kind: 'all' as const,
          value: null,
          players: 410,
          playersAt: [410, 410, 410, 410, 410, 410, 410],
          revenue: { USD: ['12.97', '20.96', '31.93', '31.93', '48.9', '53.89', '60.87'] },
          revenuePerInstall: { USD: [0.0316, 0.0511, 0.0779, 0.0779, 0.1193, 0.1314, 0.1485] },
          reported: {
            currency: 'USD',
            revenue: ['12.97', '20.96', '31.93', '31.93', '48.9', '53.89', '60.87'],
            revenuePerInstall: [0.0316, 0.0511, 0.0779, 0.0779, 0.1193, 0.1314, 0.1485],
            missing: {},
          },
        },
      ],
    },
  },
);

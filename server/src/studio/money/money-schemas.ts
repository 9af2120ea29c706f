import { Type } from 'typebox';
import { nullable } from '../../platform/admin-api/admin-responses.js';

/** Documentation of figures of money. */

export const Money = (description: string) =>
  Type.Record(Type.String(), Type.String(), { description: `${description}; exact decimals by currency` });

export const MISSING = Type.Record(Type.String(), Type.String(), {
  description:
    'What is not in the figures, as decimals by currency: no rate of these currencies holds on the days of the payments',
});

/** Revenue in the reporting currency of the studio. */
export const ReportedRevenue = nullable(
  Type.Object(
    {
      currency: Type.String({ description: 'The reporting currency of the studio' }),
      revenue: Type.String({
        description: 'An exact decimal: each payment with the rate that holds on its day',
      }),
      revenuePerActivePlayer: nullable(Type.String({ description: 'To four decimals' })),
      revenuePerPayingPlayer: nullable(
        Type.String({ description: 'revenue divided by all payers, to four decimals' }),
      ),
      missing: MISSING,
    },
    {
      title: 'ReportedRevenue',
      description: 'In the reporting currency; null if the studio has none (see getRates).',
    },
  ),
);

export const REPORTED_EXAMPLE = {
  currency: 'USD',
  revenue: '210.66',
  revenuePerActivePlayer: '0.175',
  revenuePerPayingPlayer: '6.7955',
  missing: {},
};

/** One amount in the reporting currency. */
export const ReportedAmount = nullable(
  Type.Object(
    {
      currency: Type.String({ description: 'The reporting currency of the studio' }),
      amount: Type.String({
        description: 'An exact decimal: each payment with the rate that holds on its day',
      }),
      missing: MISSING,
    },
    {
      title: 'ReportedAmount',
      description: 'In the reporting currency; null if the studio has none (see getRates).',
    },
  ),
);

export const REPORTED_AMOUNT_EXAMPLE = { currency: 'USD', amount: '9.98', missing: {} };

/** The share of some players in the spend of all examined players, in the reporting currency. */
export const ReportedShare = nullable(
  Type.Object(
    {
      currency: Type.String({ description: 'The reporting currency of the studio' }),
      share: Type.Number({ description: '0.25 is a quarter' }),
      missing: Type.Array(Type.String(), {
        description: 'Currencies of payments that are not in it: no rate held on their days',
      }),
    },
    {
      title: 'ReportedShare',
      description:
        'revenueShare of all money in the reporting currency: each payment with the rate of its day. Null without a reporting currency, and if nobody has spent anything.',
    },
  ),
);

export const REPORTED_SHARE_EXAMPLE = { currency: 'USD', share: 0.25, missing: [] };

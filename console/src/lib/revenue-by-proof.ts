import type { Schemas } from '../api/client.js';
import type { Amounts, ReportedFigure } from './money.js';

type Day = Pick<Schemas['DashboardDay'], 'revenueByProof'>;
export type RevenuePart = keyof Day['revenueByProof'];
export type PartTotal = Readonly<{ paid: Amounts; reported: ReportedFigure | null }>;

/** One part of the revenue of some days, by currency and in the reporting currency. */
export function totalOf(days: readonly Day[], part: RevenuePart): PartTotal {
  const parts = days.map(({ revenueByProof }) => revenueByProof[part]);
  const reported = parts.flatMap((one) => one.reported ?? []);
  const currency = reported[0]?.currency;
  return {
    paid: addUp(parts.map(({ amounts }) => amounts)),
    reported:
      currency === undefined
        ? null
        : {
            currency,
            amount: String(reported.reduce((sum, { amount }) => sum + Number(amount), 0)),
            missing: addUp(reported.map(({ missing }) => missing)),
          },
  };
}

function addUp(all: readonly Readonly<Record<string, string>>[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [currency, amount] of all.flatMap((amounts) => Object.entries(amounts)))
    sums[currency] = (sums[currency] ?? 0) + Number(amount);
  return sums;
}

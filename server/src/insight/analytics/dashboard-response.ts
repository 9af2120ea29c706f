import { csvRow, numberCell } from '../../platform/lib/csv-writer.js';
import { type Amounts, type RateTable, reportAmounts } from '../../studio/money/exchange-rates.js';
import { perActivePlayer, perPayer, reportRevenue, shareOf } from '../../studio/money/ratios.js';
import { RevenueColumns } from '../../studio/money/revenue-columns.js';
import type { Cohort, DashboardDay } from './dashboard.js';

/** A day as the admin API tells it: with what follows from its numbers, without the types of its events. */
export function dayResponse(
  { eventsByType: _types, verifiedRevenue, unverifiedRevenue, refundedRevenue, ...day }: DashboardDay,
  rates: RateTable | null,
) {
  const divisors = divisorsOf(day);
  const partOf = (amounts: Amounts) => ({
    amounts,
    reported: reportAmounts(rates, [{ day: day.day, amounts }]),
  });
  return {
    ...day,
    conversion: shareOf(day.payingPlayers, day.activePlayers),
    weeklyConversion: conversionOf(day.weeklyPayingPlayers, day.weeklyActivePlayers),
    monthlyConversion: conversionOf(day.monthlyPayingPlayers, day.monthlyActivePlayers),
    revenuePerActivePlayer: perActivePlayer(day.revenue, divisors),
    revenuePerPayingPlayer: perPayer(day.revenue, divisors),
    reported: reportRevenue(rates, [{ day: day.day, amounts: day.revenue }], divisors),
    revenueByProof: {
      verified: partOf(verifiedRevenue),
      unverified: partOf(unverifiedRevenue),
      refunded: partOf(refundedRevenue),
    },
  };
}

function divisorsOf({ activePlayers, payingPlayers }: Pick<DashboardDay, 'activePlayers' | 'payingPlayers'>) {
  return { active: activePlayers, paying: payingPlayers };
}

/** Null until both have been summed. */
function conversionOf(paying: number | null, active: number | null): number | null {
  return paying === null || active === null ? null : shareOf(paying, active);
}

export function cohortResponse({ d1, d7, d28, d30, ...cohort }: Cohort) {
  return { ...cohort, retention: { '1': d1, '7': d7, '28': d28, '30': d30 } };
}

const COUNTS = [
  'activePlayers',
  'weeklyActivePlayers',
  'monthlyActivePlayers',
  'newPlayers',
  'payingPlayers',
  'weeklyPayingPlayers',
  'monthlyPayingPlayers',
  'conversion',
  'weeklyConversion',
  'monthlyConversion',
  'sessions',
  'events',
  'adImpressions',
  'storeViews',
  'playMs',
  'purchases',
] as const;

/** A row for each day, with columns for each currency. */
export function daysToCsv(days: readonly DashboardDay[], rates: RateTable | null): string {
  const responses = days.map((day) => dayResponse(day, rates));
  const money = new RevenueColumns(responses);
  const proofs = proofColumnsOf(responses);
  const rows = responses.map((day) =>
    csvRow([
      day.day,
      ...COUNTS.map((name) => numberCell(day[name])),
      ...money.cells(day, divisorsOf(day)),
      ...proofs.map(({ proof, currency }) => day.revenueByProof[proof].amounts[currency] ?? '0'),
    ]),
  );
  const proofNames = proofs.map(({ proof, currency }) => `${proof}Revenue:${currency}`);
  return [csvRow(['day', ...COUNTS, ...money.names, ...proofNames]), ...rows].join('');
}

const PROOFS = ['verified', 'unverified', 'refunded'] as const;

/** A refund may be in a currency in which nobody paid in the span. */
function proofColumnsOf(days: readonly ReturnType<typeof dayResponse>[]) {
  return PROOFS.flatMap((proof) => {
    const currencies = new Set(
      days.flatMap(({ revenueByProof }) => Object.keys(revenueByProof[proof].amounts)),
    );
    return [...currencies].sort().map((currency) => ({ proof, currency }));
  });
}

const RETENTION = ['d1', 'd7', 'd28', 'd30'] as const;

/** A row for each cohort; `day0` is the day on which the players started. A day that is not over, or not in the span, is empty. */
export function cohortsToCsv(cohorts: readonly Cohort[]): string {
  const width = cohorts.reduce((widest, { active }) => Math.max(widest, active.length), 0);
  const offsets = Array.from({ length: width }, (_, offset) => offset);
  const rows = cohorts.map((cohort) =>
    csvRow([
      cohort.day,
      numberCell(cohort.players),
      ...RETENTION.map((name) => numberCell(cohort[name])),
      ...offsets.map((offset) => numberCell(cohort.active[offset] ?? null)),
    ]),
  );
  const names = csvRow(['day', 'players', ...RETENTION, ...offsets.map((offset) => `day${offset}`)]);
  return [names, ...rows].join('');
}

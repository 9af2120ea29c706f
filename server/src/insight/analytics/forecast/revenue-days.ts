import { type Pool, query } from '../../../platform/db/pool.js';
import { DAY_MS, utcDay } from '../../../platform/lib/day.js';
import { type Amounts, type RateTable, reportAmounts } from '../../../studio/money/exchange-rates.js';
import { MAX_DAYS } from './forecast.js';

/** Revenue of a UTC day in one currency. An exact decimal as text. */
export type RevenueDay = { day: string; currency: string; revenue: string };

/** The days with revenue in the year before today. Today is left out: it is not over. */
export function listRevenueDays(pool: Pool, gameId: number, nowMs: number): Promise<RevenueDay[]> {
  const from = utcDay(nowMs - MAX_DAYS * DAY_MS);
  return query<RevenueDay>(pool, REVENUE_DAYS, [gameId, from, utcDay(nowMs)]);
}

/** The currencies of the days, those with the most days first. */
export function currenciesOf(days: readonly RevenueDay[]): string[] {
  const counts = new Map<string, number>();
  for (const { currency } of days) counts.set(currency, (counts.get(currency) ?? 0) + 1);
  return [...counts.keys()].sort((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0) || (a < b ? -1 : 1));
}

/** What a forecast is made of: each day from the first one with revenue to yesterday. */
export type RevenueSeries = Readonly<{
  series: readonly { day: string; revenue: number }[];
  /** What is not in it, by currency, because no rate held on the day. */
  missing: Amounts;
}>;

/** Payments in one currency only, as they were made. */
export function seriesOf(days: readonly RevenueDay[], currency: string, nowMs: number): RevenueSeries {
  const paid = days.filter((day) => day.currency === currency);
  const amounts = new Map(paid.map(({ day, revenue }) => [day, Number(revenue)]));
  return { series: everyDay(amounts, nowMs), missing: {} };
}

/** All payments in the reporting currency, each with the rate of its day. */
export function reportedSeriesOf(
  days: readonly RevenueDay[],
  rates: RateTable,
  nowMs: number,
): RevenueSeries {
  const byDay = new Map<string, Record<string, string>>();
  for (const { day, currency, revenue } of days) {
    byDay.set(day, { ...byDay.get(day), [currency]: revenue });
  }
  const dated = [...byDay].map(([day, amounts]) => ({ day, amounts }));
  const converted = dated.map((paid) => [paid.day, Number(reportAmounts(rates, [paid]).amount)] as const);
  return {
    series: everyDay(new Map(converted.filter(([, revenue]) => revenue !== 0)), nowMs),
    missing: reportAmounts(rates, dated).missing,
  };
}

function everyDay(amounts: ReadonlyMap<string, number>, nowMs: number): { day: string; revenue: number }[] {
  const [first] = [...amounts.keys()].sort();
  if (first === undefined) return [];
  const series: { day: string; revenue: number }[] = [];
  for (let ms = Date.parse(first); utcDay(ms) < utcDay(nowMs); ms += DAY_MS) {
    series.push({ day: utcDay(ms), revenue: amounts.get(utcDay(ms)) ?? 0 });
  }
  return series;
}

const REVENUE_DAYS = {
  name: 'list_revenue_days',
  text: `
    select day::text, r.key as currency, trim_scale(sum(r.value::numeric))::text as revenue
    from game_days cross join lateral jsonb_each_text(revenue) r
    where game_id = $1 and day >= $2::date and day < $3::date
    group by 1, 2
    having sum(r.value::numeric) <> 0
    order by 1, 2`,
};

import { type Pool, query } from '../../../db/pool.js';
import { DAY_MS, utcDay } from '../../../lib/day.js';
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

/** Each day from the first one with revenue in the currency to yesterday. */
export function seriesOf(
  days: readonly RevenueDay[],
  currency: string,
  nowMs: number,
): { day: string; revenue: number }[] {
  const amounts = new Map(
    days.flatMap((day) => (day.currency === currency ? [[day.day, Number(day.revenue)] as const] : [])),
  );
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

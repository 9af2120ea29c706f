/**
 * SQL: the day that stands for `day` when money is converted. It is the last day of `changeDays` (a parameter, sorted) that is not
 * after `day`, or null if there is none. Revenue that is grouped by it can be converted later, because no rate changes in between.
 */
export function dayOfRates(day: string, changeDays: string): string {
  return `(${changeDays}::date[])[width_bucket(${day}, ${changeDays}::date[])]`;
}

/**
 * SQL: a row with `dated`, the revenue of the days `d` of one player (DatedAmounts[]); null if there is none. `days` says which
 * days, by the index of `player_days`.
 */
export function datedRevenue(days: string, changeDays: string): string {
  return DATED_REVENUE.replace('DAYS', days).replace('SINCE', dayOfRates('d.day', changeDays));
}

const DATED_REVENUE = `
       select jsonb_agg(jsonb_build_object('day', c.day, 'amounts', c.amounts)) as dated
       from (
         select a.day, jsonb_object_agg(a.currency, a.amount::text) as amounts
         from (
           select SINCE as day, r.key as currency, sum(r.value::numeric) as amount
           from player_days d cross join lateral jsonb_each_text(d.revenue) r
           where DAYS
           group by 1, 2
           offset 0
         ) a
         group by a.day
       ) c`;

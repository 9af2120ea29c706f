import { type Pool, query } from '../../../platform/db/pool.js';
import type { DaySpan } from '../../../studio/admin-api/day-span.js';
import type { DatedAmounts } from '../../../studio/money/exchange-rates.js';
import { dayOfRates } from '../../../studio/money/rate-days.js';
import { type Dimension, SHOWN_VALUES } from './dimensions.js';

/** One value that clients reported, no value, or all values that are not among the largest. */
export type ValueKind = 'value' | 'unknown' | 'other';

type Numbers = {
  kind: ValueKind;
  /** Empty unless the kind is `value`. */
  value: string;
  newPlayers: number;
  purchases: number;
  /** Exact decimals as text. */
  revenue: Record<string, string>;
};

export type BreakdownDay = Numbers & {
  day: string;
  activePlayers: number;
  payingPlayers: number;
  /** Of the new players: how many were active on the 1st, 7th, 28th and 30th day after. Null until that day is over and summed. */
  d1: number | null;
  d7: number | null;
  d28: number | null;
  d30: number | null;
};

/** Of all days of a span. A player counts on each day of activity, or of payment. */
export type BreakdownTotal = Numbers & {
  activePlayerDays: number;
  payingPlayerDays: number;
  /** Of players whose 1st, 7th, 28th and 30th day is over and summed: how many there are, and how many were active then. */
  retention: Record<'1' | '7' | '28' | '30', { newPlayers: number; active: number }>;
  /** The revenue once more, apart for the days on which the same exchange rates hold. */
  dated: DatedAmounts[];
};

export type SummedDays = {
  /** How many days of the span have been summed. */
  days: number;
  /** When the newest of them was. */
  summedAt: number | null;
  /** Of the game. */
  activePlayerDays: number;
};

/** A game's days by one dimension: at most 51 rows each. */
export function listBreakdownDays(
  pool: Pool,
  gameId: number,
  dimension: Dimension,
  { from, to }: DaySpan,
): Promise<BreakdownDay[]> {
  return query<BreakdownDay>(pool, BREAKDOWN_DAYS, [gameId, dimension, from, to]);
}

/** The days of a span as one: at most 52 rows. `changeDays`: when exchange rates change. */
export function listBreakdownTotals(
  pool: Pool,
  gameId: number,
  dimension: Dimension,
  { from, to }: DaySpan,
  changeDays: readonly string[] = [],
): Promise<BreakdownTotal[]> {
  return query<BreakdownTotal>(pool, BREAKDOWN_TOTALS, [gameId, dimension, from, to, changeDays]);
}

export async function findSummedDays(pool: Pool, gameId: number, { from, to }: DaySpan): Promise<SummedDays> {
  const [row] = await query<SummedDays>(pool, SUMMED_DAYS, [gameId, from, to]);
  return row ?? { days: 0, summedAt: null, activePlayerDays: 0 };
}

/** A client build, and the first day on which it was among the largest of the game. */
export type NewBuild = { build: string; firstDay: string };

/** The builds that came up within a span. Those of the very first day are not new: nobody knows how old they are. */
export function listNewBuilds(pool: Pool, gameId: number, { from, to }: DaySpan): Promise<NewBuild[]> {
  return query<NewBuild>(pool, NEW_BUILDS, [gameId, from, to]);
}

const KIND = `case when is_remainder then 'other' when value = '' then 'unknown' else 'value' end`;
const MONEY = `(select coalesce(jsonb_object_agg(key, amount), '{}') from jsonb_each_text(revenue) r(key, amount))`;

/** The rows of the days that have been summed, and the day on which that was. */
const STORED = `
      select b.*, (d.summed_at at time zone 'UTC')::date as summed_on
      from game_breakdowns b
      join lateral (
        select summed_at from game_breakdown_days d where d.game_id = b.game_id and d.day = b.day offset 0
      ) d on true
      where b.game_id = $1 and b.dimension = $2 and b.day between $3::date and $4::date`;

const IS_OVER = 'day + DAYS < summed_on';
const retained = (days: number) =>
  `case when ${IS_OVER.replace('DAYS', String(days))} then d${days}::float8 end as d${days}`;
const RETAINED = [1, 7, 28, 30].map(retained).join(', ');

const BREAKDOWN_DAYS = {
  name: 'list_breakdown_days',
  text: `
    select day::text, ${KIND} as kind, value, active_players::float8 as "activePlayers", new_players::float8 as "newPlayers",
      paying_players::float8 as "payingPlayers", purchases::float8 as purchases, ${MONEY} as revenue,
      ${RETAINED}
    from (${STORED}
    ) b
    order by b.day, active_players desc, purchases desc, is_remainder, value`,
};

const sumOver = (name: string, days: number) =>
  `coalesce(sum(${name}) filter (where ${IS_OVER.replace('DAYS', String(days))}), 0)`;
const RETAINED_SUMS = [1, 7, 28, 30]
  .flatMap((days) => [
    `${sumOver('new_players', days)} as new${days}`,
    `${sumOver(`d${days}`, days)} as d${days}`,
  ])
  .join(', ');
const RETENTION = [1, 7, 28, 30]
  .map((days) => `'${days}', jsonb_build_object('newPlayers', sum(new${days}), 'active', sum(d${days}))`)
  .join(', ');

const RATES_DAY = dayOfRates('day', '$5');

const BREAKDOWN_TOTALS = {
  name: 'list_breakdown_totals',
  text: `
    with stored as materialized (${STORED}
    ), placed as (
      select v.*, is_remainder or place > ${SHOWN_VALUES} as is_small
      from (
        select v.*, row_number() over (order by is_remainder, active desc, purchases desc, new desc, value) as place
        from (
          select is_remainder, value, sum(active_players) as active, sum(new_players) as new, sum(paying_players) as paying,
            sum(purchases) as purchases, jsonb_total(revenue) as revenue, ${RETAINED_SUMS}
          from stored
          group by is_remainder, value
        ) v
      ) v
    ), shown as (
      select is_small as is_remainder, case when is_small then '' else value end as value,
        sum(active) as active, sum(new) as new, sum(paying) as paying, sum(purchases) as purchases, jsonb_total(revenue) as revenue,
        jsonb_build_object(${RETENTION}) as retention
      from placed
      group by 1, 2
    ), by_rates as (
      select p.is_small as is_remainder, case when p.is_small then '' else value end as value,
        ${RATES_DAY} as day, jsonb_total(s.revenue) as revenue
      from stored s join placed p using (is_remainder, value)
      where s.revenue <> '{}'
      group by 1, 2, 3
    ), dated as (
      select is_remainder, value, jsonb_agg(jsonb_build_object('day', day, 'amounts', ${MONEY}) order by day) as dated
      from by_rates
      group by 1, 2
    )
    select ${KIND} as kind, value, active::float8 as "activePlayerDays", new::float8 as "newPlayers",
      paying::float8 as "payingPlayerDays", purchases::float8 as purchases, ${MONEY} as revenue, retention,
      coalesce(dated, '[]') as dated
    from shown left join dated using (is_remainder, value)
    order by is_remainder, active desc, purchases desc, value`,
};

/** Clients choose the names of builds: only those that most players had are shown. */
const MAX_BUILDS = 12;
/** A build that was not seen for so long counts as new. */
const LOOK_BACK_DAYS = 90;

const NEW_BUILDS = {
  name: 'list_new_builds',
  text: `
    select build, first_day::text as "firstDay"
    from (
      select value as build, min(day) as first_day, sum(active_players) as player_days
      from game_breakdowns
      where game_id = $1 and dimension = 'build' and day between $2::date - ${LOOK_BACK_DAYS} and $3::date
        and not is_remainder and value <> '' and active_players > 0
      group by value
      having min(day) >= $2::date and min(day) > (select min(day) from game_breakdown_days where game_id = $1)
      order by player_days desc, value
      limit ${MAX_BUILDS}
    ) b
    order by first_day, build`,
};

const SUMMED_DAYS = {
  name: 'find_summed_days',
  text: `
    select count(*)::int as days, max(summed_at) as "summedAt",
      coalesce(sum((totals ->> 'active')::numeric), 0)::float8 as "activePlayerDays"
    from game_breakdown_days
    where game_id = $1 and day between $2::date and $3::date`,
};

import { type Pool, query } from '../../platform/db/pool.js';
import { DAY_MS } from '../../platform/lib/day.js';

/** A UTC day of a game. Days are texts such as `2026-11-15`. */
export type DashboardDay = {
  day: string;
  activePlayers: number;
  /** Active on at least one of the 7, or 30, days that end with this one; null while that has not been summed. */
  weeklyActivePlayers: number | null;
  monthlyActivePlayers: number | null;
  newPlayers: number;
  payingPlayers: number;
  /** Who paid on at least one of the 7, or 30, days that end with this one; null while that has not been summed. */
  weeklyPayingPlayers: number | null;
  monthlyPayingPlayers: number | null;
  sessions: number;
  events: number;
  eventsByType: Record<string, number>;
  adImpressions: number;
  storeViews: number;
  playMs: number;
  purchases: number;
  /** Exact decimals as text, refunds taken off, no zeros: `{"USD":"14.97"}`. */
  revenue: Record<string, string>;
  /** The parts of revenue that were proved and that only clients claim; what was given back of this day's purchases. */
  verifiedRevenue: Record<string, string>;
  unverifiedRevenue: Record<string, string>;
  refundedRevenue: Record<string, string>;
};

/** The players who started on one day (first login or first event), and how many of them were active later on. */
export type Cohort = {
  day: string;
  players: number;
  /** Active on exactly the 1st, 7th, 28th, 30th day after; null until that day is over: half a day looks like a loss. */
  d1: number | null;
  d7: number | null;
  d28: number | null;
  d30: number | null;
  /** The triangle: active on the day of creation, on the next, and so on to the end of the span. */
  active: number[];
};

export type Dashboard = { days: DashboardDay[]; cohorts: Cohort[] };

/**
 * Every day of a span, both ends included. Reads roll-ups only, so it takes the same few milliseconds whatever number of
 * events is behind them.
 */
export async function gameDashboard(
  pool: Pool,
  gameId: number,
  fromDay: string,
  toDay: string,
  nowMs: number,
): Promise<Dashboard> {
  const [days, cells] = await Promise.all([
    listGameDays(pool, gameId, fromDay, toDay),
    query<CohortCell>(pool, GAME_COHORTS, [gameId, fromDay, toDay]),
  ]);
  const today = new Date(nowMs).toISOString().slice(0, 10);
  const active = new Map(cells.map(({ cohort, offset, players }) => [`${cohort}+${offset}`, players]));
  const cohorts = days.map(({ day, newPlayers }) => cohortOf(day, newPlayers, toDay, today, active));
  return { days, cohorts };
}

/** Every day of a span, without its cohorts. */
export function listGameDays(
  pool: Pool,
  gameId: number,
  fromDay: string,
  toDay: string,
): Promise<DashboardDay[]> {
  return query<DashboardDay>(pool, GAME_DAYS, [gameId, fromDay, toDay]);
}

function cohortOf(
  day: string,
  players: number,
  toDay: string,
  today: string,
  active: ReadonlyMap<string, number>,
): Cohort {
  const at = (offset: number) => active.get(`${day}+${offset}`) ?? 0;
  const atEndOf = (offset: number) => (daysBetween(day, today) > offset ? at(offset) : null);
  const width = Math.max(0, daysBetween(day, earlier(toDay, today)) + 1);
  return {
    day,
    players,
    d1: atEndOf(1),
    d7: atEndOf(7),
    d28: atEndOf(28),
    d30: atEndOf(30),
    active: Array.from({ length: width }, (_, offset) => at(offset)),
  };
}

function daysBetween(day: string, later: string): number {
  return Math.round((Date.parse(later) - Date.parse(day)) / DAY_MS);
}

function earlier(a: string, b: string): string {
  return a < b ? a : b;
}

// The rows of a day are its shards. Weekly players were summed some minutes ago: where more have come on this day alone since then,
// as in the first minutes of a game, the sum is known to be too small. Of the types the most frequent are shown: a client may have invented any number.
const GAME_DAYS = {
  name: 'game_dashboard_days',
  text: `
    with shards as materialized (
      select * from game_days where game_id = $1 and day between $2::date and $3::date
    ), totals as (
      select day, sum(active_players) as active, sum(new_players) as new, sum(paying_players) as paying,
        sum(sessions) as sessions, sum(events) as events, sum(ad_impressions) as ads, sum(store_views) as views,
        sum(play_ms) as play_ms, sum(purchases) as purchases
      from shards
      group by day
    ), types as (
      select day, event_type, sum(events)::float8 as n,
        row_number() over (partition by day order by sum(events) desc, event_type) as place
      from game_event_types
      where game_id = $1 and day between $2::date and $3::date
      group by day, event_type
    ), by_type as (
      select day, jsonb_object_agg(event_type, n) as counts from types where place <= 256 group by day
    ), currencies as (
      select day, part, key, sum(amount) as total
      from shards
      cross join lateral (
        select 'all' as part, key, value::numeric as amount from jsonb_each_text(revenue)
        union all
        select p.part, key, p.sign * value::numeric
        from jsonb_each_text(verified_revenue) cross join (values ('verified', 1), ('unverified', -1)) p(part, sign)
        union all
        select 'unverified', key, value::numeric from jsonb_each_text(revenue)
        union all
        select 'refunded', key, value::numeric from jsonb_each_text(refunded_revenue)
      ) a
      group by day, part, key
    ), by_currency as (
      select day, jsonb_object_agg(part, amounts) as revenue
      from (
        select day, part, jsonb_object_agg(key, trim_scale(total)::text) as amounts
        from currencies where total <> 0 group by day, part
      ) p
      group by day
    )
    select d::date::text as day,
      coalesce(t.active, 0)::float8 as "activePlayers",
      a.weekly::float8 as "weeklyActivePlayers",
      a.monthly::float8 as "monthlyActivePlayers",
      a.weekly_payers::float8 as "weeklyPayingPlayers",
      a.monthly_payers::float8 as "monthlyPayingPlayers",
      coalesce(t.new, 0)::float8 as "newPlayers",
      coalesce(t.paying, 0)::float8 as "payingPlayers",
      coalesce(t.sessions, 0)::float8 as sessions,
      coalesce(t.events, 0)::float8 as events,
      coalesce(y.counts, '{}') as "eventsByType",
      coalesce(t.ads, 0)::float8 as "adImpressions",
      coalesce(t.views, 0)::float8 as "storeViews",
      coalesce(t.play_ms, 0)::float8 as "playMs",
      coalesce(t.purchases, 0)::float8 as purchases,
      coalesce(c.revenue -> 'all', '{}') as revenue,
      coalesce(c.revenue -> 'verified', '{}') as "verifiedRevenue",
      coalesce(c.revenue -> 'unverified', '{}') as "unverifiedRevenue",
      coalesce(c.revenue -> 'refunded', '{}') as "refundedRevenue"
    from generate_series($2::timestamp, $3::timestamp, interval '1 day') d
    left join totals t on t.day = d::date
    left join lateral (
      select weekly, monthly, weekly_payers, monthly_payers from game_active_players a
      where a.game_id = $1 and a.day = d::date and a.weekly >= coalesce(t.active, 0)
      offset 0
    ) a on true
    left join by_type y on y.day = d::date
    left join by_currency c on c.day = d::date
    order by d`,
};

type CohortCell = { cohort: string; offset: number; players: number };

// Beyond the span only the days that have a name are needed.
const GAME_COHORTS = {
  name: 'game_dashboard_cohorts',
  text: `
    select cohort_day::text as cohort, active_day - cohort_day as offset, sum(players)::float8 as players
    from game_cohorts
    where game_id = $1 and cohort_day between $2::date and $3::date
      and (active_day <= $3::date or active_day - cohort_day in (1, 7, 28, 30))
    group by cohort_day, active_day`,
};

import type { DedicatedConnection } from '../../../platform/db/dedicated-connection.js';
import { dayOfRates } from '../../../studio/money/rate-days.js';
import { SHOWN_VALUES, SUMMED_VALUES } from '../breakdowns/dimensions.js';
import type { Run } from '../breakdowns/run-queries.js';
import { MAX_AGE_DAYS, PERIODS, SUMMED_START_DAYS } from './install-cohorts.js';

/**
 * Statements about revenue per install, which a run over the players of a game sums together with the breakdowns. Every run sums all
 * cohorts anew: a refund or a late event may change any of them. Days before the day of the run count, because they are over.
 */

export async function deleteInstallSums(connection: DedicatedConnection, gameId: number): Promise<void> {
  await connection.query('delete from install_cohort_sums where game_id = $1', [gameId]);
  await connection.query('delete from install_revenue_sums where game_id = $1', [gameId]);
}

/** Adds the next players to the sums: those after the last one, up to `upTo`. */
export async function sumInstalls(
  connection: DedicatedConnection,
  { gameId, lastPlayerId, today, rateDays }: Run,
  upTo: string,
): Promise<void> {
  await connection.query(SUM_INSTALLS, [gameId, lastPlayerId, upTo, today, rateDays]);
}

/**
 *   installs (one row per player who started in time) ──► places (week and month × country and source)
 *     places ─┬─► cohorts ──► limited cohorts (of too many values, the new ones are the remainder) ──► install_cohort_sums
 *             └─► purchases of their players, by age, currency and exchange rates ──────────────────► install_revenue_sums
 */
const INSTALLS = `
    select p.id, p.started, coalesce(p.source, '') as source, p.purchase_count > 0 as is_payer,
      -- what was known at the end of the first day, as in retention (docs/adr/0033-breakdowns-by-the-day.md)
      case
        when p.country_day is null then ''
        when p.country_day <= p.started then p.country
        else coalesce((select d.country from player_days d where d.player_id = p.id and d.day = p.started), '')
      end as country
    from (
      select id, start_day(created_at, first_day) as started, source, purchase_count, profile #>> '{country,v}' as country,
        date '1970-01-01' + ((profile #>> '{country,t}')::bigint / 86400000)::integer as country_day
      from players
      where game_id = $1 and id > $2::bigint and id <= $3::bigint
    ) p
    where p.started < $4::date and p.started >= date_trunc('month', $4::timestamp - interval '${SUMMED_START_DAYS} days')::date`;

const PERIOD_NAMES = PERIODS.join(',');
const PLACES = `
    select i.id, i.started, i.is_payer, t.period, date_trunc(t.period, i.started::timestamp)::date as cohort, v.dimension, v.value
    from installs i
    cross join unnest('{${PERIOD_NAMES}}'::text[]) t(period)
    cross join lateral (values ('country', i.country), ('source', i.source)) v(dimension, value)`;

const COHORTS = `
    select dimension, period, cohort, value, count(*) as players from places group by 1, 2, 3, 4`;

/** Once a cohort has its maximum of values, each new value is added to the remainder, until the run ends. */
const LIMITED_COHORTS = `
    select dimension, period, cohort, value, players, not is_known and place + known > ${SUMMED_VALUES} as is_remainder
    from (
      select c.*, k.value is not null as is_known, coalesce(n.known, 0) as known,
        count(*) filter (where k.value is null) over (
          partition by c.dimension, c.period, c.cohort order by c.players desc, c.value
        ) as place
      from cohorts c
      left join lateral (
        select value from install_cohort_sums s
        where s.game_id = $1 and s.dimension = c.dimension and s.period = c.period and s.cohort = c.cohort
          and not s.is_remainder and s.value = c.value
        offset 0
      ) k on true
      left join (
        select dimension, period, cohort, count(*) as known from install_cohort_sums
        where game_id = $1 and not is_remainder
        group by 1, 2, 3
      ) n on n.dimension = c.dimension and n.period = c.period and n.cohort = c.cohort
    ) c`;

/** Of the days between which the same exchange rates hold. */
const RATE_DAY = `coalesce(${dayOfRates('t.day', '$5')}, '-infinity')`;

/** Summed by player first: a player stands in four places. */
const PURCHASES = `
    select i.id, t.day - i.started as age, t.currency, ${RATE_DAY} as rate_day, sum(t.price) as revenue
    from installs i
    cross join lateral (
      select (purchased_at at time zone 'UTC')::date as day, currency, price from transactions t
      where t.player_id = i.id and t.purchased_at is not null and t.refunded_at is null and t.price is not null
        and t.purchased_at >= i.started::timestamp at time zone 'UTC'
        and t.purchased_at < least(i.started + ${MAX_AGE_DAYS} + 1, $4::date)::timestamp at time zone 'UTC'
      offset 0
    ) t
    where i.is_payer
    group by 1, 2, 3, 4
    having sum(t.price) <> 0`;

const SUM_INSTALLS = `
  with installs as materialized (${INSTALLS}
  ), places as materialized (${PLACES}
  ), cohorts as materialized (${COHORTS}
  ), limited_cohorts as materialized (${LIMITED_COHORTS}
  ), purchases as materialized (${PURCHASES}
  ), added_cohorts as (
    insert into install_cohort_sums as s (game_id, dimension, period, cohort, is_remainder, value, players)
    select $1::integer, dimension, period, cohort, is_remainder, case when is_remainder then '' else value end, sum(players)
    from limited_cohorts
    group by 2, 3, 4, 5, 6
    on conflict (game_id, dimension, period, cohort, is_remainder, value) do update set players = s.players + excluded.players
  )
  insert into install_revenue_sums as s (game_id, dimension, period, cohort, is_remainder, value, age, currency, rate_day, revenue)
  select $1::integer, l.dimension, l.period, l.cohort, l.is_remainder, case when l.is_remainder then '' else l.value end, b.age, b.currency,
    b.rate_day, sum(b.revenue)
  from purchases b
  join places p on p.id = b.id
  join limited_cohorts l on l.dimension = p.dimension and l.period = p.period and l.cohort = p.cohort and l.value = p.value
  group by 2, 3, 4, 5, 6, 7, 8, 9
  on conflict (game_id, dimension, period, cohort, is_remainder, value, age, currency, rate_day) do update
  set revenue = s.revenue + excluded.revenue`;

/** Replaces what was summed before by what the run has summed: of each cohort the largest values, and all others as one. */
export async function replaceInstalls(connection: DedicatedConnection, { gameId }: Run): Promise<void> {
  await connection.query('delete from game_install_cohorts where game_id = $1', [gameId]);
  await connection.query('delete from game_install_revenue where game_id = $1', [gameId]);
  await connection.query(
    `with placed as materialized (
       select *, is_remainder or row_number() over (
         partition by dimension, period, cohort order by is_remainder, players desc, value
       ) > ${SHOWN_VALUES} as is_small
       from install_cohort_sums
       where game_id = $1
     ), inserted_cohorts as (
       insert into game_install_cohorts (game_id, dimension, period, cohort, is_remainder, value, players)
       select game_id, dimension, period, cohort, is_small, case when is_small then '' else value end, sum(players)
       from placed
       group by 1, 2, 3, 4, 5, 6
     )
     insert into game_install_revenue (game_id, dimension, period, cohort, is_remainder, value, age, currency, rate_day, revenue)
     select p.game_id, p.dimension, p.period, p.cohort, p.is_small, case when p.is_small then '' else p.value end, r.age, r.currency,
       r.rate_day, sum(r.revenue)
     from placed p
     cross join lateral (
       select age, currency, rate_day, revenue from install_revenue_sums r
       where r.game_id = p.game_id and r.dimension = p.dimension and r.period = p.period and r.cohort = p.cohort
         and r.is_remainder = p.is_remainder and r.value = p.value
       offset 0
     ) r
     group by 1, 2, 3, 4, 5, 6, 7, 8, 9`,
    [gameId],
  );
  await deleteInstallSums(connection, gameId);
  await connection.query('update breakdown_runs set installs_summed_at = started_at where game_id = $1', [
    gameId,
  ]);
}

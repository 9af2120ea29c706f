import { REPORTED_BY_DAY } from '../../../core/events/intake/player-profile.js';
import type { DedicatedConnection } from '../../../platform/db/dedicated-connection.js';
import { DAYS_BEFORE_TODAY, SUMMED_VALUES } from './dimensions.js';
import type { Run } from './run-queries.js';

/** Statements about `breakdown_sums`: what a run has summed so far. */

/** Deletes the partial sums of an abandoned run. */
export async function deleteSums(connection: DedicatedConnection, gameId: number): Promise<void> {
  await connection.query('delete from breakdown_sums where game_id = $1', [gameId]);
}

/**
 * Adds what the next players did to the sums of the run. Returns the id of the last of them, or null if no player was left.
 *
 *   chunk of players ─┬─► windows (on which days the weekly and monthly players change)
 *                     ├─► days of players (by country, platform and build) ──────┐
 *                     └─► purchases of players (by SKU and promotion) ───────────┴─► sums ─► limited sums ─► breakdown_sums
 *
 * `active_days` and `purchase_days` of a player hold the last 180 days, which is all that a run needs.
 */
export async function sumPlayers(
  connection: DedicatedConnection,
  { gameId, lastPlayerId, days, today }: Run,
  limit: number,
): Promise<string | null> {
  const values = [gameId, lastPlayerId, limit, days, today];
  const { rows } = await connection.query<{ last: string | null }>(SUM_PLAYERS, values);
  return rows[0]?.last ?? null;
}

/** What the player reported last of all, and on which day. */
const LAST_REPORTS = REPORTED_BY_DAY.map(
  ([name, member]) => `profile #>> '{${member},v}' as ${name},
      date '1970-01-01' + ((profile #>> '{${member},t}')::bigint / 86400000)::integer as ${name}_day`,
).join(', ');
const LAST_REPORT_DAY = `greatest(${REPORTED_BY_DAY.map(([name]) => `p.${name}_day`).join(', ')})`;

/**
 * What was known of the player at the end of a day: what the events of the day reported last, or else those of the last day before.
 * Players who have reported nothing since need no look at their days.
 */
const ALL_KNOWN_ON_DAY = REPORTED_BY_DAY.map(
  ([NAME]) => `case
        when p.${NAME}_day is null then ''
        when p.${NAME}_day <= d.day then p.${NAME}
        else coalesce(o.${NAME}, (
          select e.${NAME} from player_days e
          where e.player_id = p.id and e.day < d.day and e.${NAME} is not null
          order by e.day desc
          limit 1
        ), '')
      end as ${NAME}`,
).join(', ');

const CHUNK = `
    select id, start_day(created_at, first_day) as started, active_days, purchase_days,
      ${LAST_REPORTS}
    from players
    where game_id = $1 and id > $2::bigint
    order by id
    limit $3`;

/**
 * A player who is active on a day belongs to the 7, or 30, windows that end with it and with the days after. The first of
 * these days gets +1 and the day after the last gets −1: the sum of all entries up to a day is the number of players. Payers are
 * counted in the same way, by the days of their purchases.
 */
const WINDOWS = `
    select w.dimension, b.day, sum(b.n) as players
    from chunk p
    cross join lateral (values
      ('weekly', 7, p.active_days), ('monthly', 30, p.active_days),
      ('weekly_payers', 7, p.purchase_days), ('monthly_payers', 30, p.purchase_days)
    ) w(dimension, days, counted)
    cross join lateral (
      select unnest(range_agg(daterange(lower(r), upper(r) + w.days - 1)) * datemultirange(daterange(SINCE, null))) as days
      from unnest(w.counted * datemultirange(daterange(SINCE - 29, null))) r
    ) s
    cross join lateral (values (lower(s.days), 1), (upper(s.days), -1)) b(day, n)
    group by 1, 2`.replaceAll('SINCE', `$5::date - ${DAYS_BEFORE_TODAY}`);

const PLAYER_DAYS = `
    select ${ALL_KNOWN_ON_DAY}, d.day, p.active_days @> d.day as is_active, p.started = d.day as is_new,
      coalesce(o.purchases, 0) as purchases, coalesce(o.revenue, '{}') as revenue,
      p.started = d.day and p.active_days @> d.day + 1 as d1, p.started = d.day and p.active_days @> d.day + 7 as d7,
      p.started = d.day and p.active_days @> d.day + 28 as d28, p.started = d.day and p.active_days @> d.day + 30 as d30
    from chunk p
    join unnest($4::date[]) d(day) on p.active_days @> d.day or p.started = d.day or p.purchase_days @> d.day
    left join lateral (
      select * from player_days
      where player_id = p.id and day = d.day and (p.purchase_days @> d.day or ${LAST_REPORT_DAY} > d.day)
      offset 0
    ) o on true`;

/** Clients choose these ids, and an index entry holds at most about 2,700 bytes. */
const MAX_ID_LENGTH = 128;

const PURCHASES = `
    select p.id, d.day, v.dimension, v.value, t.price, t.currency
    from chunk p
    join unnest($4::date[]) d(day) on p.purchase_days @> d.day
    cross join lateral (
      select sku_id, promo_id, price, currency from transactions t
      where t.player_id = p.id and t.purchased_at is not null and t.refunded_at is null
        and t.purchased_at >= d.day::timestamp at time zone 'UTC' and t.purchased_at < (d.day + 1)::timestamp at time zone 'UTC'
      offset 0
    ) t
    cross join lateral (values
      ('sku', left(coalesce(t.sku_id, ''), ${MAX_ID_LENGTH})), ('promotion', left(coalesce(t.promo_id, ''), ${MAX_ID_LENGTH}))
    ) v(dimension, value)`;

const COUNTS = ['active_players', 'new_players', 'paying_players', 'purchases', 'd1', 'd7', 'd28', 'd30'];
const COLUMNS = `${COUNTS.join(', ')}, revenue`;
const ADDED = `${COUNTS.map((name) => `sum(${name}) as ${name}`).join(', ')}, jsonb_total(revenue) as revenue`;
const MERGED = `${COUNTS.map((name) => `${name} = s.${name} + excluded.${name}`).join(', ')},
      revenue = jsonb_add(s.revenue, excluded.revenue)`;

/** In the order of COLUMNS. */
const SUMS = `
    select v.dimension, day, v.value, count(*) filter (where is_active) as active_players,
      count(*) filter (where is_new) as new_players, count(*) filter (where purchases > 0) as paying_players,
      sum(purchases) as purchases, count(*) filter (where d1) as d1, count(*) filter (where d7) as d7,
      count(*) filter (where d28) as d28, count(*) filter (where d30) as d30,
      jsonb_total(revenue) filter (where revenue <> '{}') as revenue
    from days_of_players
    cross join lateral (values ('country', country), ('platform', platform), ('build', build)) v(dimension, value)
    group by 1, 2, 3
    union all
    select dimension, day, value, 0, 0, c.players, c.purchases, 0, 0, 0, 0, coalesce(r.revenue, '{}')
    from (
      select dimension, day, value, count(distinct id) as players, count(*) as purchases from purchases_of_players group by 1, 2, 3
    ) c
    left join (
      select dimension, day, value, jsonb_object_agg(currency, total) as revenue
      from (
        select dimension, day, value, currency, trim_scale(sum(price)) as total from purchases_of_players group by 1, 2, 3, 4
      ) a
      where total <> 0
      group by 1, 2, 3
    ) r using (dimension, day, value)`;

/** Once the day has its maximum of values, each new value is added to the remainder, until the run ends. */
const LIMITED_SUMS = `
    select dimension, day, value, ${COLUMNS}, not is_known and place + known > ${SUMMED_VALUES} as is_remainder
    from (
      select s.*, k.value is not null as is_known, coalesce(n.known, 0) as known,
        count(*) filter (where k.value is null) over (
          partition by s.dimension, s.day order by s.active_players desc, s.purchases desc, s.value
        ) as place
      from sums s
      left join lateral (
        select value from breakdown_sums b
        where b.game_id = $1 and b.dimension = s.dimension and b.day = s.day and not b.is_remainder and b.value = s.value
        offset 0
      ) k on true
      left join (
        select dimension, day, count(*) as known from breakdown_sums where game_id = $1 and not is_remainder group by 1, 2
      ) n on n.dimension = s.dimension and n.day = s.day
    ) s`;

const SUM_PLAYERS = `
  with chunk as materialized (${CHUNK}
  ), windows as (${WINDOWS}
  ), days_of_players as materialized (${PLAYER_DAYS}
  ), purchases_of_players as materialized (${PURCHASES}
  ), sums as materialized (${SUMS}
  ), limited_sums as (${LIMITED_SUMS}
  ), added as (
    insert into breakdown_sums as s (game_id, dimension, day, is_remainder, value, ${COLUMNS})
    select $1, dimension, day, is_remainder, case when is_remainder then '' else value end, ${ADDED}
    from limited_sums
    group by 2, 3, 4, 5
    union all
    select $1, dimension, day, false, '', players, 0, 0, 0, 0, 0, 0, 0, '{}' from windows
    on conflict (game_id, dimension, day, is_remainder, value) do update
    set ${MERGED}
  )
  select max(id) as last from chunk`;

import type { OwnConnection } from '../../../db/own-connection.js';
import { DAYS_BEFORE_TODAY, SUMMED_VALUES } from './dimensions.js';

/** Some players of a game, in the order of their ids, and the days that are summed. */
export type Portion = Readonly<{
  gameId: number;
  behind: string;
  players: number;
  days: readonly string[];
  today: string;
}>;

/**
 * Adds what some players did to the sums of the walk, and gives the id of the last of them; null if there was none left.
 *
 *   players ─┬─► windows (on which days the weekly and monthly players change)
 *            ├─► player rows (days of players, by country, platform and build) ─┐
 *            └─► bought (their purchases, by SKU and promotion) ────────────────┴─► limited to so many values ─► breakdown_sums
 *
 * `active_days` and `purchase_days` of a player hold the last 180 days: what is asked for here.
 */
export async function sumPlayers(
  connection: OwnConnection,
  { gameId, behind, players, days, today }: Portion,
): Promise<string | null> {
  const { rows } = await connection.query<{ last: string | null }>(SUM_PLAYERS, [
    gameId,
    behind,
    players,
    days,
    today,
  ]);
  return rows[0]?.last ?? null;
}

const PLAYERS = `
    select id, (created_at at time zone 'UTC')::date as created, active_days, purchase_days,
      coalesce(profile #>> '{country,v}', '') as country, coalesce(profile #>> '{osName,v}', '') as platform,
      coalesce(profile #>> '{clientBuild,v}', '') as build
    from players
    where game_id = $1 and id > $2::bigint
    order by id
    limit $3`;

/**
 * A player who is active on a day belongs to the 7, or 30, windows that end with it and with the days after. Of these days the
 * first and the one behind the last are noted, by +1 and −1: the sum of all notes up to a day is the number of players.
 */
const WINDOWS = `
    select w.dimension, b.day, sum(b.n) as players
    from walked p
    cross join (values ('weekly', 7), ('monthly', 30)) w(dimension, days)
    cross join lateral (
      select unnest(range_agg(daterange(lower(r), upper(r) + w.days - 1)) * datemultirange(daterange(SINCE, null))) as days
      from unnest(p.active_days * datemultirange(daterange(SINCE - 29, null))) r
    ) s
    cross join lateral (values (lower(s.days), 1), (upper(s.days), -1)) b(day, n)
    group by 1, 2`.replaceAll('SINCE', `$5::date - ${DAYS_BEFORE_TODAY}`);

const PLAYER_ROWS = `
    select p.country, p.platform, p.build, d.day, p.active_days @> d.day as is_active, p.created = d.day as is_new,
      coalesce(b.purchases, 0) as purchases, coalesce(b.revenue, '{}') as revenue,
      p.created = d.day and p.active_days @> d.day + 1 as d1, p.created = d.day and p.active_days @> d.day + 7 as d7,
      p.created = d.day and p.active_days @> d.day + 28 as d28, p.created = d.day and p.active_days @> d.day + 30 as d30
    from walked p
    join unnest($4::date[]) d(day) on p.active_days @> d.day or p.created = d.day or p.purchase_days @> d.day
    left join lateral (
      select purchases, revenue from player_days
      where player_id = p.id and day = d.day and p.purchase_days @> d.day
      offset 0
    ) b on true`;

/** Players choose these ids, and an index takes no more than some 2,700 bytes of them. */
const MAX_ID_LENGTH = 128;

const BOUGHT = `
    select p.id, d.day, v.dimension, v.value, t.price, t.currency
    from walked p
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
    from player_rows
    cross join lateral (values ('country', country), ('platform', platform), ('build', build)) v(dimension, value)
    group by 1, 2, 3
    union all
    select dimension, day, value, 0, 0, c.players, c.purchases, 0, 0, 0, 0, coalesce(r.revenue, '{}')
    from (
      select dimension, day, value, count(distinct id) as players, count(*) as purchases from bought group by 1, 2, 3
    ) c
    left join (
      select dimension, day, value, jsonb_object_agg(currency, total) as revenue
      from (
        select dimension, day, value, currency, trim_scale(sum(price)) as total from bought group by 1, 2, 3, 4
      ) a
      where total <> 0
      group by 1, 2, 3
    ) r using (dimension, day, value)`;

/** A value that is new, while so many are told apart already, belongs to the rest: now and for as long as the walk lasts. */
const LIMITED = `
    select dimension, day, value, ${COLUMNS}, not is_known and place + known > ${SUMMED_VALUES} as is_rest
    from (
      select s.*, k.value is not null as is_known, coalesce(n.known, 0) as known,
        count(*) filter (where k.value is null) over (
          partition by s.dimension, s.day order by s.active_players desc, s.purchases desc, s.value
        ) as place
      from sums s
      left join lateral (
        select value from breakdown_sums b
        where b.game_id = $1 and b.dimension = s.dimension and b.day = s.day and not b.is_rest and b.value = s.value
        offset 0
      ) k on true
      left join (
        select dimension, day, count(*) as known from breakdown_sums where game_id = $1 and not is_rest group by 1, 2
      ) n on n.dimension = s.dimension and n.day = s.day
    ) s`;

const SUM_PLAYERS = `
  with walked as materialized (${PLAYERS}
  ), windows as (${WINDOWS}
  ), player_rows as materialized (${PLAYER_ROWS}
  ), bought as materialized (${BOUGHT}
  ), sums as materialized (${SUMS}
  ), limited as (${LIMITED}
  ), added as (
    insert into breakdown_sums as s (game_id, dimension, day, is_rest, value, ${COLUMNS})
    select $1, dimension, day, is_rest, case when is_rest then '' else value end, ${ADDED}
    from limited
    group by 2, 3, 4, 5
    union all
    select $1, dimension, day, false, '', players, 0, 0, 0, 0, 0, 0, 0, '{}' from windows
    on conflict (game_id, dimension, day, is_rest, value) do update
    set ${MERGED}
  )
  select max(id) as last from walked`;

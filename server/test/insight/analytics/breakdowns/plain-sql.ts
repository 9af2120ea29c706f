import type { Pool } from '../../../../src/platform/db/pool.js';

/** The same numbers from stored events, transactions and players alone, written as plainly as possible. */

const EVENTS = `
  stored as (
    select player_id, metadata, case when clock_suspect or received_at < occurred_at then received_at else occurred_at end as at
    from events where game_id = $1
  ), active as (
    select distinct player_id, (at at time zone 'UTC')::date as day from stored
  )`;

export type ActivePlayers = {
  day: string;
  weekly: number;
  monthly: number;
  weekly_payers: number;
  monthly_payers: number;
};

const payersOf = (days: number) => `
       (select count(distinct player_id)::int from transactions
        where game_id = $1 and purchased_at is not null and refunded_at is null
          and (purchased_at at time zone 'UTC')::date between d::date - ${days - 1} and d::date)`;

export async function countActivePlayers(
  pool: Pool,
  gameId: number,
  from: string,
  to: string,
): Promise<ActivePlayers[]> {
  const { rows } = await pool.query<ActivePlayers>(
    `with ${EVENTS}
     select d::date::text as day,
       (select count(distinct player_id)::int from active where day between d::date - 6 and d::date) as weekly,
       (select count(distinct player_id)::int from active where day between d::date - 29 and d::date) as monthly,${payersOf(7)} as weekly_payers,${payersOf(30)} as monthly_payers
     from generate_series($2::date, $3::date, interval '1 day') d
     order by d`,
    [gameId, from, to],
  );
  return rows;
}

export type PlainRow = Record<string, unknown>;

function inOrder(rows: PlainRow[]): PlainRow[] {
  const key = ({ day, value }: PlainRow) => `${day} ${value}`;
  return rows.sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

const MEMBERS = { country: 'country', platform: 'osName', build: 'clientBuild' } as const;

/** Each day by what the metadata of a player's events had reported by the end of the day. */
export async function breakDownPlayers(
  pool: Pool,
  gameId: number,
  dimension: keyof typeof MEMBERS,
): Promise<PlainRow[]> {
  const { rows } = await pool.query<PlainRow>(
    `with ${EVENTS}, made as (
       select id as player_id, least((created_at at time zone 'UTC')::date, (select min(a.day) from active a where a.player_id = p.id)) as day
       from players p where game_id = $1
     ), bought as (
       select player_id, (purchased_at at time zone 'UTC')::date as day, count(*) as n,
         sum(price) filter (where currency = 'USD') as usd, sum(price) filter (where currency = 'EUR') as eur
       from transactions where game_id = $1 and purchased_at is not null and refunded_at is null group by 1, 2
     ), days as (
       select player_id, day from active union select player_id, day from made union select player_id, day from bought
     ), known as (
       select distinct on (d.player_id, d.day) d.player_id, d.day, s.metadata ->> $2 as value
       from days d
       join stored s on s.player_id = d.player_id and (s.at at time zone 'UTC')::date <= d.day and s.metadata ->> $2 is not null
       order by d.player_id, d.day, s.at desc, (s.metadata ->> $2) collate "C" desc
     )
     select d.day::text, coalesce(t.value, '') as value, count(a.player_id)::int as active, count(m.player_id)::int as new,
       count(b.player_id)::int as paying, coalesce(sum(b.n), 0)::int as purchases,
       coalesce(sum(b.usd), 0)::float8 as usd, coalesce(sum(b.eur), 0)::float8 as eur,
       count(m.player_id) filter (where exists (select from active r where r.player_id = m.player_id and r.day = m.day + 1))::int as d1,
       count(m.player_id) filter (where exists (select from active r where r.player_id = m.player_id and r.day = m.day + 7))::int as d7,
       count(m.player_id) filter (where exists (select from active r where r.player_id = m.player_id and r.day = m.day + 28))::int as d28
     from days d
     left join known t using (player_id, day)
     left join active a using (player_id, day)
     left join made m using (player_id, day)
     left join bought b using (player_id, day)
     group by 1, 2`,
    [gameId, MEMBERS[dimension]],
  );
  return inOrder(rows);
}

const COLUMNS = { sku: 'sku_id', promotion: 'promo_id' } as const;

export async function breakDownPurchases(
  pool: Pool,
  gameId: number,
  dimension: keyof typeof COLUMNS,
): Promise<PlainRow[]> {
  const { rows } = await pool.query<PlainRow>(
    `select (purchased_at at time zone 'UTC')::date::text as day, coalesce(${COLUMNS[dimension]}, '') as value,
       count(distinct player_id)::int as paying, count(*)::int as purchases,
       coalesce(sum(price) filter (where currency = 'USD'), 0)::float8 as usd,
       coalesce(sum(price) filter (where currency = 'EUR'), 0)::float8 as eur
     from transactions
     where game_id = $1 and purchased_at is not null and refunded_at is null
     group by 1, 2`,
    [gameId],
  );
  return inOrder(rows);
}

/** What is kept, in the form of the plain counts. */
export async function listKept(
  pool: Pool,
  gameId: number,
  dimension: string,
): Promise<{ players: PlainRow[]; purchases: PlainRow[] }> {
  const { rows } = await pool.query<PlainRow>(
    `select day::text, value, active_players::int as active, new_players::int as new, paying_players::int as paying,
       purchases::int, d1::int, d7::int, d28::int, coalesce((revenue ->> 'USD')::float8, 0) as usd,
       coalesce((revenue ->> 'EUR')::float8, 0) as eur
     from game_breakdowns where game_id = $1 and dimension = $2 and not is_remainder`,
    [gameId, dimension],
  );
  inOrder(rows);
  return {
    players: rows,
    purchases: rows.map(({ day, value, paying, purchases, usd, eur }) => ({
      day,
      value,
      paying,
      purchases,
      usd,
      eur,
    })),
  };
}

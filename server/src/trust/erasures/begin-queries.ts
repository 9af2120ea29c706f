import { keepErasedSums } from '../../experiments/keep-erased.js';
import { type DedicatedConnection, inTransaction } from '../../platform/db/dedicated-connection.js';
import { type Pool, query } from '../../platform/db/pool.js';

/** Whether there is a request to work on: for a look every few seconds. */
export async function hasDueErasures(pool: Pool, nowMs: number): Promise<boolean> {
  const rows = await query(
    pool,
    {
      name: 'has_due_erasures',
      text: `select from erasures where state in ('waiting', 'erasing') and due_at <= $1 order by due_at, id limit 1`,
    },
    [new Date(nowMs)],
  );
  return rows.length > 0;
}

/**
 * Begins the next requests that are due, and returns how many: adds up what the players did for the recount and for running experiments, and deletes their rows of
 * `players`. That waits for transactions that hold a lock on a row. Whoever comes later finds no player.
 */
export async function beginErasures(
  connection: DedicatedConnection,
  nowMs: number,
  limit: number,
): Promise<number> {
  return inTransaction(connection, async () => {
    const { rows } = await connection.query<{ playerId: string }>(
      `select player_id as "playerId" from erasures
       where state = 'waiting' and due_at <= $1
       order by due_at, id
       limit $2
       for update skip locked`,
      [new Date(nowMs), limit],
    );
    const playerIds = rows.map(({ playerId }) => playerId);
    if (playerIds.length === 0) return 0;
    await connection.query('select from players where id = any($1::bigint[]) order by id for update', [
      playerIds,
    ]);
    await connection.query(ADD_ERASED_DAYS, [playerIds]);
    await connection.query(ADD_ERASED_COHORTS, [playerIds]);
    await keepErasedSums(connection, playerIds, nowMs);
    await connection.query('delete from players where id = any($1::bigint[])', [playerIds]);
    await connection.query(
      `update erasures set state = 'erasing', started_at = $2, counts = counts || '{"players": 1}'
       where player_id = any($1::bigint[]) and player_id is not null`,
      [playerIds, new Date(nowMs)],
    );
    return playerIds.length;
  });
}

const DAYS_OF_PLAYERS = `unnest($1::bigint[]) as w(id)
      cross join lateral (select * from players p where p.id = w.id offset 0) p
      cross join lateral (select * from player_days d where d.player_id = p.id offset 0) d`;

/** By the names of `recount_days`. */
const ADD_ERASED_DAYS = `
  insert into erased_days as e (game_id, day, name, value)
  select game_id, day, name, sum(value)
  from (
    select p.game_id, d.day, v.name, v.value::numeric
    from ${DAYS_OF_PLAYERS}
    cross join lateral (
      values ('active_players', (d.events > 0)::int), ('events', d.events), ('sessions', d.sessions),
        ('ad_impressions', d.ad_impressions), ('store_views', d.store_views), ('play_ms', d.play_ms),
        ('purchases', d.purchases), ('paying_players', (d.purchases > 0)::int)
      union all
      select 'event_types.' || key, value::bigint from jsonb_each_text(d.event_counts)
    ) v(name, value)
    union all
    select p.game_id, d.day, 'revenue.' || r.key, r.value::numeric
    from ${DAYS_OF_PLAYERS}
    cross join lateral jsonb_each_text(d.revenue) r
    union all
    select t.game_id, (t.purchased_at at time zone 'UTC')::date, 'verified_revenue.' || t.currency, t.price
    from unnest($1::bigint[]) as w(id)
    cross join lateral (select * from transactions t where t.player_id = w.id offset 0) t
    where t.purchased_at is not null and t.refunded_at is null and t.store is not null
    union all
    select p.game_id, start_day(p.created_at, p.first_day), 'new_players', 1
    from unnest($1::bigint[]) as w(id)
    cross join lateral (select * from players p where p.id = w.id offset 0) p
  ) s
  where value <> 0
  group by 1, 2, 3
  order by 1, 2, 3
  on conflict (game_id, day, name) do update set value = e.value + excluded.value`;

const ADD_ERASED_COHORTS = `
  insert into erased_cohorts as e (game_id, cohort_day, active_day, players)
  select p.game_id, start_day(p.created_at, p.first_day), d.day, count(*)
  from ${DAYS_OF_PLAYERS}
  where d.events > 0
  group by 1, 2, 3
  order by 1, 2, 3
  on conflict (game_id, cohort_day, active_day) do update set players = e.players + excluded.players`;

/** A player whose erasure has begun. */
export type ErasedPlayer = {
  erasureId: string;
  gameId: number;
  playerId: string;
  userId: string;
  playerHash: Buffer;
};

/** Also those that an interrupted run has left. */
export async function listErasing(connection: DedicatedConnection, limit: number): Promise<ErasedPlayer[]> {
  const { rows } = await connection.query<ErasedPlayer>(
    `select id as "erasureId", game_id as "gameId", player_id as "playerId", user_id as "userId", player_hash as "playerHash"
     from erasures
     where state = 'erasing'
     order by due_at, id
     limit $1`,
    [limit],
  );
  return rows;
}

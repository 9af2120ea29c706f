import type { OwnConnection } from '../../../db/own-connection.js';
import { DAYS_BEFORE_TODAY, DIMENSIONS, SHOWN_VALUES } from './dimensions.js';
import type { DueGame } from './work-queries.js';

/** Days that have been summed, of the game whose walk is over. */
export type SummedDays = Readonly<{ gameId: number; days: readonly string[]; today: string }>;

/** What is left of a walk that nobody will go on with. */
export async function deleteSums(connection: OwnConnection, gameId: number): Promise<void> {
  await connection.query('delete from breakdown_sums where game_id = $1', [gameId]);
}

export async function deleteBreakdowns(
  connection: OwnConnection,
  { gameId, days }: SummedDays,
): Promise<void> {
  await connection.query(
    'delete from game_breakdowns where game_id = $1 and dimension = any($2::text[]) and day = any($3::date[])',
    [gameId, DIMENSIONS, days],
  );
}

/** The largest values of each day, and all others as one. */
export async function insertBreakdowns(
  connection: OwnConnection,
  { gameId, days }: SummedDays,
): Promise<void> {
  await connection.query(
    `insert into game_breakdowns (game_id, dimension, day, is_rest, value, active_players, new_players, paying_players, purchases,
       revenue, d1, d7, d28, d30)
     select $1, dimension, day, is_rest or place > ${SHOWN_VALUES} as rest, case when is_rest or place > ${SHOWN_VALUES} then '' else value end,
       sum(active_players), sum(new_players), sum(paying_players), sum(purchases), jsonb_total(revenue), sum(d1), sum(d7), sum(d28),
       sum(d30)
     from (
       select s.*, row_number() over (
         partition by dimension, day order by is_rest, active_players desc, purchases desc, new_players desc, value
       ) as place
       from breakdown_sums s
       where game_id = $1 and dimension = any($3::text[]) and day = any($2::date[])
     ) s
     group by 2, 3, 4, 5`,
    [gameId, days, DIMENSIONS],
  );
}

/** The players of each day: the sum of all changes up to it. */
export async function upsertActivePlayers(
  connection: OwnConnection,
  { gameId, today }: SummedDays,
): Promise<void> {
  await connection.query(
    `insert into game_active_players (game_id, day, weekly, monthly)
     select $1, day, weekly, monthly
     from (
       select d::date as day, sum(coalesce(w.active_players, 0)) over up_to as weekly,
         sum(coalesce(m.active_players, 0)) over up_to as monthly
       from generate_series($2::date - ${DAYS_BEFORE_TODAY}, $2::date, interval '1 day') d
       left join lateral (
         select active_players from breakdown_sums b
         where b.game_id = $1 and b.dimension = 'weekly' and b.day = d::date offset 0
       ) w on true
       left join lateral (
         select active_players from breakdown_sums b
         where b.game_id = $1 and b.dimension = 'monthly' and b.day = d::date offset 0
       ) m on true
       window up_to as (order by d)
     ) s
     -- before the first player there is nothing to tell
     where monthly > 0 or day = $2::date
       or exists (select from game_active_players a where a.game_id = $1 and a.day = s.day offset 0)
     on conflict (game_id, day) do update set weekly = excluded.weekly, monthly = excluded.monthly`,
    [gameId, today],
  );
}

/** The walk is over: each of its days was broken down when the roll-ups said this of it. */
export async function endWalk(connection: OwnConnection, gameId: number, nowMs: number): Promise<void> {
  await connection.query(
    `with ended as (
       select w.game_id, t.key::date as day, t.value as totals, w.begun_at
       from breakdown_work w cross join lateral jsonb_each(w.totals) t
       where w.game_id = $1
     )
     insert into game_breakdown_days (game_id, day, totals, summed_at)
     select game_id, day, totals, begun_at from ended
     on conflict (game_id, day) do update set totals = excluded.totals, summed_at = excluded.summed_at`,
    [gameId],
  );
  await connection.query('update breakdown_work set totals = null, ended_at = $2 where game_id = $1', [
    gameId,
    new Date(nowMs),
  ]);
}

/** The events of these days are deleted: what clients have told of them is not kept for longer. */
export async function deleteOldBreakdowns(
  connection: OwnConnection,
  { gameId, keepsFrom }: DueGame,
): Promise<number> {
  if (keepsFrom === null) return 0;
  const { rowCount } = await connection.query(
    `with days as (
       delete from game_breakdown_days where game_id = $1 and day < $2::date returning day
     )
     delete from game_breakdowns
     where game_id = $1 and dimension = any($3::text[]) and day = any(array(select day from days))`,
    [gameId, keepsFrom, DIMENSIONS],
  );
  return rowCount ?? 0;
}

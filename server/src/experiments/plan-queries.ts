import type { DedicatedConnection } from '../platform/db/dedicated-connection.js';

export type PlannedPlayer = Readonly<{
  playerId: number;
  /** The first day in the span on which the player was active, counted since 1970; null: none. */
  day: number | null;
  /** Active on the last seven days. */
  isRecent: boolean;
}>;

/** Players as if they had been exposed on their first active day between 55 and 7 days before `to`. */
export async function listPlannedPlayers(
  connection: DedicatedConnection,
  playerIds: readonly string[],
  to: string,
): Promise<PlannedPlayer[]> {
  const { rows } = await connection.query<PlannedPlayer>(
    `select p.id::float8 as "playerId", p.active_days && daterange($2::date - 6, $2::date, '[]') as "isRecent",
       (
         select min(lower(r)) from unnest(p.active_days * datemultirange(daterange($2::date - 55, $2::date - 7, '[]'))) r
       ) - date '1970-01-01' as day
     from unnest($1::bigint[]) as x (id)
     cross join lateral (select id, active_days from players p where p.id = x.id offset 0) p`,
    [playerIds, to],
  );
  return rows;
}

/** On the mean of the last 28 days. */
export async function findNewPlayersPerDay(
  connection: DedicatedConnection,
  gameId: number,
  to: string,
): Promise<number> {
  const { rows } = await connection.query<{ players: number }>(
    `select coalesce(sum(new_players), 0)::float8 / 28 as players from game_days
     where game_id = $1 and day between $2::date - 27 and $2::date`,
    [gameId, to],
  );
  return rows[0]?.players ?? 0;
}

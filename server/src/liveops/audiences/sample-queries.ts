import type { DedicatedConnection } from '../../platform/db/dedicated-connection.js';

/** The internal ids of some players of a game, spread evenly from the first to the newest, and how many players the game has. */
export type PlayerSample = Readonly<{ players: number; ids: readonly string[] }>;

/** Takes every n-th player in the order of their ids, so that there are `size` of them; all players of a smaller game. */
export async function drawPlayers(
  connection: DedicatedConnection,
  gameId: number,
  size: number,
): Promise<PlayerSample> {
  const { rows } = await connection.query<{ players: number; ids: string[] }>(
    `select players::float8 as players, array_agg(id order by id)::text[] as ids
     from (
       select id, row_number() over (order by id) as place, count(*) over () as players
       from players where game_id = $1
     ) numbered
     where players <= $2::bigint or place * $2::bigint / players > (place - 1) * $2::bigint / players
     group by players`,
    [gameId, size],
  );
  return rows[0] ?? { players: 0, ids: [] };
}

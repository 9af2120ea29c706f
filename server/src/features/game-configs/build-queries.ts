import type { Client } from '../../db/pool.js';

/** A build of the game that players have used lately. */
export type BuildInUse = Readonly<{
  /** `metadata.clientBuild` of events; empty where a game does not send it. */
  clientBuild: string;
  /** Active players on the busiest day. */
  players: number;
}>;

const MAX_BUILDS = 20;

/** The builds of the last 30 days, most players first. From the breakdowns, which are at most some minutes behind. */
export async function listBuildsInUse(client: Client, gameId: number, nowMs: number): Promise<BuildInUse[]> {
  const { rows } = await client.query<BuildInUse>(
    `select value as "clientBuild", max(active_players)::float8 as players
     from game_breakdowns
     where game_id = $1 and dimension = 'build' and day > ($2::timestamptz at time zone 'UTC')::date - 30 and not is_remainder
       and active_players > 0
     group by value
     order by max(active_players) desc, value
     limit $3`,
    [gameId, new Date(nowMs), MAX_BUILDS],
  );
  return rows;
}

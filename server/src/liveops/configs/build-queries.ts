import { type Client, type Pool, query } from '../../platform/db/pool.js';
import { DAY_MS, utcDay } from '../../platform/lib/day.js';

/** A build of the game that players have used lately. */
export type BuildInUse = Readonly<{
  /** `metadata.clientBuild` of events; empty where a game does not send it. */
  clientBuild: string;
  /** Active players on the busiest day. */
  players: number;
}>;

const MAX_BUILDS = 20;
const DAYS = 30;

const BUILDS_IN_USE = {
  name: 'list_builds_in_use',
  text: `
    select value as "clientBuild", max(active_players)::float8 as players
    from game_breakdowns
    where game_id = $1 and dimension = 'build' and day between $2::date and $3::date
      and not is_remainder and active_players > 0
    group by value
    order by max(active_players) desc, value
    limit ${MAX_BUILDS}`,
};

/** The builds of the last 30 days, most players first. From the breakdowns, which are at most some minutes behind. */
export async function listBuildsInUse(
  db: Pool | Client,
  gameId: number,
  nowMs: number,
): Promise<BuildInUse[]> {
  return query<BuildInUse>(db, BUILDS_IN_USE, [gameId, utcDay(nowMs - (DAYS - 1) * DAY_MS), utcDay(nowMs)]);
}

import type { DedicatedConnection } from '../../platform/db/dedicated-connection.js';
import type { GradedSpan } from './graded-spans.js';

/** A player, with the first active day in each span; null where there is none. */
export type GradedPlayer = Readonly<{
  playerId: number;
  userId: string;
  firstDays: readonly (string | null)[];
}>;

export type IdRange = Readonly<{ first: number; last: number; hasMore: boolean }>;

/**
 * The first and the last id of the players of a game, and whether there are more than so many; undefined without players. In the order of the index by game:
 * with few statistics PostgreSQL would go through the ids of all games.
 */
export async function findIdRange(
  connection: DedicatedConnection,
  gameId: number,
  most: number,
): Promise<IdRange | undefined> {
  const { rows } = await connection.query<IdRange>(
    `select f.id::float8 as first, l.id::float8 as last,
       (select count(*) > $2 from (select from players where game_id = $1 limit $2 + 1) p) as "hasMore"
     from (
       select game_id, id from players
       where (game_id, id) >= ($1::int, 0) and game_id is not null order by game_id, id limit 1
     ) f
     cross join (
       select game_id, id from players
       where (game_id, id) < ($1::int + 1, 0) and game_id is not null order by game_id desc, id desc limit 1
     ) l
     where f.game_id = $1`,
    [gameId, most],
  );
  return rows[0];
}

/** The next players of a game in the order of their ids who were active in a span, and the last id that was looked at; null at the end. */
export async function listGradedPlayers(
  connection: DedicatedConnection,
  gameId: number,
  spans: readonly GradedSpan[],
  { behind, limit }: { behind: number; limit: number },
): Promise<{ players: GradedPlayer[]; last: number | null }> {
  const { rows } = await connection.query<GradedPlayer>(
    `select p.id::float8 as "playerId", p.user_id as "userId",
       array(
         select (
           select min(lower(r))::text from unnest(p.active_days * datemultirange(daterange(s.first, s.last, '[]'))) r
         )
         from unnest($4::date[], $5::date[]) with ordinality as s (first, last, place)
         order by s.place
       ) as "firstDays"
     from (
       select id, user_id, active_days from players where game_id = $1 and id > $2 order by id limit $3
     ) p
     order by p.id`,
    [gameId, behind, limit, spans.map(({ from }) => from), spans.map(({ to }) => to)],
  );
  const players = rows.filter(({ firstDays }) => firstDays.some((day) => day !== null));
  return { players, last: rows.at(-1)?.playerId ?? null };
}

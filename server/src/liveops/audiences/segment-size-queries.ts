import type { DedicatedConnection } from '../../platform/db/dedicated-connection.js';
import { type Pool, query, transaction } from '../../platform/db/pool.js';

/** The last count of a day. */
export type SegmentSizeDay = {
  day: string;
  version: number;
  players: number;
  /** Segment id → players. */
  sizes: Record<string, number>;
};

/** A year and a month, so that a season can be compared with that of the year before. */
const KEPT_DAYS = 400;

/** Stores a count, which replaces an earlier one of the day. Also deletes counts older than KEPT_DAYS. */
export function noteSegmentSizes(
  pool: Pool,
  gameId: number,
  { day, version, players, sizes }: SegmentSizeDay,
): Promise<void> {
  return transaction(pool, async (client) => {
    await client.query(
      `insert into segment_size_days (game_id, day, version, players, sizes) values ($1, $2, $3, $4, $5)
       on conflict (game_id, day)
         do update set version = excluded.version, players = excluded.players, sizes = excluded.sizes`,
      [gameId, day, version, players, JSON.stringify(sizes)],
    );
    await client.query('delete from segment_size_days where game_id = $1 and day < $2::date - $3::int', [
      gameId,
      day,
      KEPT_DAYS,
    ]);
  });
}

/** The counts since a day, oldest first. */
export async function listSegmentSizeDays(
  pool: Pool,
  gameId: number,
  sinceDay: string,
): Promise<SegmentSizeDay[]> {
  return query<SegmentSizeDay>(
    pool,
    {
      name: 'list_segment_size_days',
      text: `select day::text as day, version, players::float8 as players, sizes
             from segment_size_days where game_id = $1 and day >= $2
             order by day`,
    },
    [gameId, sinceDay],
  );
}

/** Games with a published version that were not counted on a day, after an id. */
export async function listUncountedGames(
  connection: DedicatedConnection,
  { day, afterId, limit }: { day: string; afterId: number; limit: number },
): Promise<{ gameId: number; version: number }[]> {
  const { rows } = await connection.query<{ gameId: number; version: number }>(
    `select g.id as "gameId", g.published_version as version
     from games g
     where g.id > $1 and g.published_version > 0
       and not exists (select from segment_size_days s where s.game_id = g.id and s.day = $2)
     order by g.id
     limit $3`,
    [afterId, day, limit],
  );
  return rows;
}

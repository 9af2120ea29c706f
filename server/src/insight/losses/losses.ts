import type { Pool } from '../../platform/db/pool.js';
import { DAY_MS } from '../../platform/lib/day.js';

/** Events that never arrived, though their client numbered them and later ones came. */
export type Loss = {
  /** The UTC day on which the gap was noticed. */
  day: string;
  /** Build and platform of the client that left the gap, as far as it sent them. */
  build: string | null;
  platform: string | null;
  events: number;
  players: number;
};

/** A client may be offline, or send its batches out of order: a number counts as lost after a day. */
export const LOSS_GRACE_MS = DAY_MS;

/** The newest day first, the largest loss of a day first; all of them, if there is no limit. */
export async function listLosses(
  pool: Pool,
  gameId: number,
  { sinceMs, untilMs, limit = null }: { sinceMs: number; untilMs: number; limit?: number | null },
): Promise<Loss[]> {
  const { rows } = await pool.query<Loss>(
    `select (noticed_at at time zone 'UTC')::date::text as day, client_build as build, platform,
       sum(last_seq - first_seq + 1)::float8 as events, count(distinct player_id)::int as players
     from event_gaps
     where game_id = $1 and noticed_at >= $2 and noticed_at < $3
     group by 1, 2, 3
     order by 1 desc, 4 desc, 2, 3
     limit $4`,
    [gameId, new Date(sinceMs), new Date(untilMs), limit],
  );
  return rows;
}

/** Events that have not arrived yet, though later ones of their client have. They may still arrive. */
export type Missing = {
  build: string | null;
  platform: string | null;
  events: number;
  players: number;
  /** When the oldest of the gaps was noticed. */
  since: number;
};

/** The largest first. */
export async function listMissing(
  pool: Pool,
  gameId: number,
  { sinceMs, limit = null }: { sinceMs: number; limit?: number | null },
): Promise<Missing[]> {
  const { rows } = await pool.query<Missing>(
    `select client_build as build, platform, sum(last_seq - first_seq + 1)::float8 as events,
       count(distinct player_id)::int as players, min(noticed_at) as since
     from event_gaps
     where game_id = $1 and noticed_at >= $2
     group by 1, 2
     order by 3 desc, 1, 2
     limit $3`,
    [gameId, new Date(sinceMs), limit],
  );
  return rows;
}

/** Lost events of all games together that were noticed since an instant. */
export async function countLosses(
  pool: Pool,
  { sinceMs, untilMs }: { sinceMs: number; untilMs: number },
): Promise<number> {
  const { rows } = await pool.query<{ n: number }>(
    `select coalesce(sum(g.n), 0)::float8 as n
     from games
     cross join lateral (
       select sum(last_seq - first_seq + 1) as n from event_gaps
       where game_id = games.id and noticed_at >= $1 and noticed_at < $2
     ) g`,
    [new Date(sinceMs), new Date(untilMs)],
  );
  return rows[0]?.n ?? 0;
}

import type { DedicatedConnection } from '../../platform/db/dedicated-connection.js';
import type { Pool } from '../../platform/db/pool.js';
import type { EventFile, GameFolder } from './manifest.js';

/** The files of games, by the order of their days. */
export async function listFiles(
  db: Pool | DedicatedConnection,
  gameIds: readonly number[],
): Promise<EventFile[]> {
  const { rows } = await db.query<EventFile>(
    `select game_id as "gameId", day::text as day, generation, file, events::float8 as events, bytes::float8 as bytes,
       encode(sha256, 'hex') as sha256, written_at as "writtenAt"
     from event_files where game_id = any($1::int[])
     order by game_id, day`,
    [gameIds],
  );
  return rows;
}

/** All games. Most of them have files, where there are any. */
export async function listGameFolders(db: Pool | DedicatedConnection): Promise<GameFolder[]> {
  const { rows } = await db.query<GameFolder>(
    `select g.id as "gameId", t.slug as tenant, g.slug as game from games g join tenants t on t.id = g.tenant_id order by g.id`,
  );
  return rows;
}

export async function findGameFolder(pool: Pool, gameId: number): Promise<GameFolder> {
  const { rows } = await pool.query<GameFolder>(
    `select g.id as "gameId", t.slug as tenant, g.slug as game
     from games g join tenants t on t.id = g.tenant_id where g.id = $1`,
    [gameId],
  );
  const [found] = rows;
  if (found === undefined) throw new Error(`there is no game ${gameId}`);
  return found;
}

export type FileTotals = Readonly<{
  files: number;
  events: number;
  bytes: number;
  firstDay: string | null;
  lastDay: string | null;
}>;

export async function findFileTotals(pool: Pool, gameId: number): Promise<FileTotals> {
  const { rows } = await pool.query<FileTotals>(
    `select count(*)::int as files, coalesce(sum(events), 0)::float8 as events, coalesce(sum(bytes), 0)::float8 as bytes,
       min(day)::text as "firstDay", max(day)::text as "lastDay"
     from event_files where game_id = $1`,
    [gameId],
  );
  const [totals] = rows;
  if (totals === undefined) throw new Error('a sum has one row');
  return totals;
}

import type { DedicatedConnection } from '../../platform/db/dedicated-connection.js';
import type { Client, Pool } from '../../platform/db/pool.js';

export type ImportKind = 'events' | 'players';

/** Which file is imported into which game. */
export type ImportKey = Readonly<{ gameId: number; kind: ImportKind; fileHash: Buffer }>;

/** How far an import has come. */
export type ImportProgress = {
  doneBytes: number;
  doneLines: number;
  imported: number;
  duplicates: number;
  rejected: number;
  rejectsBytes: number;
};

export type ImportRow = ImportProgress & { finishedAt: number | null };

const PROGRESS_COLUMNS = `done_bytes::float8 as "doneBytes", done_lines::float8 as "doneLines", imported::float8 as imported,
  duplicates::float8 as duplicates, rejected::float8 as rejected, rejects_bytes::float8 as "rejectsBytes"`;

export async function findImport(
  db: Pool | DedicatedConnection,
  { gameId, kind, fileHash }: ImportKey,
): Promise<ImportRow | undefined> {
  const { rows } = await db.query<ImportRow>(
    `select ${PROGRESS_COLUMNS}, finished_at as "finishedAt"
     from history_imports where game_id = $1 and kind = $2 and file_hash = $3`,
    [gameId, kind, fileHash],
  );
  return rows[0];
}

export async function insertImport(
  client: Client,
  { gameId, kind, fileHash }: ImportKey,
  { fileName, by, nowMs }: { fileName: string; by: string; nowMs: number },
): Promise<void> {
  await client.query(
    `insert into history_imports (game_id, kind, file_hash, file_name, started_at, started_by) values ($1, $2, $3, $4, $5, $6)`,
    [gameId, kind, fileHash, fileName, new Date(nowMs), by],
  );
}

export async function updateImport(
  client: Client,
  { gameId, kind, fileHash }: ImportKey,
  progress: ImportProgress,
): Promise<void> {
  const { doneBytes, doneLines, imported, duplicates, rejected, rejectsBytes } = progress;
  await client.query(
    `update history_imports
     set done_bytes = $4, done_lines = $5, imported = $6, duplicates = $7, rejected = $8, rejects_bytes = $9
     where game_id = $1 and kind = $2 and file_hash = $3`,
    [gameId, kind, fileHash, doneBytes, doneLines, imported, duplicates, rejected, rejectsBytes],
  );
}

export async function finishImport(pool: Pool, { gameId, kind, fileHash }: ImportKey): Promise<void> {
  await pool.query(
    'update history_imports set finished_at = now() where game_id = $1 and kind = $2 and file_hash = $3',
    [gameId, kind, fileHash],
  );
}

/**
 * The day before which the retention has deleted the game's events, in epoch milliseconds. Until the transaction ends, retention cannot
 * move the day on: it would go past events that are being stored.
 */
export async function lockDeletedBefore(client: Client, gameId: number): Promise<number | null> {
  const { rows } = await client.query<{ at: number | null }>(
    `select events_deleted_before::timestamp at time zone 'UTC' as at from games where id = $1 for share`,
    [gameId],
  );
  return rows[0]?.at ?? null;
}

export type FoundPlayer = { userId: string; playerId: string; gameId: number };

/** Players of any game by their public ids. */
export async function findPlayersByUserId(
  client: Client,
  userIds: readonly string[],
): Promise<FoundPlayer[]> {
  const { rows } = await client.query<FoundPlayer>(
    'select user_id as "userId", id as "playerId", game_id as "gameId" from players where user_id = any($1::uuid[])',
    [userIds],
  );
  return rows;
}

export type HistoricPlayer = {
  userId: string;
  createdAtMs: number;
  ageGroup: string | null;
  ageGroupAtMs: number | null;
};

/** Creates players as their first login would have, each on the day on which the player started. */
export async function insertPlayers(
  client: Client,
  gameId: number,
  players: readonly HistoricPlayer[],
): Promise<FoundPlayer[]> {
  const { rows } = await client.query<FoundPlayer>(
    `with new_players as (
       insert into players (game_id, user_id, created_at, age_group, age_group_at)
       select $1, user_id, created_at, age_group, age_group_at
       from unnest($2::uuid[], $3::timestamptz[], $4::text[], $5::timestamptz[]) as p(user_id, created_at, age_group, age_group_at)
       order by user_id
       on conflict (user_id) do nothing
       returning id, game_id, user_id, created_at
     ), counted as (
       insert into game_days as g (game_id, day, shard, new_players)
       select game_id, (created_at at time zone 'UTC')::date, rollup_shard('players'), count(*)
       from new_players group by 1, 2 order by 1, 2
       on conflict (game_id, day, shard) do update set new_players = g.new_players + excluded.new_players
     )
     select user_id as "userId", id as "playerId", game_id as "gameId" from new_players`,
    [
      gameId,
      players.map(({ userId }) => userId),
      players.map(({ createdAtMs }) => new Date(createdAtMs)),
      players.map(({ ageGroup }) => ageGroup),
      players.map(({ ageGroupAtMs }) => (ageGroupAtMs === null ? null : new Date(ageGroupAtMs))),
    ],
  );
  return rows;
}

export type HistoricDevice = {
  deviceId: string;
  playerId: string;
  createdAtMs: number;
  attachedAtMs: number | null;
  ownPlayerId: string | null;
};

/** The player of each device afterwards: another one, if the device has logged in here before. */
export async function insertDevices(
  client: Client,
  gameId: number,
  devices: readonly HistoricDevice[],
): Promise<{ deviceId: string; playerId: string; isNew: boolean }[]> {
  const { rows } = await client.query<{ deviceId: string; playerId: string; isNew: boolean }>(
    `with requested as (
       select * from unnest($2::text[], $3::bigint[], $4::timestamptz[], $5::timestamptz[], $6::bigint[])
         as r(device_id, player_id, created_at, attached_at, own_player_id)
     ), known as (
       select r.device_id, d.player_id
       from requested r
       join lateral (select * from devices d where d.game_id = $1 and d.device_id = r.device_id offset 0) d on true
     ), inserted as (
       insert into devices (game_id, device_id, player_id, created_at, attached_at, own_player_id)
       select $1, device_id, player_id, created_at, attached_at, own_player_id from requested
       order by device_id
       on conflict do nothing
       returning device_id, player_id
     )
     select device_id as "deviceId", player_id as "playerId", false as "isNew" from known
     union all
     select device_id, player_id, true from inserted`,
    [
      gameId,
      devices.map(({ deviceId }) => deviceId),
      devices.map(({ playerId }) => playerId),
      devices.map(({ createdAtMs }) => new Date(createdAtMs)),
      devices.map(({ attachedAtMs }) => (attachedAtMs === null ? null : new Date(attachedAtMs))),
      devices.map(({ ownPlayerId }) => ownPlayerId),
    ],
  );
  return rows;
}

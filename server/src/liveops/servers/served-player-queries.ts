import { PLAYER_COLUMNS, type PlayerRow } from '../../core/players/player-row.js';
import type { AgeGroup } from '../../decide/attributes/player-facts.js';
import { type Client, type Pool, query } from '../../platform/db/pool.js';

/** Players of a game by their public ids, as every request of theirs would find them. */
export async function findPlayersOfGame(
  pool: Pool,
  gameId: number,
  userIds: readonly string[],
): Promise<PlayerRow[]> {
  return query<PlayerRow>(
    pool,
    {
      name: 'find_players_of_game',
      text: `select ${PLAYER_COLUMNS}
             from unnest($2::uuid[]) w(user_id)
             join lateral (select p.*, p.xmin from players p where p.user_id = w.user_id offset 0) p
               on p.game_id = $1 and p.erase_requested_at is null
             join lateral (select * from games g where g.id = p.game_id offset 0) g on true`,
    },
    [gameId, userIds],
  );
}

/** Undefined if no player of the game has logged in on the device. It may be stored by its id, or by `forgottenId`. */
export async function findUserOfDevice(
  pool: Pool,
  { gameId, deviceId, forgottenId }: DevicePlace,
): Promise<string | undefined> {
  const rows = await query<{ userId: string }>(
    pool,
    {
      name: 'find_user_of_device',
      text: `select p.user_id as "userId"
             from devices d
             join lateral (select * from players p where p.id = d.player_id offset 0) p on true
             where d.game_id = $1 and d.device_id = any ($2::text[])
             order by d.device_id = ($2::text[])[1] desc limit 1`,
    },
    [gameId, [deviceId, forgottenId]],
  );
  return rows[0]?.userId;
}

/** Where a device is found. */
export type DevicePlace = Readonly<{ gameId: number; deviceId: string; forgottenId: string }>;

/** Gives a device that was forgotten its id again, before something about it is changed. */
export async function restoreDeviceId(
  client: Client,
  { gameId, deviceId, forgottenId }: DevicePlace,
): Promise<void> {
  await client.query(
    `update devices set device_id = $2
     where game_id = $1 and device_id = $3 and not exists (select from devices where game_id = $1 and device_id = $2)`,
    [gameId, deviceId, forgottenId],
  );
}

export type AttachedDevice = { playerId: string; ownPlayerId: string | null; attachedAt: number | null };

/** Reads a device, and locks it until the end of the transaction. */
export async function lockDevice(
  client: Client,
  gameId: number,
  deviceId: string,
): Promise<AttachedDevice | undefined> {
  const { rows } = await client.query<AttachedDevice>(
    `select player_id as "playerId", own_player_id as "ownPlayerId", attached_at as "attachedAt"
     from devices where game_id = $1 and device_id = $2
     for update`,
    [gameId, deviceId],
  );
  return rows[0];
}

/** Zero if a login has just created the device. */
export async function insertAttachedDevice(
  client: Client,
  {
    gameId,
    deviceId,
    playerId,
    nowMs,
  }: { gameId: number; deviceId: string; playerId: string; nowMs: number },
): Promise<number> {
  const { rowCount } = await client.query(
    `insert into devices (game_id, device_id, player_id, created_at, attached_at) values ($1, $2, $3, $4, $4)
     on conflict do nothing`,
    [gameId, deviceId, playerId, new Date(nowMs)],
  );
  return rowCount ?? 0;
}

export async function updateDeviceOwner(
  client: Client,
  gameId: number,
  deviceId: string,
  { playerId, ownPlayerId, attachedAt }: AttachedDevice,
): Promise<void> {
  await client.query(
    `update devices set player_id = $3, own_player_id = $4, attached_at = $5 where game_id = $1 and device_id = $2`,
    [gameId, deviceId, playerId, ownPlayerId, attachedAt === null ? null : new Date(attachedAt)],
  );
}

export async function deleteDevice(client: Client, gameId: number, deviceId: string): Promise<void> {
  await client.query('delete from devices where game_id = $1 and device_id = $2', [gameId, deviceId]);
}

/** Ends the sessions that a player has on a device. Locked in the order in which refreshes lock them. */
export async function deleteSessionsOfDevice(
  db: Pool | Client,
  playerId: string,
  deviceId: string,
): Promise<void> {
  const sessions = await db.query<{ id: string; deviceId: string }>(
    'select id, device_id as "deviceId" from sessions where player_id = $1',
    [playerId],
  );
  const ids = sessions.rows.filter((session) => session.deviceId === deviceId).map(({ id }) => id);
  for (const id of ids.sort()) await db.query('delete from sessions where id = $1', [id]);
}

/** False if the game has no such player, or the player waits for the erasure. Of a child nothing is predicted: what was is deleted, and segments, which may follow from it. */
export async function updateAgeGroup(
  pool: Pool,
  gameId: number,
  userId: string,
  ageGroup: AgeGroup | null,
  nowMs: number,
): Promise<boolean> {
  const rows = await query(
    pool,
    {
      name: 'update_age_group',
      // by the id: a plan made early would go through all players of the game
      text: `with changed as (
               update players set age_group = $3,
                 age_group_at = case when age_group is distinct from $3 then $4 else age_group_at end
               where erase_requested_at is null
                 and id = (select id from (select id, game_id from players where user_id = $2 offset 0) p where game_id = $1)
               returning id
             ), forgotten as (
               update experiment_exposures set forecast = null, segments = null
               where player_id = any (array(select id from changed)) and $3 = 'child'
                 and (forecast is not null or segments is not null)
             )
             select id from changed`,
    },
    [gameId, userId, ageGroup, new Date(nowMs)],
  );
  return rows.length === 1;
}

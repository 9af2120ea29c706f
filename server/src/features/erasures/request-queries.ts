import { type Client, query } from '../../db/pool.js';
import { ERASURE_COLUMNS, type Erasure } from './erasure.js';

export type RequestedPlayer = { playerId: string; isRequested: boolean; waitDays: number };

/** Locked until the end of the transaction: events of the player that are being applied come before the request. */
export async function lockRequestedPlayer(
  client: Client,
  gameId: number,
  userId: string,
): Promise<RequestedPlayer | undefined> {
  const rows = await query<RequestedPlayer>(
    client,
    {
      name: 'lock_requested_player',
      text: `select p.id as "playerId", p.erase_requested_at is not null as "isRequested", g.erasure_wait_days as "waitDays"
             from players p
             join lateral (select * from games g where g.id = p.game_id offset 0) g on true
             -- by the id: a plan made early would go through all players of the game
             where p.id = (select id from (select id, game_id from players where user_id = $2 offset 0) u where game_id = $1)
             for update of p`,
    },
    [gameId, userId],
  );
  return rows[0];
}

export async function updateEraseRequestedAt(
  client: Client,
  playerId: string,
  atMs: number | null,
): Promise<void> {
  await query(
    client,
    { name: 'update_erase_requested_at', text: 'update players set erase_requested_at = $2 where id = $1' },
    [playerId, atMs === null ? null : new Date(atMs)],
  );
}

export type NewErasure = Pick<
  Erasure,
  'erasureId' | 'gameId' | 'playerHash' | 'requestedBy' | 'requestedByEmail' | 'requestedAt' | 'dueAt'
> & { userId: string; playerId: string };

/** Takes the player's devices along, so that their next logins create new players. A withdrawal gives them back. */
export async function insertErasure(client: Client, erasure: NewErasure): Promise<Erasure> {
  const rows = await query<Erasure>(
    client,
    {
      name: 'insert_erasure',
      text: `with gone as (
               delete from devices where player_id = $3 returning device_id, created_at, attached_at, own_player_id
             )
             insert into erasures (id, game_id, player_id, user_id, player_hash, state, requested_by, requested_by_email,
               requested_at, due_at, devices, counts)
             select $1, $2, $3, $4, $5, 'waiting', $6, $7, $8, $9, coalesce(json_agg(d), '[]'),
               jsonb_strip_nulls(jsonb_build_object('devices', nullif(count(d), 0)))
             from gone d
             returning ${ERASURE_COLUMNS}`,
    },
    [
      ...[erasure.erasureId, erasure.gameId, erasure.playerId, erasure.userId, erasure.playerHash],
      ...[erasure.requestedBy, erasure.requestedByEmail],
      ...[new Date(erasure.requestedAt), new Date(erasure.dueAt)],
    ],
  );
  const [inserted] = rows;
  if (inserted === undefined) throw new Error('an insert returned nothing');
  return inserted;
}

export async function findErasureOfPlayer(client: Client, playerId: string): Promise<Erasure | undefined> {
  const rows = await query<Erasure>(
    client,
    {
      name: 'find_erasure_of_player',
      text: `select ${ERASURE_COLUMNS} from erasures where player_id = $1 and player_id is not null`,
    },
    [playerId],
  );
  return rows[0];
}

export type WaitingErasure = { playerId: string; userId: string };

/** Locked until the end of the transaction; undefined if it is not waiting any more. */
export async function lockWaitingErasure(
  client: Client,
  gameId: number,
  erasureId: string,
): Promise<WaitingErasure | undefined> {
  const rows = await query<WaitingErasure>(
    client,
    {
      name: 'lock_waiting_erasure',
      text: `select player_id as "playerId", user_id as "userId" from erasures
             where id = $2 and game_id = $1 and state = 'waiting'
             for update`,
    },
    [gameId, erasureId],
  );
  return rows[0];
}

/** Gives the player the devices back that have no other player since. */
export async function updateErasureWithdrawn(
  client: Client,
  erasureId: string,
  nowMs: number,
): Promise<void> {
  await query(
    client,
    {
      name: 'update_erasure_withdrawn',
      text: `with given as (
               insert into devices (game_id, device_id, player_id, created_at, attached_at, own_player_id)
               select e.game_id, d.device_id, e.player_id, d.created_at, d.attached_at, d.own_player_id
               from erasures e
               cross join lateral json_to_recordset(e.devices) as d(device_id text, created_at timestamptz,
                 attached_at timestamptz, own_player_id bigint)
               where e.id = $1
               order by d.device_id
               on conflict do nothing
             )
             update erasures set state = 'withdrawn', finished_at = $2, player_id = null, user_id = null, devices = null, counts = '{}'
             where id = $1`,
    },
    [erasureId, new Date(nowMs)],
  );
}

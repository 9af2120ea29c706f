import { type Client, query } from '../../platform/db/pool.js';
import { ERASURE_COLUMNS, type Erasure } from './erasure.js';

export type RequestedPlayer = { playerId: string; userId: string; isRequested: boolean; waitDays: number };

/** Locked until the end of the transaction: events of the players that are being applied come before the requests. */
export function lockRequestedPlayers(
  client: Client,
  gameId: number,
  userIds: readonly string[],
): Promise<RequestedPlayer[]> {
  return query<RequestedPlayer>(
    client,
    {
      name: 'lock_requested_players',
      text: `select p.id as "playerId", p.user_id as "userId", p.erase_requested_at is not null as "isRequested",
               g.erasure_wait_days as "waitDays"
             from players p
             join lateral (select * from games g where g.id = p.game_id offset 0) g on true
             -- by the id: a plan made early would go through all players of the game
             where p.id = any (array(
               select u.id from unnest($2::uuid[]) w(user_id)
               cross join lateral (select id, game_id from players where user_id = w.user_id offset 0) u
               where u.game_id = $1
             ))
             order by p.id
             for update of p`,
    },
    [gameId, userIds],
  );
}

export async function updateEraseRequestedAt(
  client: Client,
  playerIds: readonly string[],
  atMs: number | null,
): Promise<void> {
  await query(
    client,
    {
      name: 'update_erase_requested_at',
      text: 'update players set erase_requested_at = $2 where id = any($1::bigint[])',
    },
    [playerIds, atMs === null ? null : new Date(atMs)],
  );
}

export type NewErasure = Readonly<{
  erasureId: string;
  playerId: string;
  userId: string;
  playerHash: Buffer;
}>;
/** What requests that are made together have in common. */
export type CommonRequest = Readonly<
  Pick<Erasure, 'gameId' | 'requestedBy' | 'requestedByEmail' | 'requestedAt' | 'dueAt'>
>;

/** Takes the players' devices along, so that their next logins create new players. A withdrawal gives them back. */
export function insertErasures(
  client: Client,
  common: CommonRequest,
  erasures: readonly NewErasure[],
): Promise<Erasure[]> {
  return query<Erasure>(
    client,
    {
      name: 'insert_erasures',
      text: `with gone as (
               delete from devices where player_id = any($2::bigint[])
               returning player_id, device_id, created_at, attached_at, own_player_id
             )
             insert into erasures (id, game_id, player_id, user_id, player_hash, state, requested_by, requested_by_email,
               requested_at, due_at, devices, counts)
             select w.id, $5, w.player_id, w.user_id, w.player_hash, 'waiting', $6, $7, $8, $9, coalesce(d.devices, '[]'),
               jsonb_strip_nulls(jsonb_build_object('devices', d.n))
             from unnest($1::uuid[], $2::bigint[], $3::uuid[], $4::bytea[]) as w(id, player_id, user_id, player_hash)
             left join (
               select player_id, json_agg(g) as devices, count(*) as n from gone g group by player_id
             ) d on d.player_id = w.player_id
             returning ${ERASURE_COLUMNS}`,
    },
    [
      erasures.map(({ erasureId }) => erasureId),
      erasures.map(({ playerId }) => playerId),
      erasures.map(({ userId }) => userId),
      erasures.map(({ playerHash }) => playerHash),
      ...[common.gameId, common.requestedBy, common.requestedByEmail],
      ...[new Date(common.requestedAt), new Date(common.dueAt)],
    ],
  );
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

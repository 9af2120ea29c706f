import { type Client, type Pool, query } from '../../platform/db/pool.js';
import { PLAYER_COLUMNS, PLAYER_NAMES, type PlayerRow } from '../players/player-row.js';
import type { RefreshState } from './refresh-chain.js';

export type ApiKeyRow = {
  keyId: string;
  gameId: number;
  tenantSlug: string;
  gameSlug: string;
  environment: 'development' | 'production';
  sealedSecret: Buffer;
  revoked: boolean;
  /** From this time on the key opens no session; null: no end is set. */
  expiresAt: number | null;
};

export async function findApiKeys(pool: Pool, keyIds: string[]): Promise<ApiKeyRow[]> {
  return query<ApiKeyRow>(
    pool,
    {
      name: 'find_api_keys',
      text: `select k.key_id as "keyId", k.game_id as "gameId", t.slug as "tenantSlug", g.slug as "gameSlug",
               k.environment, k.sealed_secret as "sealedSecret", k.revoked_at is not null as revoked,
               k.expires_at as "expiresAt"
             from api_keys k
             join lateral (select * from games g where g.id = k.game_id offset 0) g on true
             join tenants t on t.id = g.tenant_id
             where k.key_id = any($1::text[]) and k.kind = 'client'`,
    },
    [keyIds],
  );
}

export type NewPlayerSession = {
  sessionId: string;
  /** The id of the player that is created if the device is new, in the bucket of the device. */
  userIdIfNew: string;
  gameId: number;
  deviceId: string;
  /** In the place of the id of a device that was forgotten. */
  forgottenId: string;
  keyId: string;
  createdAt: number;
  expiresAt: number;
  refresh: RefreshState;
};

/**
 * The first day on which a session can be deleted, if it is not refreshed until then: its last access token may live for a day
 * more than the refresh token (`MAX_ACCESS_TTL_SECONDS`).
 */
export const CHECK_DAY = "(expires_at at time zone 'UTC')::date + 2";

type OpenedSession = PlayerRow & { sessionId: string };

/**
 * Opens a session for every device whose key is not revoked, and creates a player for each new device, all in one statement
 * and commit. A session that is missing from the result was not opened: its key is revoked, or its device is new and another
 * node, which this statement waited for, has just created its player. Devices are claimed in one order, so that groups of
 * several nodes never deadlock.
 */
export async function insertSessions(
  pool: Pool,
  sessions: readonly NewPlayerSession[],
): Promise<OpenedSession[]> {
  return query(
    pool,
    {
      name: 'insert_sessions',
      text: `with requested as (
               select w.*, d.player_id as known_player, ${PLAYER_COLUMNS}
               from jsonb_to_recordset($1::jsonb) as w(
                 id uuid, user_id uuid, game_id integer, device_id text, forgotten_id text, key_id text,
                 created_at timestamptz, expires_at timestamptz, tag_key bytea, current_hash bytea)
               -- one by one, as in WHOSE_SESSION
               join lateral (
                 select from api_keys k
                 where k.key_id = w.key_id and k.game_id = w.game_id and k.revoked_at is null
                   and (k.expires_at is null or k.expires_at > w.created_at) offset 0
               ) k on true
               join lateral (select * from games g where g.id = w.game_id offset 0) g on true
               left join lateral (
                 select * from devices d
                 where d.game_id = w.game_id and d.device_id = any (array[w.device_id, w.forgotten_id])
                 order by d.device_id = w.device_id desc limit 1
               ) d on true
               left join lateral (
                 select p.*, p.xmin from players p
                 where p.game_id = w.game_id and p.id = d.player_id and p.erase_requested_at is null offset 0
               ) p on true
             ), new_devices as (
               select distinct on (game_id, device_id) game_id, device_id, user_id, created_at
               from requested where known_player is null
               order by game_id, device_id
             ), claimed as (
               insert into devices (game_id, device_id, player_id, created_at)
               select game_id, device_id, nextval(pg_get_serial_sequence('players', 'id')), created_at from new_devices
               order by game_id, device_id
               on conflict do nothing
               returning game_id, device_id, player_id, created_at
             ), counted as (
               insert into game_days as g (game_id, day, shard, new_players)
               select game_id, (created_at at time zone 'UTC')::date, rollup_shard('players'), count(*)
               from claimed group by 1, 2 order by 1, 2
               on conflict (game_id, day, shard) do update set new_players = g.new_players + excluded.new_players
             ), new_players as (
               insert into players (id, game_id, user_id, created_at)
               select c.player_id, c.game_id, s.user_id, c.created_at
               from claimed c join new_devices s using (game_id, device_id)
               returning *, xmin
             ), resolved as (
               select id, device_id, key_id, created_at, expires_at, tag_key, current_hash, ${PLAYER_NAMES}
               from requested where "playerId" is not null
               union all
               select w.id, w.device_id, w.key_id, w.created_at, w.expires_at, w.tag_key, w.current_hash, ${PLAYER_COLUMNS}
               from requested w
               join claimed c using (game_id, device_id)
               join new_players p on p.id = c.player_id
               join lateral (select * from games g where g.id = p.game_id offset 0) g on true
             ), opened as (
               insert into sessions (id, player_id, device_id, key_id, created_at, expires_at, check_on, tag_key,
                 current_hash)
               select id, "playerId", device_id, key_id, created_at, expires_at, ${CHECK_DAY}, tag_key, current_hash
               from resolved
             )
             select id as "sessionId", ${PLAYER_NAMES} from resolved`,
    },
    [JSON.stringify(sessions.map(sessionRecord))],
  );
}

/** By the names of the columns. All of them in one JSON text cost less than an array for each. */
function sessionRecord(session: NewPlayerSession) {
  return {
    id: session.sessionId,
    user_id: session.userIdIfNew,
    game_id: session.gameId,
    device_id: session.deviceId,
    forgotten_id: session.forgottenId,
    key_id: session.keyId,
    created_at: new Date(session.createdAt),
    expires_at: new Date(session.expiresAt),
    tag_key: byteaText(session.refresh.tagKey),
    current_hash: byteaText(session.refresh.currentHash),
  };
}

function byteaText(bytes: Buffer): string {
  return `\\x${bytes.toString('hex')}`;
}

export type LivePlayer = PlayerRow & {
  sessionId: string;
  /** The environment of the key that opened the session. */
  environment: 'development' | 'production';
};

/**
 * The game and the player of a session `s`, unless all sessions of its key have ended. Looked up one by one (offset 0), and
 * the player together with the game: a plan made while there are few players would otherwise read all of them every time,
 * until PostgreSQL has new statistics.
 */
const WHOSE_SESSION = `join lateral (
               select * from api_keys k where k.key_id = s.key_id and not k.sessions_ended offset 0
             ) k on true
             join lateral (select * from games g where g.id = k.game_id offset 0) g on true
             join lateral (
               select p.*, p.xmin from players p
               where p.game_id = g.id and p.id = s.player_id and p.erase_requested_at is null offset 0
             ) p on true`;

/** The players of the sessions that exist: a session that has ended is deleted. */
export async function findLivePlayers(pool: Pool, sessionIds: string[]): Promise<LivePlayer[]> {
  return query<LivePlayer>(
    pool,
    {
      name: 'find_live_players',
      text: `select s.id as "sessionId", k.environment, ${PLAYER_COLUMNS}
             from sessions s
             ${WHOSE_SESSION}
             where s.id = any($1::uuid[])`,
    },
    [sessionIds],
  );
}

export type RefreshRow = LivePlayer & {
  deviceId: string;
  tenantSlug: string;
  gameSlug: string;
  expiresAt: number;
  tagKey: Buffer;
  currentHash: Buffer;
  recent: RefreshState['recent'];
};

export async function findRefreshRows(pool: Pool, sessionIds: string[]): Promise<RefreshRow[]> {
  return query<RefreshRow>(
    pool,
    {
      name: 'find_refresh_rows',
      text: `select s.id as "sessionId", s.device_id as "deviceId", t.slug as "tenantSlug", g.slug as "gameSlug",
               s.expires_at as "expiresAt", s.tag_key as "tagKey", s.current_hash as "currentHash", s.recent,
               k.environment, ${PLAYER_COLUMNS}
             from sessions s
             ${WHOSE_SESSION}
             join tenants t on t.id = g.tenant_id
             where s.id = any($1::uuid[])`,
    },
    [sessionIds],
  );
}

/** The next state of a session's chain, and the one it follows. */
export type ChainMove = { sessionId: string; previousHash: Buffer; next: RefreshState; expiresAt: number };

/**
 * Moves chains on, each unless another refresh moved it first or the session has ended: a logout always wins. Returns the
 * sessions that were moved; of several moves of one session only the first counts. Rows are locked in one order, so that
 * groups of several nodes never deadlock.
 */
export async function updateRefreshChains(pool: Pool, moves: readonly ChainMove[]): Promise<string[]> {
  const rows = await query<{ sessionId: string }>(
    pool,
    {
      name: 'update_refresh_chains',
      text: `with held as (
               select id from sessions where id = any($1::uuid[]) order by id for no key update
             )
             update sessions s
             set current_hash = m.next_hash, recent = m.recent, expires_at = m.expires_at
             from unnest($1::uuid[], $2::bytea[], $3::bytea[], $4::text[]::jsonb[], $5::timestamptz[])
               as m(id, previous_hash, next_hash, recent, expires_at)
             join held using (id)
             where s.id = m.id and s.current_hash = m.previous_hash
             returning s.id as "sessionId"`,
    },
    [
      moves.map(({ sessionId }) => sessionId),
      moves.map(({ previousHash }) => previousHash),
      moves.map(({ next }) => next.currentHash),
      moves.map(({ next }) => JSON.stringify(next.recent)),
      moves.map(({ expiresAt }) => new Date(expiresAt)),
    ],
  );
  return rows.map(({ sessionId }) => sessionId);
}

export async function deleteSession(pool: Pool, sessionId: string): Promise<number> {
  const rows = await query(
    pool,
    { name: 'delete_session', text: 'delete from sessions where id = $1 returning id' },
    [sessionId],
  );
  return rows.length;
}

/** Locked in the order in which refreshes lock them, so that the two never deadlock. */
export async function deleteSessionsOfPlayers(
  db: Pool | Client,
  playerIds: readonly string[],
): Promise<number> {
  const rows = await query(
    db,
    {
      name: 'delete_sessions_of_players',
      text: `with own as materialized (
               -- by itself: with the order beside it, a plan made early would go through all sessions by their ids
               select id from sessions where player_id = any($1::bigint[])
             ), held as (
               select id from sessions where id = any (array(select id from own)) order by id for update
             )
             delete from sessions where id = any (array(select id from held)) returning id`,
    },
    [playerIds],
  );
  return rows.length;
}

/** Zero if the player has no such session. */
export async function deleteSessionOfPlayer(
  client: Client,
  playerId: string,
  sessionId: string,
): Promise<number> {
  const { rowCount } = await client.query('delete from sessions where id = $1 and player_id = $2', [
    sessionId,
    playerId,
  ]);
  return rowCount ?? 0;
}

import { type Client, type Pool, query } from '../../platform/db/pool.js';

/** A session of a player as the studio sees it. */
export type ListedSession = {
  sessionId: string;
  deviceId: string;
  keyId: string;
  createdAt: number;
  expiresAt: number;
  /** Its key was revoked together with all sessions. */
  hasEndedWithKey: boolean;
};

/** The place of a session among those of its player. */
export type SessionKey = Readonly<{ createdAtMs: number; sessionId: string }>;

/** Comes before every session of an instant. */
export const NO_SESSION = '00000000-0000-0000-0000-000000000000';

/** The sessions of a player that were opened before a key, newest first. Those that have ended are deleted. */
export async function listSessions(
  db: Pool | Client,
  playerId: string,
  { createdAtMs, sessionId }: SessionKey,
  limit: number,
): Promise<ListedSession[]> {
  return query<ListedSession>(
    db,
    {
      name: 'list_sessions',
      text: `select s.id as "sessionId", s.device_id as "deviceId", s.key_id as "keyId", s.created_at as "createdAt",
               s.expires_at as "expiresAt", coalesce(k.sessions_ended, true) as "hasEndedWithKey"
             from (
               select * from sessions
               where player_id = $1 and (created_at, id) < ($2::timestamptz, $3::uuid)
               order by created_at desc, id desc
               limit $4
             ) s
             left join lateral (select sessions_ended from api_keys k where k.key_id = s.key_id offset 0) k on true
             order by s.created_at desc, s.id desc`,
    },
    [playerId, new Date(createdAtMs), sessionId, limit],
  );
}

export type ListedDevice = { deviceId: string; createdAt: number };

/** The devices of a player behind one, by their ids. A player has a few. */
export async function listDevices(
  pool: Pool,
  playerId: string,
  afterDeviceId: string,
  limit: number,
): Promise<ListedDevice[]> {
  return query<ListedDevice>(
    pool,
    {
      name: 'list_devices',
      text: `select device_id as "deviceId", created_at as "createdAt"
             from devices where player_id = $1 and device_id collate "C" > $2
             order by device_id collate "C"
             limit $3`,
    },
    [playerId, afterDeviceId, limit],
  );
}

import { type Actor, emailOf } from '../../platform/admin-api/audit-log.js';
import type { Client, Pool } from '../../platform/db/pool.js';
import type { StatedOverride } from './override-file.js';

/** Which of these the game has. */
export async function listKnownPlayers(
  pool: Pool,
  gameId: number,
  userIds: readonly string[],
): Promise<string[]> {
  const { rows } = await pool.query<{ userId: string }>(
    `select p.user_id as "userId" from unnest($2::uuid[]) as u(id)
     join lateral (select user_id from players p where p.user_id = u.id and p.game_id = $1 offset 0) p on true`,
    [gameId, userIds],
  );
  return rows.map(({ userId }) => userId);
}

export type ImportedPlayer = { playerId: string; userId: string };

/** In the order of their ids, so that two imports never wait for each other in a circle. */
export async function lockPlayers(
  client: Client,
  gameId: number,
  userIds: readonly string[],
): Promise<ImportedPlayer[]> {
  const { rows } = await client.query<ImportedPlayer>(
    `select p.id as "playerId", p.user_id as "userId" from players p
     where p.id = any (array(
       select k.id from unnest($2::uuid[]) as u(id)
       join lateral (select id from players p where p.user_id = u.id and p.game_id = $1 offset 0) k on true
     ))
     order by p.id
     for no key update of p`,
    [gameId, userIds],
  );
  return rows;
}

export type StandingOverride = {
  playerId: string;
  flagId: string;
  value: boolean;
  reason: string;
  until: number | null;
};

export async function listStandingOverrides(
  client: Client,
  playerIds: readonly string[],
): Promise<StandingOverride[]> {
  const { rows } = await client.query<StandingOverride>(
    `select player_id as "playerId", flag_id as "flagId", value, reason, until from flag_overrides
     where player_id = any ($1::bigint[]) and cleared_at is null`,
    [playerIds],
  );
  return rows;
}

type Place = Readonly<{ playerId: string; flagId: string }>;

export async function updateOverridesCleared(
  client: Client,
  places: readonly Place[],
  actor: Actor,
): Promise<void> {
  await client.query(
    `update flag_overrides o set cleared_at = $3, cleared_by = $4, cleared_by_email = $5
     from unnest($1::bigint[], $2::text[]) as c(player_id, flag_id)
     where o.player_id = c.player_id and o.flag_id = c.flag_id and o.cleared_at is null`,
    [
      ...[places.map(({ playerId }) => playerId), places.map(({ flagId }) => flagId)],
      ...[new Date(actor.nowMs), actor.name, emailOf(actor)],
    ],
  );
}

export type SetOverride = Place & Pick<StatedOverride, 'reason' | 'until'> & Readonly<{ value: boolean }>;

export async function insertOverrides(
  client: Client,
  overrides: readonly SetOverride[],
  actor: Actor,
): Promise<void> {
  await client.query(
    `insert into flag_overrides (player_id, flag_id, value, reason, until, author, author_email, set_at)
     select *, $6::text, $7::text, $8::timestamptz
     from unnest($1::bigint[], $2::text[], $3::boolean[], $4::text[], $5::timestamptz[])`,
    [
      overrides.map(({ playerId }) => playerId),
      overrides.map(({ flagId }) => flagId),
      overrides.map(({ value }) => value),
      overrides.map(({ reason }) => reason),
      overrides.map(({ until }) => (until === null ? null : new Date(until))),
      actor.name,
      emailOf(actor),
      new Date(actor.nowMs),
    ],
  );
}

/** As `updateOverridesAt`, of many. */
export async function updateOverridesAtOf(
  client: Client,
  playerIds: readonly string[],
  atMs: number,
): Promise<void> {
  await client.query(
    'update players set overrides_at = greatest(overrides_at, $2) where id = any ($1::bigint[])',
    [playerIds, new Date(atMs)],
  );
}

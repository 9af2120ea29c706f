import { type Actor, emailOf } from '../../platform/admin-api/audit-log.js';
import { type Client, type Pool, query } from '../../platform/db/pool.js';
import {
  type Cleared,
  PAGE_OF_PLAYER,
  pageValues,
  SET_COLUMNS,
  type SetPage,
  type SetRow,
} from './set-rows.js';

/** A player's flag as a studio has set it, and what became of that. */
export type OverrideRow = SetRow & { flagId: string; value: boolean };

export const OVERRIDE_COLUMNS = `flag_id as "flagId", value, ${SET_COLUMNS}`;

export type ListedOverride = OverrideRow & { id: string };

/** The current ones first, then those that are over, newest first. */
export async function listOverrides(pool: Pool, playerId: string, page: SetPage): Promise<ListedOverride[]> {
  return query<ListedOverride>(
    pool,
    { name: 'list_overrides', text: `select id, ${OVERRIDE_COLUMNS} from flag_overrides ${PAGE_OF_PLAYER}` },
    pageValues(playerId, page),
  );
}

/** Clears the current override; undefined if there is none. */
export async function updateOverrideCleared(
  client: Client,
  { playerId, flagId }: { playerId: string; flagId: string },
  actor: Actor,
): Promise<OverrideRow | undefined> {
  const { rows } = await client.query<OverrideRow>(
    `update flag_overrides set cleared_at = $3, cleared_by = $4, cleared_by_email = $5
     where player_id = $1 and flag_id = $2 and cleared_at is null
     returning ${OVERRIDE_COLUMNS}`,
    [playerId, flagId, new Date(actor.nowMs), actor.name, emailOf(actor)],
  );
  return rows[0];
}

export type NewOverride = Omit<OverrideRow, Cleared> & {
  playerId: string;
};

/** The flag must have no current override. */
export async function insertOverride(client: Client, override: NewOverride): Promise<void> {
  const { playerId, flagId, value, reason, author, authorEmail, setAt, until } = override;
  await client.query(
    `insert into flag_overrides (player_id, flag_id, value, reason, author, author_email, set_at, until)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      ...[playerId, flagId, value, reason, author, authorEmail],
      ...[new Date(setAt), until === null ? null : new Date(until)],
    ],
  );
}

/**
 * Makes a new version of the player's row, which every node compares before it uses its cache. Never moves the time back:
 * nodes with slower clocks take it as the instant up to which overrides have happened.
 */
export async function updateOverridesAt(client: Client, playerId: string, atMs: number): Promise<void> {
  await client.query('update players set overrides_at = greatest(overrides_at, $2) where id = $1', [
    playerId,
    new Date(atMs),
  ]);
}

export type LockedPlayer = { playerId: string; tenantId: number; publishedVersion: number };

/** Those who change a player's overrides take turns from here to the end of the transaction. */
export async function lockPlayer(
  client: Client,
  gameId: number,
  userId: string,
): Promise<LockedPlayer | undefined> {
  const { rows } = await client.query<LockedPlayer>(
    `select p.id as "playerId", g.tenant_id as "tenantId", g.published_version as "publishedVersion"
     from players p join games g on g.id = p.game_id
     where p.user_id = $2 and p.game_id = $1
     for no key update of p`,
    [gameId, userId],
  );
  return rows[0];
}

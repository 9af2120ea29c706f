import type { Client, Pool } from '../db/pool.js';

/** Whether events whose type is not registered are accepted or held back. */
export type UnregisteredTypes = 'accept' | 'hold';

export const SLUG = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** What `isSlug` asks for, as the end of a sentence. */
export const SLUG_RULE = 'lower-case letters, digits and hyphens, 63 at most, and no hyphen first';

/** Ids of tenants and games are used in URLs, headers and tokens, so they are short and in lower case. */
export function isSlug(text: string): boolean {
  return SLUG.test(text);
}

/** The internal id; undefined if the slug is taken. */
export async function insertTenant(
  db: Pool | Client,
  slug: string,
  name: string,
): Promise<number | undefined> {
  const { rows } = await db.query<{ id: number }>(
    'insert into tenants (slug, name) values ($1, $2) on conflict do nothing returning id',
    [slug, name],
  );
  return rows[0]?.id;
}

export async function findTenantId(db: Pool | Client, slug: string): Promise<number | undefined> {
  const { rows } = await db.query<{ id: number }>('select id from tenants where slug = $1', [slug]);
  return rows[0]?.id;
}

/**
 * The internal id; undefined if the tenant does not exist or the slug is taken. Waits for a running change of the signing keys, and
 * a later change waits for this transaction, so that no game misses a change (signing-key-queries.ts).
 */
export async function insertGame(
  db: Pool | Client,
  tenant: string,
  slug: string,
  name: string,
): Promise<number | undefined> {
  const { rows } = await db.query<{ id: number }>(
    `insert into games (tenant_id, slug, name, signing_keys_version)
     select t.id, $2, $3, s.version from tenants t cross join signing_key_state s where t.slug = $1
     for share of s
     on conflict do nothing
     returning id`,
    [tenant, slug, name],
  );
  return rows[0]?.id;
}

export type GameRow = { id: number; publishedVersion: number };

export async function findGame(
  db: Pool | Client,
  tenant: string,
  slug: string,
): Promise<GameRow | undefined> {
  const { rows } = await db.query<GameRow>(
    `select g.id, g.published_version as "publishedVersion"
     from games g join tenants t on t.id = g.tenant_id
     where t.slug = $1 and g.slug = $2`,
    [tenant, slug],
  );
  return rows[0];
}

export type GameSettingsRow = {
  slug: string;
  name: string;
  unregisteredTypes: UnregisteredTypes;
  /** Null: events are kept for ever. */
  retentionDays: number | null;
  /** For how long a request to erase a player can be withdrawn. */
  erasureWaitDays: number;
  /** Whether there is a public page on which players ask for erasure. */
  erasurePage: boolean;
};

/** Reads the settings, and locks them until the end of the transaction. Requests of players do not wait. */
export async function lockGameSettings(client: Client, gameId: number): Promise<GameSettingsRow> {
  const { rows } = await client.query<GameSettingsRow>(
    `select slug, name, unregistered_types as "unregisteredTypes", retention_days as "retentionDays",
       erasure_wait_days as "erasureWaitDays", erasure_page as "erasurePage"
     from games where id = $1 for no key update`,
    [gameId],
  );
  const [game] = rows;
  if (game === undefined) throw new Error(`there is no game ${gameId}`);
  return game;
}

export async function updateUnregisteredTypes(
  db: Pool | Client,
  gameId: number,
  unregisteredTypes: UnregisteredTypes,
): Promise<void> {
  await db.query(
    `update games set unregistered_types = $2, registry_version = registry_version + 1
     where id = $1 and unregistered_types <> $2`,
    [gameId, unregisteredTypes],
  );
}

export async function updateGameName(db: Pool | Client, gameId: number, name: string): Promise<void> {
  await db.query('update games set name = $2 where id = $1', [gameId, name]);
}

/** Null: events are kept for ever. */
export async function updateRetentionDays(
  db: Pool | Client,
  gameId: number,
  days: number | null,
): Promise<void> {
  await db.query('update games set retention_days = $2 where id = $1', [gameId, days]);
}

/** Counts for requests that come later. */
export async function updateErasureWaitDays(db: Pool | Client, gameId: number, days: number): Promise<void> {
  await db.query('update games set erasure_wait_days = $2 where id = $1', [gameId, days]);
}

export async function updateErasurePage(db: Pool | Client, gameId: number, isOn: boolean): Promise<void> {
  await db.query('update games set erasure_page = $2 where id = $1', [gameId, isOn]);
}

export type ListedTenant = { id: number; slug: string; name: string; games: number; createdAt: number };

export async function listTenants(pool: Pool): Promise<ListedTenant[]> {
  const { rows } = await pool.query<ListedTenant>(
    `select id, slug, name, (select count(*)::int from games where tenant_id = t.id) as games, created_at as "createdAt"
     from tenants t
     order by slug`,
  );
  return rows;
}

export type TenantGame = GameSettingsRow & {
  tenant: string;
  publishedVersion: number;
  /** How many API keys work. */
  keys: number;
};

/** All games, or those of a tenant. */
export async function listGames(pool: Pool, tenant?: string): Promise<TenantGame[]> {
  const { rows } = await pool.query<TenantGame>(
    `select t.slug as tenant, g.slug, g.name, g.published_version as "publishedVersion",
       (select count(*)::int from api_keys k where k.game_id = g.id and k.revoked_at is null
          and (k.expires_at is null or k.expires_at > now())) as keys,
       g.retention_days as "retentionDays", g.unregistered_types as "unregisteredTypes",
       g.erasure_wait_days as "erasureWaitDays", g.erasure_page as "erasurePage"
     from games g join tenants t on t.id = g.tenant_id
     where $1::text is null or t.slug = $1
     order by t.slug, g.slug`,
    [tenant ?? null],
  );
  return rows;
}

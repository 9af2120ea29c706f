import { randomBytes } from 'node:crypto';
import type { Page } from '../../platform/admin-api/keyset-page.js';
import { type Client, type Pool, query } from '../../platform/db/pool.js';
import { hashOfToken } from '../../platform/lib/secret-token.js';
import { generateServerKey, writeServerKey } from '../../platform/lib/server-key.js';
import { type MasterKeys, seal } from '../../platform/security/master-keys.js';

export type Environment = 'development' | 'production';
/** `client`: games sign their logins with it. `server`: the studio's own servers send it. */
export type KeyKind = 'client' | 'server';

/** What a server key may do. */
export const SERVER_SCOPES = ['events:write', 'players:read', 'players:write', 'purchases:write'] as const;
export type ServerScope = (typeof SERVER_SCOPES)[number];

/** The secret of a server key is the whole text that a server sends. */
export type NewApiKey = { keyId: string; secret: string };

/** Binds a sealed secret to its key: copied into the row of another tenant or key, it cannot be unsealed. */
export function apiKeyBinding(tenantSlug: string, keyId: string): string {
  return `api-key:${tenantSlug}:${keyId}`;
}

export function generateApiKey(environment: Environment, kind: KeyKind = 'client'): NewApiKey {
  if (kind === 'server') {
    const key = generateServerKey();
    return { keyId: key.keyId, secret: writeServerKey(key) };
  }
  const prefix = environment === 'production' ? 'sp_live' : 'sp_dev';
  return {
    keyId: `${prefix}_${randomBytes(12).toString('hex')}`,
    secret: randomBytes(32).toString('base64url'),
  };
}

export type KeyPlace = {
  tenant: string;
  game: string;
  environment: Environment;
  label: string;
  /** By default a client key. */
  kind?: KeyKind;
  /** Of a server key. */
  scopes?: readonly ServerScope[];
};

/** False when the game does not exist or the key id is taken. */
export async function insertApiKey(
  db: Pool | Client,
  masterKeys: MasterKeys,
  key: NewApiKey,
  { tenant, game, environment, label, kind = 'client', scopes = [] }: KeyPlace,
): Promise<boolean> {
  const isClient = kind === 'client';
  const { rowCount } = await db.query(
    `insert into api_keys (key_id, game_id, environment, label, kind, scopes, sealed_secret, secret_hash)
     select $1, g.id, $4, $5, $6, $7, $8, $9
     from games g join tenants t on t.id = g.tenant_id
     where t.slug = $2 and g.slug = $3
     on conflict do nothing`,
    [
      key.keyId,
      tenant,
      game,
      environment,
      label,
      kind,
      scopes,
      isClient ? seal(masterKeys, key.secret, apiKeyBinding(tenant, key.keyId)) : null,
      isClient ? null : hashOfToken(key.secret),
    ],
  );
  return rowCount === 1;
}

export type ListedKey = {
  keyId: string;
  tenant: string;
  game: string;
  environment: Environment;
  label: string;
  kind: KeyKind;
  scopes: ServerScope[];
  /** Of a server key, to the minute; null: it has not been used. */
  lastUsedAt: number | null;
  lastUsedFrom: string | null;
  createdAt: number;
  /** From this time on the key opens no session, or is refused; null: no end is set. */
  expiresAt: number | null;
  revokedAt: number | null;
};

/** `ending`: the key works until `expiresAt`. */
export function keyState(
  { expiresAt, revokedAt }: Pick<ListedKey, 'expiresAt' | 'revokedAt'>,
  nowMs: number,
): 'active' | 'ending' | 'expired' | 'revoked' {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt === null) return 'active';
  return expiresAt <= nowMs ? 'expired' : 'ending';
}

export async function listApiKeys(pool: Pool, tenant?: string, game?: string): Promise<ListedKey[]> {
  const { rows } = await pool.query<ListedKey>(
    `select k.key_id as "keyId", t.slug as tenant, g.slug as game, k.environment, k.label, k.kind, k.scopes,
       k.last_used_at as "lastUsedAt", k.last_used_from as "lastUsedFrom", k.created_at as "createdAt", k.expires_at as "expiresAt", k.revoked_at as "revokedAt"
     from api_keys k
     join games g on g.id = k.game_id
     join tenants t on t.id = g.tenant_id
     where ($1::text is null or t.slug = $1) and ($2::text is null or g.slug = $2)
     order by t.slug, g.slug, k.created_at`,
    [tenant ?? null, game ?? null],
  );
  return rows;
}

/** A page of the keys of a game, and one row more if there is a next page. */
export async function listApiKeysOfGame(
  pool: Pool,
  gameId: number,
  { after, limit }: Page,
): Promise<Omit<ListedKey, 'tenant' | 'game'>[]> {
  return query(
    pool,
    {
      name: 'list_api_keys_of_game',
      text: `select key_id as "keyId", environment, label, kind, scopes, last_used_at as "lastUsedAt",
               last_used_from as "lastUsedFrom", created_at as "createdAt", expires_at as "expiresAt", revoked_at as "revokedAt"
             -- offset 0 reads the keys of the game first: otherwise PostgreSQL may go through the keys of all games
             from (select * from api_keys where game_id = $1 offset 0) k
             where key_id > $2
             order by key_id
             limit $3`,
    },
    [gameId, after ?? '', limit + 1],
  );
}

export type UsableKey = { keyId: string; sealedSecret: Buffer };

/** The newest key of a game that logs players in to this environment. */
export async function findUsableKey(
  pool: Pool,
  gameId: number,
  environment: Environment,
): Promise<UsableKey | undefined> {
  const { rows } = await pool.query<UsableKey>(
    `select key_id as "keyId", sealed_secret as "sealedSecret"
     from api_keys
     where game_id = $1 and kind = 'client' and revoked_at is null and (expires_at is null or expires_at > now())
       and (environment = 'production' or $2 = 'development')
     order by created_at desc, key_id
     limit 1`,
    [gameId, environment],
  );
  return rows[0];
}

export type KeyState = {
  tenant: string;
  game: string;
  gameId: number;
  environment: Environment;
  label: string;
  kind: KeyKind;
  scopes: ServerScope[];
  expiresAt: number | null;
  revokedAt: number | null;
  sessionsEnded: boolean;
};

/** Reads a key, and locks it until the end of the transaction. */
export async function lockApiKey(client: Client, keyId: string): Promise<KeyState | undefined> {
  const { rows } = await client.query<KeyState>(
    `select t.slug as tenant, g.slug as game, g.id as "gameId", k.environment, k.label, k.kind, k.scopes, k.expires_at as "expiresAt",
       k.revoked_at as "revokedAt", k.sessions_ended as "sessionsEnded"
     from api_keys k
     join games g on g.id = k.game_id
     join tenants t on t.id = g.tenant_id
     where k.key_id = $1
     for update of k`,
    [keyId],
  );
  return rows[0];
}

/**
 * With `endSessions` the row of the key says that its sessions have ended, and every request reads the row. So it takes effect at
 * once for millions of sessions, and for a session that is being opened.
 */
export async function updateKeyRevoked(
  client: Client,
  keyId: string,
  { endSessions }: { endSessions: boolean },
): Promise<void> {
  await client.query(
    `update api_keys set revoked_at = coalesce(revoked_at, now()), sessions_ended = sessions_ended or $2
     where key_id = $1`,
    [keyId, endSessions],
  );
}

/** Sets the end of the key, unless it has an earlier one. Returns the end. */
export async function updateKeyExpiry(client: Client, keyId: string, expiresAt: number): Promise<number> {
  const { rows } = await client.query<{ expiresAt: number }>(
    `update api_keys set expires_at = least(expires_at, $2::timestamptz) where key_id = $1
     returning expires_at as "expiresAt"`,
    [keyId, new Date(expiresAt)],
  );
  return rows[0]?.expiresAt ?? expiresAt;
}

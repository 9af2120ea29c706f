import type { ServerScope } from '../../core/sessions/api-key-queries.js';
import { type Pool, query } from '../../platform/db/pool.js';

/** A server key that is not revoked, with its game. */
export type ServerKeyRow = {
  keyId: string;
  gameId: number;
  tenantSlug: string;
  gameSlug: string;
  environment: 'development' | 'production';
  scopes: ServerScope[];
  secretHash: Buffer;
  expiresAt: number | null;
  /** The state of the game's event types at the moment of reading. */
  registryVersion: number;
};

export async function findServerKeys(pool: Pool, keyIds: readonly string[]): Promise<ServerKeyRow[]> {
  return query<ServerKeyRow>(
    pool,
    {
      name: 'find_server_keys',
      text: `select k.key_id as "keyId", k.game_id as "gameId", t.slug as "tenantSlug", g.slug as "gameSlug", k.environment,
               k.scopes, k.secret_hash as "secretHash", k.expires_at as "expiresAt", g.registry_version as "registryVersion"
             from api_keys k
             join lateral (select * from games g where g.id = k.game_id offset 0) g on true
             join tenants t on t.id = g.tenant_id
             where k.key_id = any($1::text[]) and k.kind = 'server' and k.revoked_at is null`,
    },
    [keyIds],
  );
}

export async function updateKeyUse(
  pool: Pool,
  keyId: string,
  { usedAt, address }: { usedAt: number; address: string },
): Promise<void> {
  await query(
    pool,
    {
      name: 'update_key_use',
      text: `update api_keys set last_used_at = $2, last_used_from = $3
             where key_id = $1 and (last_used_at is null or last_used_at < $2)`,
    },
    [keyId, new Date(usedAt), address],
  );
}

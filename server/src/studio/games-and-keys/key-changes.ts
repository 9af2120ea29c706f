import {
  generateApiKey,
  insertApiKey,
  type KeyPlace,
  type KeyState,
  keyState,
  lockApiKey,
  type NewApiKey,
  updateKeyExpiry,
  updateKeyRevoked,
} from '../../core/sessions/api-key-queries.js';
import { type Actor, insertAuditEntry } from '../../platform/admin-api/audit-log.js';
import { findGame } from '../../platform/admin-api/tenants.js';
import { type Client, type Pool, transaction } from '../../platform/db/pool.js';
import type { MasterKeys } from '../../platform/security/master-keys.js';

/** Undefined if the game does not exist or the key id is taken. The secret is not written to the audit log. */
export function createApiKey(
  pool: Pool,
  masterKeys: MasterKeys,
  place: KeyPlace,
  actor: Actor,
  key: NewApiKey = generateApiKey(place.environment, place.kind),
): Promise<NewApiKey | undefined> {
  return transaction(pool, async (client) => {
    const gameId = await insertAt(client, masterKeys, key, place);
    if (gameId === undefined) return undefined;
    const { environment, label, kind = 'client', scopes = [] } = place;
    await insertAuditEntry(client, actor, {
      tenantId: null,
      gameId,
      action: 'api_key.create',
      target: `API key ${key.keyId}`,
      before: null,
      after: { kind, environment, label, scopes },
    });
    return key;
  });
}

export type Rotation = Readonly<{
  /** How long the old key still works; null: until it is revoked. */
  overlapMs: number | null;
  /** If set, only a key of this game is rotated. */
  gameId?: number;
}>;

export type RotatedKey = NewApiKey &
  Pick<KeyState, 'kind' | 'environment' | 'label' | 'scopes'> & { formerExpiresAt: number | null };

/** Creates a successor with the same kind, game, environment, label and scopes. Undefined if there is no such key that works. */
export function rotateApiKey(
  pool: Pool,
  masterKeys: MasterKeys,
  keyId: string,
  actor: Actor,
  { overlapMs, gameId }: Rotation = { overlapMs: null },
): Promise<RotatedKey | undefined> {
  return transaction(pool, async (client) => {
    const old = await lockKeyOf(client, keyId, gameId);
    if (old === undefined || !isWorking(old, actor.nowMs)) return undefined;
    const { kind, environment, label, scopes } = old;
    const key = generateApiKey(environment, kind);
    await insertAt(client, masterKeys, key, old);
    const formerExpiresAt =
      overlapMs === null ? old.expiresAt : await updateKeyExpiry(client, keyId, actor.nowMs + overlapMs);
    await insertAuditEntry(client, actor, {
      tenantId: null,
      gameId: old.gameId,
      action: 'api_key.rotate',
      target: `API key ${keyId}`,
      before: { keyId },
      after: {
        keyId: key.keyId,
        environment,
        label,
        formerExpiresAt: formerExpiresAt === null ? null : new Date(formerExpiresAt),
      },
    });
    return { ...key, kind, environment, label, scopes, formerExpiresAt };
  });
}

/** False if there is no such key, or the key is revoked already and nothing changes. */
export function revokeApiKey(
  pool: Pool,
  keyId: string,
  options: { endSessions: boolean; gameId?: number },
  actor: Actor,
): Promise<boolean> {
  return transaction(pool, async (client) => {
    const old = await lockKeyOf(client, keyId, options.gameId);
    if (old === undefined) return false;
    const endsSessions = options.endSessions && !old.sessionsEnded;
    if (old.revokedAt !== null && !endsSessions) return false;
    await updateKeyRevoked(client, keyId, options);
    const { environment, label, sessionsEnded } = old;
    await insertAuditEntry(client, actor, {
      tenantId: null,
      gameId: old.gameId,
      action: 'api_key.revoke',
      target: `API key ${keyId}`,
      before: { environment, label, isRevoked: old.revokedAt !== null, sessionsEnded },
      after: { environment, label, isRevoked: true, sessionsEnded: sessionsEnded || options.endSessions },
    });
    return true;
  });
}

/** Undefined if there is no such key, or it belongs to another game than the given one. */
async function lockKeyOf(client: Client, keyId: string, gameId?: number): Promise<KeyState | undefined> {
  const key = await lockApiKey(client, keyId);
  return gameId === undefined || key?.gameId === gameId ? key : undefined;
}

function isWorking(key: KeyState, nowMs: number): boolean {
  return ['active', 'ending'].includes(keyState(key, nowMs));
}

/** Returns the game of the new key. */
async function insertAt(
  client: Client,
  masterKeys: MasterKeys,
  key: NewApiKey,
  place: KeyPlace,
): Promise<number | undefined> {
  const game = await findGame(client, place.tenant, place.game);
  if (game === undefined || !(await insertApiKey(client, masterKeys, key, place))) return undefined;
  return game.id;
}

import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { Pool } from '../../platform/db/pool.js';
import { Batcher } from '../../platform/lib/batcher.js';
import type { Clock } from '../../platform/lib/clock.js';
import { type MasterKeys, seal, UnsealError, unseal } from '../../platform/security/master-keys.js';
import type { Settings } from '../../platform/settings/settings.js';
import { apiKeyBinding } from './api-key-queries.js';
import { isKeyAllowed } from './key-environment.js';
import { type ApiKeyRow, findApiKeys } from './session-queries.js';
import { isSignatureValid, type SignedLogin } from './verify-signature.js';

/** A key that was not revoked when it was read, with its game and slugs, which never change. */
export type ApiKey = Pick<ApiKeyRow, 'keyId' | 'gameId' | 'tenantSlug' | 'gameSlug'>;

/**
 * Who signed a login.
 *
 *   signature of a cached key ──right──► the key (whoever acts on it asks the database whether it still stands)
 *          │ wrong, or not cached
 *          ▼
 *   look-up ─► unsealing ─► HMAC ─► comparison ──right, and it may log in here──► the key, cached for a minute
 *                                       └── anything else ──► undefined
 *
 * An unknown key goes the same way as a known one, with a decoy secret, so that neither response nor time tells them
 * apart.
 */
export type ApiKeys = {
  /**
   * The key that signed this request, if it may log in here. Unless `mayBeCached` is false, the key may have been revoked
   * within the last minute.
   */
  authenticate(request: SignedLogin, mayBeCached: boolean): Promise<ApiKey | undefined>;
  forget(keyId: string): void;
};

type Options = {
  pool: Pool;
  masterKeys: MasterKeys;
  settings: Pick<Settings, 'environment'>;
  clock: Clock;
  logger: Logger;
};

/** Key ids are made of these only, so that `|` in the signed string can never shift a boundary. */
const KEY_ID = /^[A-Za-z0-9_-]{1,128}$/;
/** One look-up and one unsealing per key and minute, instead of per login. */
const CACHED_MS = 60_000;
const MAX_CACHED = 10_000;

export function createApiKeys({ pool, masterKeys, settings, clock, logger }: Options): ApiKeys {
  const cache = new Map<string, { key: ApiKey; secret: Buffer; until: number }>();
  const decoySecret = randomBytes(32);
  const sealedDecoy = seal(masterKeys, decoySecret, 'nobody');

  /**
   * Undefined for a row that was tampered with: logins with it are refused, and only the log says why. A master key that is
   * not configured is the operator's mistake, not the row's, and stays an error.
   */
  const secretOf = (row: ApiKeyRow): Buffer | undefined => {
    try {
      return unseal(masterKeys, row.sealedSecret, apiKeyBinding(row.tenantSlug, row.keyId));
    } catch (error) {
      if (!(error instanceof UnsealError) || error.reason === 'unknown_key') throw error;
      logger.error(
        { err: error, keyId: row.keyId },
        'the stored secret of an API key cannot be unsealed: its row was changed. Logins with this key are refused; rotate it',
      );
      return undefined;
    }
  };

  const addToCache = (key: ApiKey, secret: Buffer, expiresAt: number | null): void => {
    const now = clock.now();
    cache.delete(key.keyId);
    for (const [keyId, { until }] of cache) {
      if (until > now && cache.size < MAX_CACHED) break;
      cache.delete(keyId);
    }
    cache.set(key.keyId, {
      key,
      secret,
      until: Math.min(now + CACHED_MS, expiresAt ?? Number.POSITIVE_INFINITY),
    });
  };

  const fromCache = (request: SignedLogin): ApiKey | undefined => {
    const known = cache.get(request.apiKey);
    const isValid = isSignatureValid(known?.secret ?? decoySecret, request);
    if (known === undefined) return undefined;
    if (known.until > clock.now()) return isValid ? known.key : undefined;
    cache.delete(request.apiKey);
    return undefined;
  };

  const check = (request: SignedLogin, row: ApiKeyRow | undefined): ApiKey | undefined => {
    const secret = (row && secretOf(row)) ?? unseal(masterKeys, sealedDecoy, 'nobody');
    const isValid = isSignatureValid(secret, request);
    if (row === undefined || !isValid || row.revoked || !isKeyAllowed(settings, row.environment))
      return undefined;
    const { keyId, gameId, tenantSlug, gameSlug, expiresAt } = row;
    if (expiresAt !== null && expiresAt <= clock.now()) return undefined;
    const key = { keyId, gameId, tenantSlug, gameSlug };
    addToCache(key, secret, expiresAt);
    return key;
  };

  /** An error of one row must fail only its own logins, and not all that were looked up together. */
  const checkAlone = (request: SignedLogin, row: ApiKeyRow | undefined): ApiKey | Error | undefined => {
    try {
      return check(request, row);
    } catch (error) {
      return error as Error;
    }
  };

  // Batching also saves CPU: checking many signatures in a row costs half of checking each between other work.
  const batcher = new Batcher<{ request: SignedLogin; mayBeCached: boolean }, ApiKey | Error | undefined>({
    maxItems: 500,
    maxInFlight: 2,
    maxWaiting: 10_000,
    async run(items) {
      const keys = items.map(({ request, mayBeCached }) => (mayBeCached ? fromCache(request) : undefined));
      const unknown = new Set(
        items.filter((_, n) => keys[n] === undefined).map(({ request }) => idOf(request)),
      );
      if (unknown.size === 0) return keys;
      const rows = new Map((await findApiKeys(pool, [...unknown])).map((row) => [row.keyId, row]));
      return items.map(({ request }, n) => keys[n] ?? checkAlone(request, rows.get(idOf(request))));
    },
  });

  return {
    async authenticate(request, mayBeCached) {
      const outcome = await batcher.submit({ request, mayBeCached });
      if (outcome instanceof Error) throw outcome;
      return outcome;
    },
    forget: (keyId) => cache.delete(keyId),
  };
}

/** For a key id that cannot be ours: a random secret. */
function idOf({ apiKey }: SignedLogin): string {
  return KEY_ID.test(apiKey) ? apiKey : '';
}

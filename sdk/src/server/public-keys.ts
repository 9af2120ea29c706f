import { SavepointError } from '../errors.js';

type Jwk = JsonWebKey & { kid?: string; use?: string };

export type PublicKeys = { find(kid: string): Promise<CryptoKey | undefined> };

/** How long keys are cached where the service does not say it. */
const DEFAULT_AGE_MS = 300_000;
/** An unknown key id causes a request at most this often: a client can invent any id. */
const COOLDOWN_MS = 10_000;
/** While the service cannot be reached, its keys are used this much longer. After that a revoked key might be among them. */
const MAX_STALE_MS = 3_600_000;
const ES256 = { name: 'ECDSA', namedCurve: 'P-256' };

/** The public keys of the service, fetched again when they are old or when a token names an unknown key. */
export function createPublicKeys(url: string, fetching: typeof fetch): PublicKeys {
  let keys = new Map<string, CryptoKey>();
  let askedAt = Number.NEGATIVE_INFINITY;
  let validUntil = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | undefined;

  const ask = async () => {
    askedAt = Date.now();
    const response = await fetching(url, { signal: AbortSignal.timeout(10_000) });
    if (!response.ok) throw new Error(`${url} returned ${response.status}.`);
    const { keys: list } = (await response.json()) as { keys: Jwk[] };
    const found = new Map<string, CryptoKey>();
    for (const jwk of list) {
      if (jwk.kid === undefined || jwk.crv !== 'P-256') continue;
      found.set(jwk.kid, await crypto.subtle.importKey('jwk', jwk, ES256, false, ['verify']));
    }
    const seconds = /max-age=(\d+)/.exec(response.headers.get('cache-control') ?? '')?.[1];
    keys = found;
    validUntil = Date.now() + (seconds === undefined ? DEFAULT_AGE_MS : Number(seconds) * 1000);
  };
  const askOnce = () => {
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    return asking;
  };

  return {
    async find(kid) {
      const now = Date.now();
      const isAged = now >= validUntil;
      if (isAged || (!keys.has(kid) && now - askedAt >= COOLDOWN_MS)) {
        try {
          await askOnce();
        } catch (cause) {
          if (now >= validUntil + MAX_STALE_MS) {
            const message = 'The public keys of the service could not be fetched.';
            throw new SavepointError('keys_unavailable', message, { cause });
          }
        }
      } else if (asking !== undefined) await asking.catch(() => {});
      return keys.get(kid);
    },
  };
}

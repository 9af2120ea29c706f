import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JWK } from 'jose';
import type { Logger } from 'pino';
import type { Pool } from '../../platform/db/pool.js';
import { Batcher } from '../../platform/lib/batcher.js';
import type { Clock } from '../../platform/lib/clock.js';
import { type MasterKeys, unseal } from '../../platform/security/master-keys.js';
import { findKeySet, findKeysVersion, type TrustedKey } from './signing-key-queries.js';

/**
 * The keys that sign access tokens, one after the other:
 *
 *   published ──PUBLISH_AHEAD──► signs ──next key signs──► only verifies ──last token expired──► forgotten
 *       └──────────────────────────┴──── revoked ─────────────┴──► neither signs nor verifies, at once on every node
 *
 * A new key is in the key set longer than any cache of it lives before the first token is signed with it, so neither a
 * node nor a studio's own server ever meets a key it cannot know: no session ends with a rotation.
 */
export type SigningKeys = {
  current(): { kid: string; privateKey: KeyObject };
  /** The public key for a `kid`. Asks the database for one that this node does not know. */
  find(kid: string): KeyObject | undefined | Promise<KeyObject | undefined>;
  /** Whether tokens of this key still count, as far as this node knows. */
  isTrusted(kid: string): boolean;
  /**
   * For callers that have just read the version of the keys from the database: undefined if this node has these keys,
   * otherwise a promise that resolves when it has.
   */
  catchUp(version: number): Promise<void> | undefined;
  /** The key set as served at /.well-known/jwks.json; the cached one while the database cannot be reached. */
  jwks(): Promise<{ keys: JWK[] }>;
  reload(): Promise<void>;
  stop(): void;
};

type Loaded = {
  version: number;
  signers: Signer[];
  byKid: Map<string, KeyObject>;
  revoked: ReadonlySet<string>;
  jwks: JWK[];
};
type Signer = { kid: string; privateKey: KeyObject; activeFrom: number };

/** How long clients may keep the key set. */
export const JWKS_MAX_AGE_SECONDS = 300;
const RELOAD_MS = 30_000;
/** Longer than a cached key set and differences of clocks together. */
export const PUBLISH_AHEAD_MS = JWKS_MAX_AGE_SECONDS * 1000 + 10 * RELOAD_MS;
/** Tokens with an invented `kid` must not cause a query each: they wait for the next one. */
const UNKNOWN_KID_RELOAD_MS = 1_000;
/** The database responds within milliseconds, or the key set is served without it. */
const JWKS_TIMEOUT_MS = 1_000;

type Options = {
  pool: Pool;
  /** For the first read, at the start of a process. */
  startPool?: Pool;
  masterKeys: MasterKeys;
  clock: Clock;
  accessTtlSeconds: number;
  logger: Pick<Logger, 'error'>;
};

export async function loadSigningKeys(options: Options): Promise<SigningKeys> {
  let loaded = await readKeys({ ...options, pool: options.startPool ?? options.pool });
  let lastReload = performance.now();
  let reloading: Promise<void> | undefined;

  const reload = (): Promise<void> => {
    reloading ??= readKeys(options, loaded)
      .then((fresh) => {
        loaded = fresh;
        lastReload = performance.now();
      })
      .finally(() => {
        reloading = undefined;
      });
    return reloading;
  };

  const reloadSoon = async (): Promise<void> => {
    const known = lastReload;
    const wait = known + UNKNOWN_KID_RELOAD_MS - performance.now();
    if (wait > 0) await sleep(wait, undefined, { ref: false });
    // Unless another caller has read the keys while this one waited.
    if (lastReload === known) await reload();
  };

  const reloadUntil = async (version: number): Promise<void> => {
    await reload();
    // That read may have begun before the change, and have missed it.
    if (loaded.version < version) await reload();
  };
  const catchUp = (version: number) => (version > loaded.version ? reloadUntil(version) : undefined);

  /** Callers at the same time share one read: the key set is public, and its requests are not limited. */
  const looks = new Batcher<void, void>({
    maxItems: 1_000,
    maxInFlight: 1,
    maxWaiting: 10_000,
    async run(items) {
      const look = findKeysVersion(options.pool).then(catchUp);
      await Promise.race([look.catch(() => {}), sleep(JWKS_TIMEOUT_MS, undefined, { ref: false })]);
      return items.map(() => undefined);
    },
  });

  const timer = setInterval(() => {
    // While the database is unavailable the known keys go on working; the next call tries again.
    reload().catch(() => {});
  }, RELOAD_MS).unref();

  return {
    current() {
      const signer = signerOf(loaded.signers, options.clock.now());
      if (signer === undefined) throw new Error('there is no signing key');
      return signer;
    },
    find(kid) {
      const key = loaded.byKid.get(kid);
      if (key !== undefined || loaded.revoked.has(kid)) return key;
      return reloadSoon().then(() => loaded.byKid.get(kid));
    },
    isTrusted: (kid) => loaded.byKid.has(kid),
    catchUp,
    async jwks() {
      await looks.submit().catch(() => {});
      return { keys: loaded.jwks };
    },
    reload,
    stop: () => clearInterval(timer),
  };
}

/** The newest active key; if no key is active by this clock, the oldest one. */
export function signerOf<Key extends { activeFrom: number }>(
  newestFirst: readonly Key[],
  nowMs: number,
): Key | undefined {
  return newestFirst.find(({ activeFrom }) => activeFrom <= nowMs) ?? newestFirst.at(-1);
}

/**
 * The keys that may have signed a token which has not expired. A key is dropped once a newer one has signed for longer than a
 * token lives.
 */
export function withoutSuperseded<Key extends { createdAt: number; activeFrom: number }>(
  newestFirst: readonly Key[],
  nowMs: number,
  accessTtlSeconds: number,
): readonly Key[] {
  const oldest = nowMs - accessTtlSeconds * 1000 - PUBLISH_AHEAD_MS;
  const superseded = newestFirst.findIndex((key) => Math.max(key.activeFrom, key.createdAt) < oldest);
  return superseded === -1 ? newestFirst : newestFirst.slice(0, superseded + 1);
}

/**
 * Without `known` every key must be readable. Later a node goes on with those it can read for signing, and verifies with all.
 */
async function readKeys(options: Options, known?: Loaded): Promise<Loaded> {
  const { pool, clock, accessTtlSeconds } = options;
  const { version, keys, revoked } = await findKeySet(pool);
  if (keys.length === 0) throw new Error('there is no signing key; `savepoint start` makes the first one');
  const kept = withoutSuperseded(keys, clock.now(), accessTtlSeconds);
  return {
    version,
    revoked: new Set(revoked),
    signers: kept.flatMap((key) => openSigner(options, key, known)),
    byKid: new Map(
      kept.map((row) => [row.kid, createPublicKey({ key: row.publicJwk as never, format: 'jwk' })]),
    ),
    jwks: kept.map((row) => row.publicJwk),
  };
}

function openSigner(
  { masterKeys, logger }: Options,
  { kid, sealedPrivate, activeFrom }: TrustedKey,
  known: Loaded | undefined,
): Signer[] {
  const opened = known?.signers.find((signer) => signer.kid === kid)?.privateKey;
  try {
    const key = opened ?? openPrivateKey(masterKeys, kid, sealedPrivate);
    return [{ kid, activeFrom, privateKey: key }];
  } catch (error) {
    if (known === undefined) throw error;
    logger.error(
      { err: error, kid },
      'a signing key cannot be unsealed; this node goes on with the other keys. Check SAVEPOINT_MASTER_KEY',
    );
    return [];
  }
}

function openPrivateKey(masterKeys: MasterKeys, kid: string, sealed: Buffer): KeyObject {
  return createPrivateKey({ key: unseal(masterKeys, sealed, boundTo(kid)), format: 'der', type: 'pkcs8' });
}

export function boundTo(kid: string): string {
  return `signing-key:${kid}`;
}

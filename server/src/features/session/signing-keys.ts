import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, type JWK } from 'jose';
import type { Pool } from '../../db/pool.js';
import type { Clock } from '../../lib/clock.js';
import { type MasterKeys, seal, unseal } from '../../lib/master-keys.js';

/**
 * The keys that sign access tokens. One is active; retired ones still verify until the last token they signed has
 * expired. A node learns of a rotation within RELOAD_MS, or at once when it meets an unknown `kid`; until then it may
 * go on signing with the retired key, which every other node still verifies: no session ends with a rotation.
 */
export type SigningKeys = {
  current(): { kid: string; privateKey: KeyObject };
  /** The public key for a `kid`, asking the database for one that this node has not met. */
  find(kid: string): KeyObject | undefined | Promise<KeyObject | undefined>;
  /** The key set as served at /.well-known/jwks.json. */
  jwks(): { keys: JWK[] };
  reload(): Promise<void>;
  stop(): void;
};

type SigningKeyRow = { kid: string; publicJwk: JWK; sealedPrivate: Buffer; retiredAt: number | null };
type Loaded = { active: { kid: string; privateKey: KeyObject }; byKid: Map<string, KeyObject>; jwks: JWK[] };

const RELOAD_MS = 30_000;
/** Tokens with an invented `kid` must not turn into a query each. */
const UNKNOWN_KID_RELOAD_MS = 2_000;
/** Longer than a node may go on with a retired key, clock differences included. */
const RETIREMENT_MARGIN_MS = 300_000;

type Options = { pool: Pool; masterKeys: MasterKeys; clock: Clock; accessTtlSeconds: number };

export async function loadSigningKeys(options: Options): Promise<SigningKeys> {
  let loaded = await readKeys(options);
  let lastReload = options.clock.now();
  let reloading: Promise<void> | undefined;

  const reload = (): Promise<void> => {
    reloading ??= readKeys(options)
      .then((fresh) => {
        loaded = fresh;
        lastReload = options.clock.now();
      })
      .finally(() => {
        reloading = undefined;
      });
    return reloading;
  };

  const timer = setInterval(() => {
    // While the database is away the known keys go on working; the next round tries again.
    reload().catch(() => {});
  }, RELOAD_MS).unref();

  return {
    current: () => loaded.active,
    find(kid) {
      const known = loaded.byKid.get(kid);
      if (known !== undefined || options.clock.now() - lastReload < UNKNOWN_KID_RELOAD_MS) return known;
      return reload().then(() => loaded.byKid.get(kid));
    },
    jwks: () => ({ keys: loaded.jwks }),
    reload,
    stop: () => clearInterval(timer),
  };
}

async function readKeys({ pool, masterKeys, clock, accessTtlSeconds }: Options): Promise<Loaded> {
  const oldest = clock.now() - accessTtlSeconds * 1000 - RETIREMENT_MARGIN_MS;
  const { rows } = await pool.query<SigningKeyRow>(
    `select kid, public_jwk as "publicJwk", sealed_private as "sealedPrivate", retired_at as "retiredAt"
     from signing_keys
     where retired_at is null or retired_at > $1
     order by created_at desc, kid`,
    [new Date(oldest)],
  );
  const active = rows.find((row) => row.retiredAt === null);
  if (active === undefined)
    throw new Error(
      'there is no active signing key; run `savepoint start` or `savepoint signing-key rotate`',
    );
  const privateKey = createPrivateKey({
    key: unseal(masterKeys, active.sealedPrivate, boundTo(active.kid)),
    format: 'der',
    type: 'pkcs8',
  });
  return {
    active: { kid: active.kid, privateKey },
    byKid: new Map(
      rows.map((row) => [row.kid, createPublicKey({ key: row.publicJwk as never, format: 'jwk' })]),
    ),
    jwks: rows.map((row) => row.publicJwk),
  };
}

/** Makes a new key the active one and retires the others. */
export async function rotateSigningKey(pool: Pool, masterKeys: MasterKeys, nowMs: number): Promise<string> {
  const key = await newKey(masterKeys);
  await pool.query(
    `with retired as (update signing_keys set retired_at = $4 where retired_at is null)
     insert into signing_keys (kid, public_jwk, sealed_private, created_at) values ($1, $2, $3, $4)`,
    [key.kid, key.publicJwk, key.sealedPrivate, new Date(nowMs)],
  );
  return key.kid;
}

/** Gives a new installation its first key; on several nodes starting at once, exactly one. */
export async function ensureSigningKey(pool: Pool, masterKeys: MasterKeys, nowMs: number): Promise<void> {
  const key = await newKey(masterKeys);
  await pool.query(
    `with turn as materialized (select pg_advisory_xact_lock(hashtext('savepoint signing key')))
     insert into signing_keys (kid, public_jwk, sealed_private, created_at)
     select $1, $2, $3, $4 from turn
     where not exists (select from signing_keys where retired_at is null)`,
    [key.kid, key.publicJwk, key.sealedPrivate, new Date(nowMs)],
  );
}

async function newKey(masterKeys: MasterKeys) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = await exportJWK(publicKey);
  const kid = await calculateJwkThumbprint(jwk);
  return {
    kid,
    publicJwk: { ...jwk, kid, alg: 'ES256', use: 'sig' },
    sealedPrivate: seal(masterKeys, privateKey.export({ format: 'der', type: 'pkcs8' }), boundTo(kid)),
  };
}

export function boundTo(kid: string): string {
  return `signing-key:${kid}`;
}

import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { calculateJwkThumbprint, exportJWK, type JWK } from 'jose';
import { type Pool, transaction } from '../../db/pool.js';
import type { Clock } from '../../lib/clock.js';
import { type MasterKeys, seal, unseal } from '../../lib/master-keys.js';
import { type Actor, type AuditEntry, insertAuditEntry, serviceActor } from '../audit/audit-log.js';

/**
 * The keys that sign access tokens, one after the other:
 *
 *   published ──PUBLISH_AHEAD──► signs ──next key signs──► only verifies ──last token expired──► forgotten
 *
 * A new key is in the key set longer than any cache of it lives before the first token is signed with it, so neither a
 * node nor a studio's own server ever meets a key it cannot know: no session ends with a rotation.
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

type SigningKeyRow = { kid: string; publicJwk: JWK; sealedPrivate: Buffer; activeFrom: number };
type Loaded = { signers: Signer[]; byKid: Map<string, KeyObject>; jwks: JWK[] };
type Signer = { kid: string; privateKey: KeyObject; activeFrom: number };

/** How long clients may keep the key set. */
export const JWKS_MAX_AGE_SECONDS = 300;
const RELOAD_MS = 30_000;
/** Longer than a cached key set, a node's next reload and differences of clocks together. */
const PUBLISH_AHEAD_MS = JWKS_MAX_AGE_SECONDS * 1000 + 10 * RELOAD_MS;
/** Tokens with an invented `kid` must not turn into a query each: they wait for the next one. */
const UNKNOWN_KID_RELOAD_MS = 1_000;

type Options = { pool: Pool; masterKeys: MasterKeys; clock: Clock; accessTtlSeconds: number };

export async function loadSigningKeys(options: Options): Promise<SigningKeys> {
  let loaded = await readKeys(options);
  let lastReload = performance.now();
  let reloading: Promise<void> | undefined;

  const reload = (): Promise<void> => {
    reloading ??= readKeys(options)
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
    // Unless somebody else asked while this one waited.
    if (lastReload === known) await reload();
  };

  const timer = setInterval(() => {
    // While the database is away the known keys go on working; the next round tries again.
    reload().catch(() => {});
  }, RELOAD_MS).unref();

  return {
    current() {
      const now = options.clock.now();
      // Newest first; at the very least the oldest one signs, whatever a clock says.
      const signer = loaded.signers.find(({ activeFrom }) => activeFrom <= now) ?? loaded.signers.at(-1);
      if (signer === undefined) throw new Error('there is no signing key');
      return signer;
    },
    find(kid) {
      return loaded.byKid.get(kid) ?? reloadSoon().then(() => loaded.byKid.get(kid));
    },
    jwks: () => ({ keys: loaded.jwks }),
    reload,
    stop: () => clearInterval(timer),
  };
}

async function readKeys({ pool, masterKeys, clock, accessTtlSeconds }: Options): Promise<Loaded> {
  const { rows } = await pool.query<SigningKeyRow>(
    `select kid, public_jwk as "publicJwk", sealed_private as "sealedPrivate", active_from as "activeFrom"
     from signing_keys order by active_from desc, created_at desc, kid`,
  );
  if (rows.length === 0) throw new Error('there is no signing key; `savepoint start` makes the first one');
  // A key may go once its successor has signed for longer than a token lives.
  const oldest = clock.now() - accessTtlSeconds * 1000 - PUBLISH_AHEAD_MS;
  const superseded = rows.findIndex((row) => row.activeFrom < oldest);
  const kept = superseded === -1 ? rows : rows.slice(0, superseded + 1);
  return {
    signers: kept.map(({ kid, sealedPrivate, activeFrom }) => ({
      kid,
      activeFrom,
      privateKey: createPrivateKey({
        key: unseal(masterKeys, sealedPrivate, boundTo(kid)),
        format: 'der',
        type: 'pkcs8',
      }),
    })),
    byKid: new Map(
      kept.map((row) => [row.kid, createPublicKey({ key: row.publicJwk as never, format: 'jwk' })]),
    ),
    jwks: kept.map((row) => row.publicJwk),
  };
}

/**
 * Publishes a new key that takes over once every cache has seen it; `immediately` when the present one is compromised.
 * Returns when it starts to sign.
 */
export async function rotateSigningKey(
  pool: Pool,
  masterKeys: MasterKeys,
  actor: Actor,
  { immediately }: { immediately: boolean },
): Promise<{ kid: string; activeFrom: number }> {
  const key = await newKey(masterKeys);
  const activeFrom = immediately ? actor.nowMs : actor.nowMs + PUBLISH_AHEAD_MS;
  await transaction(pool, async (client) => {
    await client.query(
      `insert into signing_keys (kid, public_jwk, sealed_private, created_at, active_from)
       values ($1, $2, $3, $4, $5)`,
      [key.kid, key.publicJwk, key.sealedPrivate, new Date(actor.nowMs), new Date(activeFrom)],
    );
    await insertAuditEntry(client, actor, auditEntry('signing_key.rotate', key.kid, activeFrom));
  });
  return { kid: key.kid, activeFrom };
}

/** Gives a new installation its first key; on several nodes starting at once, exactly one. */
export async function ensureSigningKey(pool: Pool, masterKeys: MasterKeys, nowMs: number): Promise<void> {
  const key = await newKey(masterKeys);
  await transaction(pool, async (client) => {
    const { rowCount } = await client.query(
      `with turn as materialized (select pg_advisory_xact_lock(hashtext('savepoint signing key')))
       insert into signing_keys (kid, public_jwk, sealed_private, created_at, active_from)
       select $1, $2, $3, $4, $4 from turn
       where not exists (select from signing_keys)`,
      [key.kid, key.publicJwk, key.sealedPrivate, new Date(nowMs)],
    );
    if (rowCount === 0) return;
    await insertAuditEntry(client, serviceActor(nowMs), auditEntry('signing_key.create', key.kid, nowMs));
  });
}

/** Signing keys serve all studios. */
function auditEntry(
  action: 'signing_key.create' | 'signing_key.rotate',
  kid: string,
  activeFrom: number,
): AuditEntry {
  const after = { signsFrom: new Date(activeFrom).toISOString() };
  return { tenantId: null, gameId: null, action, target: `signing key ${kid}`, before: null, after };
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

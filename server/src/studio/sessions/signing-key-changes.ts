import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, type JWK } from 'jose';
import {
  deleteKeysUnder,
  insertSigningKey,
  type ListedSigningKey,
  listSigningKeys,
  lockSigningKeys,
  updateActiveFrom,
  updateKeyRevoked,
  updateKeysVersion,
} from '../../core/sessions/signing-key-queries.js';
import { boundTo, PUBLISH_AHEAD_MS, signerOf } from '../../core/sessions/signing-keys.js';
import type { AuditAction } from '../../platform/admin-api/audit-actions.js';
import { type Actor, insertAuditEntry, serviceActor } from '../../platform/admin-api/audit-log.js';
import { type Client, type Pool, transaction } from '../../platform/db/pool.js';
import { type MasterKeys, seal } from '../../platform/security/master-keys.js';

/** The `active_from` of a key that signs at once, also on a node whose clock is behind. */
const AT_ONCE = 0;

/**
 * Publishes a new key that takes over once every cache has seen it, or `immediately`: then every node signs with it from its
 * next login or refresh on. Returns when it starts to sign.
 */
export function rotateSigningKey(
  pool: Pool,
  masterKeys: MasterKeys,
  actor: Actor,
  { immediately }: { immediately: boolean },
): Promise<{ kid: string; signsFrom: number }> {
  const signsFrom = immediately ? actor.nowMs : actor.nowMs + PUBLISH_AHEAD_MS;
  return transaction(pool, async (client) => {
    await lockSigningKeys(client);
    const kid = await addKey(client, masterKeys, actor, immediately ? AT_ONCE : signsFrom);
    await audit(client, actor, 'signing_key.rotate', kid, { signsFrom: new Date(signsFrom).toISOString() });
    return { kid, signsFrom };
  });
}

/** Gives a new installation its first key; on several nodes starting at once, exactly one. */
export async function ensureSigningKey(pool: Pool, masterKeys: MasterKeys, nowMs: number): Promise<void> {
  await transaction(pool, async (client) => {
    await lockSigningKeys(client);
    if ((await listSigningKeys(client)).length > 0) return;
    const kid = await addKey(client, masterKeys, serviceActor(nowMs), nowMs);
    const after = { signsFrom: new Date(nowMs).toISOString() };
    await audit(client, serviceActor(nowMs), 'signing_key.create', kid, after);
  });
}

/** Which key signs from now on, and whether it was created for that. */
export type KeyRevocation = { signer: string; isNew: boolean };

/**
 * Withdraws a key: with its next request every node refuses the tokens that it signed. If it was the signing key, the next
 * published key signs at once; if there is none, a new one. Undefined when there is no such key that is not revoked.
 */
export function revokeSigningKey(
  pool: Pool,
  masterKeys: MasterKeys,
  kid: string,
  actor: Actor,
): Promise<KeyRevocation | undefined> {
  return transaction(pool, async (client) => {
    await lockSigningKeys(client);
    const trusted = (await listSigningKeys(client)).filter(({ revokedAt }) => revokedAt === null);
    if (!trusted.some((key) => key.kid === kid)) return undefined;
    const signer = signerOf(trusted, actor.nowMs);
    await updateKeyRevoked(client, kid, actor.nowMs);
    await updateKeysVersion(client);
    const revocation =
      signer === undefined || signer.kid === kid
        ? await replaceSigner(
            client,
            masterKeys,
            trusted.filter((key) => key.kid !== kid),
            actor,
          )
        : { signer: signer.kid, isNew: false };
    await audit(client, actor, 'signing_key.revoke', kid, { signer: revocation.signer });
    return revocation;
  });
}

/**
 * Deletes the keys that are sealed under a lost master key, and makes one if none is left to sign. Returns how many were deleted. Tokens
 * that they signed are refused, and clients refresh.
 */
export async function replaceLostSigningKeys(
  client: Client,
  masterKeys: MasterKeys,
  lostMasterKeyId: string,
  actor: Actor,
): Promise<number> {
  await lockSigningKeys(client);
  const deleted = await deleteKeysUnder(client, lostMasterKeyId);
  if (deleted === 0) return 0;
  const trusted = (await listSigningKeys(client)).filter(({ revokedAt }) => revokedAt === null);
  if (signerOf(trusted, actor.nowMs) === undefined) await addKey(client, masterKeys, actor, AT_ONCE);
  else await updateKeysVersion(client);
  return deleted;
}

/** Never a key that has signed before: it was rotated away for a reason. */
async function replaceSigner(
  client: Client,
  masterKeys: MasterKeys,
  newestFirst: readonly ListedSigningKey[],
  actor: Actor,
): Promise<KeyRevocation> {
  const next = newestFirst.findLast(({ activeFrom }) => activeFrom > actor.nowMs);
  if (next === undefined) return { signer: await addKey(client, masterKeys, actor, AT_ONCE), isNew: true };
  await updateActiveFrom(client, next.kid, AT_ONCE);
  return { signer: next.kid, isNew: false };
}

/** Needs the lock. Returns the `kid`. */
async function addKey(
  client: Client,
  masterKeys: MasterKeys,
  actor: Actor,
  activeFrom: number,
): Promise<string> {
  const { kid, jwk, privateKey } = await generateKey();
  await insertSigningKey(client, {
    kid,
    publicJwk: { ...jwk, kid, alg: 'ES256', use: 'sig' },
    sealedPrivate: seal(masterKeys, privateKey.export({ format: 'der', type: 'pkcs8' }), boundTo(kid)),
    createdAt: actor.nowMs,
    activeFrom,
    ordinal: await updateKeysVersion(client),
  });
  return kid;
}

/** Its id is an argument of `signing-key revoke`, so it does not begin like an option. */
async function generateKey(): Promise<{ kid: string; jwk: JWK; privateKey: KeyObject }> {
  for (;;) {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const jwk = await exportJWK(publicKey);
    const kid = await calculateJwkThumbprint(jwk);
    if (!kid.startsWith('-')) return { kid, jwk, privateKey };
  }
}

/** Signing keys serve all studios. */
function audit(
  client: Client,
  actor: Actor,
  action: Extract<AuditAction, `signing_key.${string}`>,
  kid: string,
  after: unknown,
): Promise<void> {
  const entry = { tenantId: null, gameId: null, action, target: `signing key ${kid}`, before: null, after };
  return insertAuditEntry(client, actor, entry);
}

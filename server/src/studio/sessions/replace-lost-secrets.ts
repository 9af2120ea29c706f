import { randomBytes } from 'node:crypto';
import { apiKeyBinding, type Environment, generateApiKey } from '../../core/sessions/api-key-queries.js';
import { DEVICE_KEY_BINDING } from '../../core/sessions/forgotten-devices.js';
import { type Actor, insertAuditEntry } from '../../platform/admin-api/audit-log.js';
import { type Client, type Pool, transaction } from '../../platform/db/pool.js';
import { ERASURE_KEY_BINDING } from '../../platform/security/erasure-hashes.js';
import { type MasterKeys, primaryId, seal } from '../../platform/security/master-keys.js';
import { deleteRecoveryCodes } from '../accounts/recovery-code-queries.js';
import { replaceLostSigningKeys } from './signing-key-changes.js';

/** What was sealed under a master key that nobody has any more, and what took its place. */
export type ReplacedSecrets = Readonly<{
  /** Those that were not revoked. The new secret of each is to be shown once. */
  apiKeys: readonly Readonly<{ keyId: string; tenant: string; game: string; secret: string }>[];
  signingKeys: number;
  /** The accounts whose second factor is off now. */
  accounts: readonly string[];
  /** The games without a service account of Google now. */
  googleAccounts: readonly Readonly<{ tenant: string; game: string }>[];
  /** Whether hashes of erased players, or of forgotten devices, are not found again. */
  isErasureKeyNew: boolean;
  isDeviceKeyNew: boolean;
}>;

const KEY_BYTES = 32;

/**
 * The id of the master key stands in each sealed value, behind its first byte: see platform/security/master-keys.ts.
 *
 * Replaces everything that is sealed under a lost master key, all or nothing. Players, their sessions and their data stay. Nodes that
 * still run would hold the former secrets, so none may.
 */
export function replaceLostSecrets(
  pool: Pool,
  masterKeys: MasterKeys,
  lostId: string,
  actor: Actor,
): Promise<ReplacedSecrets> {
  return transaction(pool, async (client) => {
    const replaced: ReplacedSecrets = {
      apiKeys: await replaceApiKeys(client, masterKeys, lostId),
      signingKeys: await replaceLostSigningKeys(client, masterKeys, lostId, actor),
      accounts: await endSecondFactors(client, lostId),
      googleAccounts: await deleteGoogleAccounts(client, lostId),
      isErasureKeyNew: await replaceErasureKey(client, masterKeys, lostId),
      isDeviceKeyNew: await replaceDeviceKey(client, masterKeys, lostId),
    };
    await audit(client, masterKeys, lostId, replaced, actor);
    return replaced;
  });
}

type KeyRow = { keyId: string; tenant: string; game: string; environment: Environment; isRevoked: boolean };

/** The ids stay, because games have been shipped with them. A revoked key gets a secret that nobody knows: a later rotation opens all. */
async function replaceApiKeys(
  client: Client,
  masterKeys: MasterKeys,
  lostId: string,
): Promise<ReplacedSecrets['apiKeys']> {
  const { rows } = await client.query<KeyRow>(
    `select k.key_id as "keyId", t.slug as tenant, g.slug as game, k.environment, k.revoked_at is not null as "isRevoked"
     from api_keys k join games g on g.id = k.game_id join tenants t on t.id = g.tenant_id
     where k.kind = 'client' and encode(substring(k.sealed_secret from 2 for 4), 'hex') = $1
     order by t.slug, g.slug, k.created_at, k.key_id
     for update of k`,
    [lostId],
  );
  const replaced = rows.map((row) => ({ ...row, secret: generateApiKey(row.environment).secret }));
  for (const { keyId, tenant, secret } of replaced) {
    await client.query('update api_keys set sealed_secret = $2 where key_id = $1', [
      keyId,
      seal(masterKeys, secret, apiKeyBinding(tenant, keyId)),
    ]);
  }
  return replaced
    .filter(({ isRevoked }) => !isRevoked)
    .map(({ keyId, tenant, game, secret }) => ({ keyId, tenant, game, secret }));
}

async function endSecondFactors(client: Client, lostId: string): Promise<readonly string[]> {
  const { rows } = await client.query<{ id: string; email: string; wasOn: boolean }>(
    `select id, email, second_factor is not null as "wasOn" from accounts
     where encode(substring(second_factor from 2 for 4), 'hex') = $1 or encode(substring(second_factor_pending from 2 for 4), 'hex') = $1
     order by email
     for update`,
    [lostId],
  );
  for (const { id } of rows) {
    await client.query(
      'update accounts set second_factor = null, second_factor_pending = null where id = $1',
      [id],
    );
    await deleteRecoveryCodes(client, id);
  }
  return rows.filter(({ wasOn }) => wasOn).map(({ email }) => email);
}

/** Purchases that wait for Google go on waiting: the next account of the game asks about them. */
async function deleteGoogleAccounts(
  client: Client,
  lostId: string,
): Promise<ReplacedSecrets['googleAccounts']> {
  const { rows } = await client.query<{ tenant: string; game: string }>(
    `delete from google_accounts a using games g, tenants t
     where g.id = a.game_id and t.id = g.tenant_id and encode(substring(a.sealed_key from 2 for 4), 'hex') = $1
     returning t.slug as tenant, g.slug as game`,
    [lostId],
  );
  return rows;
}

async function replaceErasureKey(client: Client, masterKeys: MasterKeys, lostId: string): Promise<boolean> {
  const { rowCount } = await client.query(
    "update erasure_key set sealed_key = $2 where encode(substring(sealed_key from 2 for 4), 'hex') = $1",
    [lostId, seal(masterKeys, randomBytes(KEY_BYTES), ERASURE_KEY_BINDING)],
  );
  return rowCount === 1;
}

async function replaceDeviceKey(client: Client, masterKeys: MasterKeys, lostId: string): Promise<boolean> {
  const { rowCount } = await client.query(
    "update device_forgetting set sealed_key = $2 where encode(substring(sealed_key from 2 for 4), 'hex') = $1",
    [lostId, seal(masterKeys, randomBytes(KEY_BYTES), DEVICE_KEY_BINDING)],
  );
  return rowCount === 1;
}

/** Master keys serve all studios; only their ids are recorded. */
function audit(
  client: Client,
  masterKeys: MasterKeys,
  lostId: string,
  { apiKeys, signingKeys, accounts, googleAccounts, isErasureKeyNew, isDeviceKeyNew }: ReplacedSecrets,
  actor: Actor,
): Promise<void> {
  return insertAuditEntry(client, actor, {
    tenantId: null,
    gameId: null,
    action: 'master_key.replace_lost',
    target: `master key ${lostId}`,
    before: null,
    after: {
      sealedUnder: primaryId(masterKeys),
      apiKeys: apiKeys.map(({ keyId }) => keyId),
      signingKeys,
      accountsWithoutSecondFactor: accounts,
      gamesWithoutGoogleAccount: googleAccounts.map(({ tenant, game }) => `${tenant}/${game}`),
      isErasureKeyNew,
      isDeviceKeyNew,
    },
  });
}

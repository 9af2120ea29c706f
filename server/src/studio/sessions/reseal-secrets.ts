import { apiKeyBinding } from '../../core/sessions/api-key-queries.js';
import { DEVICE_KEY_BINDING } from '../../core/sessions/forgotten-devices.js';
import { boundTo } from '../../core/sessions/signing-keys.js';
import { type Actor, insertAuditEntry } from '../../platform/admin-api/audit-log.js';
import { type Client, type Pool, transaction } from '../../platform/db/pool.js';
import { ERASURE_KEY_BINDING } from '../../platform/security/erasure-hashes.js';
import { accountBinding } from '../../platform/security/google-account-binding.js';
import {
  type MasterKeys,
  primaryId,
  seal,
  sealedUnder,
  unseal,
} from '../../platform/security/master-keys.js';
import { secondFactorBinding } from '../accounts/second-factor-binding.js';

export type ResealedCounts = {
  apiKeys: number;
  signingKeys: number;
  secondFactors: number;
  erasureKeys: number;
  storeAccounts: number;
  deviceKeys: number;
};

type SealedRow = { id: string; binding: string; sealed: Buffer };

/**
 * Seals everything that is sealed under an older master key under the first one, all or nothing. Returns how many secrets
 * that were.
 */
export function resealAll(pool: Pool, masterKeys: MasterKeys, actor: Actor): Promise<ResealedCounts> {
  return transaction(pool, async (client) => {
    const apiKeys = await client.query<{ id: string; tenant: string; sealed: Buffer }>(
      `select k.key_id as id, t.slug as tenant, k.sealed_secret as sealed
       from api_keys k join games g on g.id = k.game_id join tenants t on t.id = g.tenant_id
       where k.kind = 'client'
       for update of k`,
    );
    const signingKeys = await client.query<{ id: string; sealed: Buffer }>(
      'select kid as id, sealed_private as sealed from signing_keys for update',
    );
    const accounts = await client.query<{ id: string; inForce: Buffer | null; pending: Buffer | null }>(
      `select id, second_factor as "inForce", second_factor_pending as pending from accounts
       where second_factor is not null or second_factor_pending is not null for update`,
    );
    const erasureKeys = await client.query<{ sealed: Buffer }>(
      'select sealed_key as sealed from erasure_key for update',
    );
    const storeAccounts = await client.query<{ gameId: number; sealed: Buffer }>(
      'select game_id as "gameId", sealed_key as sealed from google_accounts for update',
    );
    const deviceKeys = await client.query<{ sealed: Buffer }>(
      'select sealed_key as sealed from device_forgetting for update',
    );
    const counts = {
      apiKeys: await resealRows(
        client,
        masterKeys,
        'update api_keys set sealed_secret = $2 where key_id = $1',
        apiKeys.rows.map(({ id, tenant, sealed }) => ({ id, sealed, binding: apiKeyBinding(tenant, id) })),
      ),
      signingKeys: await resealRows(
        client,
        masterKeys,
        'update signing_keys set sealed_private = $2 where kid = $1',
        signingKeys.rows.map(({ id, sealed }) => ({ id, sealed, binding: boundTo(id) })),
      ),
      secondFactors:
        (await resealRows(
          client,
          masterKeys,
          'update accounts set second_factor = $2 where id = $1',
          accounts.rows.flatMap(({ id, inForce }) => secondFactorRows(id, inForce)),
        )) +
        (await resealRows(
          client,
          masterKeys,
          'update accounts set second_factor_pending = $2 where id = $1',
          accounts.rows.flatMap(({ id, pending }) => secondFactorRows(id, pending)),
        )),
      erasureKeys: await resealRows(
        client,
        masterKeys,
        'update erasure_key set sealed_key = $2 where only_row = $1::boolean',
        erasureKeys.rows.map(({ sealed }) => ({ id: 'true', sealed, binding: ERASURE_KEY_BINDING })),
      ),
      storeAccounts: await resealRows(
        client,
        masterKeys,
        'update google_accounts set sealed_key = $2 where game_id = $1::integer',
        storeAccounts.rows.map(({ gameId, sealed }) => ({
          id: String(gameId),
          sealed,
          binding: accountBinding(gameId),
        })),
      ),
      deviceKeys: await resealRows(
        client,
        masterKeys,
        'update device_forgetting set sealed_key = $2 where only_row = $1::boolean',
        deviceKeys.rows.map(({ sealed }) => ({ id: 'true', sealed, binding: DEVICE_KEY_BINDING })),
      ),
    };
    // A second run changes nothing.
    if (Object.values(counts).some((count) => count > 0)) await audit(client, masterKeys, counts, actor);
    return counts;
  });
}

function secondFactorRows(id: string, sealed: Buffer | null): SealedRow[] {
  return sealed === null ? [] : [{ id, sealed, binding: secondFactorBinding(id) }];
}

/** The master key serves all studios; only its id is recorded. */
function audit(client: Client, masterKeys: MasterKeys, counts: ResealedCounts, actor: Actor): Promise<void> {
  return insertAuditEntry(client, actor, {
    tenantId: null,
    gameId: null,
    action: 'master_key.rotate',
    target: `master key ${primaryId(masterKeys)}`,
    before: null,
    after: { resealed: counts },
  });
}

async function resealRows(
  client: Client,
  masterKeys: MasterKeys,
  update: string,
  rows: readonly SealedRow[],
): Promise<number> {
  const stale = rows.filter(({ sealed }) => sealedUnder(sealed) !== primaryId(masterKeys));
  for (const { id, binding, sealed } of stale) {
    await client.query(update, [id, seal(masterKeys, unseal(masterKeys, sealed, binding), binding)]);
  }
  return stale.length;
}

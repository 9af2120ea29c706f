import { type Actor, type AuditEntry, insertAuditEntry } from '../../platform/admin-api/audit-log.js';
import type { Client } from '../../platform/db/pool.js';

type Entry = Pick<AuditEntry, 'action' | 'target' | 'before' | 'after'>;

/** Writes an entry for each studio of the account; for an account without a studio, one entry for the installation. */
export async function insertAccountEntries(
  client: Client,
  actor: Actor,
  accountId: string,
  entry: Entry,
): Promise<void> {
  const { rows } = await client.query<{ tenantId: number }>(
    'select tenant_id as "tenantId" from studio_members where account_id = $1 order by joined_at, tenant_id',
    [accountId],
  );
  const tenantIds = rows.length === 0 ? [null] : rows.map(({ tenantId }) => tenantId);
  for (const tenantId of tenantIds)
    await insertAuditEntry(client, actor, { ...entry, tenantId, gameId: null });
}

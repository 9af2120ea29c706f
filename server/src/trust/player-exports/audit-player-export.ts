import { type Actor, insertAuditEntry } from '../../platform/admin-api/audit-log.js';
import { type Pool, transaction } from '../../platform/db/pool.js';

/** A download of personal data is recorded in the audit log, like a change. */
export function auditPlayerExport(
  pool: Pool,
  { gameId, userId }: Readonly<{ gameId: number; userId: string }>,
  actor: Actor,
): Promise<void> {
  return transaction(pool, (client) =>
    insertAuditEntry(client, actor, {
      tenantId: null,
      gameId,
      action: 'player.export',
      target: `player ${userId}`,
      before: null,
      after: null,
    }),
  );
}

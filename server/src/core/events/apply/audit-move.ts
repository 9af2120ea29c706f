import { insertAuditEntry, serviceActor } from '../../../platform/admin-api/audit-log.js';
import type { Client } from '../../../platform/db/pool.js';
import type { Move } from './transaction-claims.js';

/** A studio that is asked where a purchase went finds the answer here. */
export async function auditMove(
  client: Client,
  { gameId, transactionId, fromId, toId, atMs }: Move,
): Promise<void> {
  const { rows } = await client.query<{ id: string; userId: string }>({
    name: 'find_users_of_move',
    text: 'select id, user_id as "userId" from players where id = any($1::bigint[])',
    values: [[fromId, toId]],
  });
  const userOf = (id: string) => rows.find((row) => row.id === id)?.userId ?? null;
  await insertAuditEntry(client, serviceActor(atMs), {
    tenantId: null,
    gameId,
    action: 'purchase.move',
    target: `transaction ${transactionId}`,
    before: { player: userOf(fromId) },
    after: { player: userOf(toId) },
  });
}

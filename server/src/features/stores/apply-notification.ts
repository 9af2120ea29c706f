import { type Pool, sendAll, transaction } from '../../db/pool.js';
import type { ErasureHashes } from '../../security/erasure-hashes.js';
import { countChanges } from '../events/apply/apply-events.js';
import { listPlayersToRefund, lockTransactions } from '../events/apply/claim-queries.js';
import { lockPlayers } from '../events/apply/fold-queries.js';
import type { TransactionChange } from '../events/apply/transaction-changes.js';
import {
  insertNotification,
  isErasedOrder,
  type StoreNotification,
  updateErasedOrder,
} from './notification-queries.js';

export type NotificationOutcome = 'applied' | 'duplicate' | 'ignored';

/**
 * Remembers a notification, and counts everything again that follows from its transaction. In one transaction, with the same locks as
 * a verified purchase: a purchase at the same moment either finds the notification, or is found by it. The order of an erased player
 * is known by its hash: its id is not stored again.
 */
export function applyNotification(
  pool: Pool,
  hashes: ErasureHashes,
  notification: StoreNotification,
  nowMs: number,
): Promise<NotificationOutcome> {
  const { gameId, refund, signedAtMs } = notification;
  return transaction(pool, async (client) => {
    if (refund !== null) await lockTransactions(client, [{ gameId, transactionId: refund.transactionId }]);
    const orderHash = refund && hashes.order(gameId, refund.transactionId);
    const isErased = orderHash !== null && (await isErasedOrder(client, orderHash));
    if (!(await insertNotification(client, notification, { nowMs, isErased }))) return 'duplicate';
    if (refund === null) return 'ignored';
    const { transactionId, share, atMs } = refund;
    if (isErased) await updateErasedOrder(client, orderHash, refund);
    const buyers = await listPlayersToRefund(client, { gameId, transactionId });
    // Those who have been erased meanwhile are not among the locked. Those who wait for it are: they may withdraw.
    const locked = [...(await lockPlayers(client, buyers)).keys()];
    const changes = locked.map(
      (playerId): TransactionChange => ({
        playerId,
        gameId,
        transactionId,
        kind: 'notice',
        atMs: signedAtMs,
        share,
        refundedAtMs: atMs,
        recordedAtMs: nowMs,
      }),
    );
    await sendAll(client, countChanges(changes));
    return 'applied';
  });
}

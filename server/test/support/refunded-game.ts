import { applyEvents } from '../../src/core/events/apply/apply-events.js';
import type { ErasureHashes } from '../../src/platform/security/erasure-hashes.js';
import { applyNotification, type NotificationOutcome } from '../../src/trust/stores/apply-notification.js';
import type { GameWorld, TestPlayer } from './game-world.js';
import { toRecords } from './game-world.js';

/** No order is of an erased player. */
const noHash = () => Buffer.alloc(32);
export const NO_HASHES: ErasureHashes = { player: noHash, order: noHash, codeSeed: noHash, code: noHash };

/** What a player says of a transaction; `claim`: with a receipt of the store. */
export type Said = 'claim' | 'purchase' | 'refund';

export async function tell(
  { pool }: GameWorld,
  player: TestPlayer,
  said: Said,
  transactionId: string,
  receivedAtMs: number,
): Promise<void> {
  const timestamp = new Date(receivedAtMs - 1_000).toISOString();
  const price = { price: 4.99, currency: 'USD', skuId: 'gems', promoId: 'winter' };
  const payload = { transactionId, ...(said === 'refund' ? {} : price) };
  const eventType = said === 'refund' ? 'Refund' : 'Purchase';
  const records = toRecords(player, [{ eventType, timestamp, payload }], receivedAtMs);
  if (said !== 'claim') {
    await applyEvents(pool, records);
    return;
  }
  const proved = records.map((record) => {
    const sale = record.transaction && { ...record.transaction, price: '9.99', store: 'apple' as const };
    return { ...record, transaction: sale, sale };
  });
  await applyEvents(pool, proved);
}

/** What a store says of a transaction. Nothing was paid for a test purchase: its refund has no time. */
export type StoreWord = Readonly<{
  transactionId: string;
  share: string;
  signedAtMs: number;
  isTest?: boolean;
}>;

export function notify(
  { pool }: GameWorld,
  gameId: number,
  { transactionId, share, signedAtMs, isTest = false }: StoreWord,
  receivedAtMs: number,
): Promise<NotificationOutcome> {
  const notification = {
    gameId,
    store: 'apple',
    notificationId: `${transactionId} at ${signedAtMs}`,
    type: 'REFUND',
    signedAtMs,
    refund: { transactionId, share, atMs: isTest ? null : signedAtMs },
  } as const;
  return applyNotification(pool, NO_HASHES, notification, receivedAtMs);
}

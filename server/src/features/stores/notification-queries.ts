import type { Client } from '../../db/pool.js';

/** What a store says has happened. */
export type StoreNotification = Readonly<{
  gameId: number;
  store: 'apple' | 'google';
  notificationId: string;
  type: string;
  signedAtMs: number;
  /** Null where the notification says nothing about refunds: it is only remembered. */
  refund: Readonly<{ transactionId: string; share: string; atMs: number }> | null;
}>;

/** False if a notification of this id was received before. */
export async function insertNotification(
  client: Client,
  { gameId, store, notificationId, type, signedAtMs, refund }: StoreNotification,
  nowMs: number,
): Promise<boolean> {
  const { rowCount } = await client.query(
    `insert into store_notifications (game_id, store, notification_id, type, transaction_id, signed_at, share, refunded_at, received_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     on conflict do nothing`,
    [
      gameId,
      store,
      notificationId,
      type,
      refund?.transactionId ?? null,
      new Date(signedAtMs),
      refund?.share ?? null,
      refund === null ? null : new Date(refund.atMs),
      new Date(nowMs),
    ],
  );
  return rowCount === 1;
}

import type { Client } from '../../db/pool.js';

/** What a store says has happened. */
export type StoreNotification = Readonly<{
  gameId: number;
  store: 'apple' | 'google';
  notificationId: string;
  type: string;
  signedAtMs: number;
  /** Null where the notification says nothing about refunds: it is only remembered. */
  refund: Readonly<{
    transactionId: string;
    share: string;
    /** Null where nothing was paid: a test purchase, which counts without a price. */
    atMs: number | null;
  }> | null;
}>;

/** False if a notification of this id was received before. `isErased`: the id of its transaction is not to be stored again. */
export async function insertNotification(
  client: Client,
  { gameId, store, notificationId, type, signedAtMs, refund }: StoreNotification,
  { nowMs, isErased }: Readonly<{ nowMs: number; isErased: boolean }>,
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
      isErased ? null : (refund?.transactionId ?? null),
      new Date(signedAtMs),
      refund?.share ?? null,
      typeof refund?.atMs === 'number' ? new Date(refund.atMs) : null,
      new Date(nowMs),
    ],
  );
  return rowCount === 1;
}

/** Whether the transaction was of a player who has been erased. */
export async function isErasedOrder(client: Client, orderHash: Buffer): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'is_erased_order',
    text: 'select from erased_transactions where order_hash = $1 limit 1',
    values: [orderHash],
  });
  return rowCount !== 0;
}

/** Notes a refund with what is kept of the order of an erased player. */
export async function updateErasedOrder(
  client: Client,
  orderHash: Buffer,
  { share, atMs }: NonNullable<StoreNotification['refund']>,
): Promise<void> {
  await client.query({
    name: 'update_erased_order',
    text: `update erased_transactions set refunded_on = case when $2::numeric >= 1 then ($3::timestamptz at time zone 'UTC')::date end
           where order_hash = $1`,
    values: [orderHash, share, atMs === null ? null : new Date(atMs)],
  });
}

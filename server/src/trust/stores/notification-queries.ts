import type { TransactionId } from '../../core/events/apply/claim-queries.js';
import { type Client, query } from '../../platform/db/pool.js';

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

/** What a store gave back of a transaction, as it said at a time. */
export type StoreRefund = TransactionId &
  NonNullable<StoreNotification['refund']> &
  Pick<StoreNotification, 'signedAtMs'>;

/** False if a notification of this id was received before. `storedId`: the id of its transaction, or the hash that stands for it. */
export async function insertNotification(
  client: Client,
  { gameId, store, notificationId, type, signedAtMs, refund }: StoreNotification,
  { nowMs, storedId }: Readonly<{ nowMs: number; storedId: string | null }>,
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
      storedId,
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

/**
 * What a notification said that was received before. Null if that was nothing about a refund, or one of another transaction.
 * `erasedId` stands in place of the id once the player of the transaction is erased.
 */
export async function findRefund(
  client: Client,
  { gameId, store, notificationId, refund }: StoreNotification,
  erasedId: string,
): Promise<StoreRefund | null> {
  if (refund === null) return null;
  const { transactionId } = refund;
  const [known] = await query<Pick<StoreRefund, 'signedAtMs' | 'share' | 'atMs'>>(
    client,
    {
      name: 'find_refund_of_notification',
      text: `select signed_at as "signedAtMs", share::text as share, refunded_at as "atMs"
             from (
               select * from store_notifications where game_id = $1 and store = $2 and notification_id = $3 offset 0
             ) n
             where share is not null and transaction_id in ($4, $5)`,
    },
    [gameId, store, notificationId, transactionId, erasedId],
  );
  return known === undefined ? null : { gameId, transactionId, ...known };
}

/** A player who has named a transaction, by a purchase or a refund, with proof or without. */
export type Namer = Readonly<{
  playerId: string;
  /** It counts for the player, or did before a refund, and the player does not know the store's word. */
  isConcerned: boolean;
}>;

/** The next players who name a transaction. As many are read as are returned, whomever it concerns. */
export async function listNamers(
  client: Client,
  { gameId, transactionId }: TransactionId,
  { signedAtMs, share }: Pick<StoreRefund, 'signedAtMs' | 'share'>,
  { afterId, limit }: Readonly<{ afterId: string; limit: number }>,
): Promise<Namer[]> {
  return query<Namer>(
    client,
    {
      name: 'list_namers_of_transaction',
      text: `select player_id as "playerId",
               purchased_at is not null and (moved_at is null or moved_at < claimed_at)
                 and (notice_at is null or (notice_at, notice_share) < ($3, $4::numeric)) as "isConcerned"
             from transactions
             where game_id = $1 and transaction_id = $2 and player_id > $5
             order by player_id
             limit $6`,
    },
    [gameId, transactionId, new Date(signedAtMs), share, afterId, limit],
  );
}

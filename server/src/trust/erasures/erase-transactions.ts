import { lockTransactions } from '../../core/events/apply/claim-queries.js';
import { type DedicatedConnection, inTransaction } from '../../platform/db/dedicated-connection.js';
import { type ErasureHashes, erasedOrder } from '../../platform/security/erasure-hashes.js';
import { noteCounts } from './table-erasures.js';

export const TRANSACTIONS_PER_STATEMENT = 50;

const NOTE_TRANSACTIONS = noteCounts("'transactions', count(*), 'erased_transactions', count(purchased_at)");

/** Those that notifications are kept of: the studio's own server sends none. */
const STORES: ReadonlySet<string> = new Set(['apple', 'google']);

type Purchase = {
  place: string;
  gameId: number;
  transactionId: string;
  day: string | null;
  amount: string | null;
  currency: string | null;
  refundedOn: string | null;
  store: string | null;
  noticeAt: number | null;
  noticeShare: string | null;
  noticeRefundedAt: number | null;
};

/**
 * Deletes some transactions, and keeps amount, currency and day of each purchase with the hash of its order. What the stores said about
 * them stays with the hash in place of the id: a repeated notification is still recognised, and so is a refund when another player
 * proves the purchase later. Returns how many.
 */
export async function eraseTransactions(
  connection: DedicatedConnection,
  hashes: ErasureHashes,
  playerIds: readonly string[],
): Promise<number> {
  return inTransaction(connection, async () => {
    const { rows } = await connection.query<Purchase>(
      `select ctid::text as place, game_id as "gameId", transaction_id as "transactionId",
         (purchased_at at time zone 'UTC')::date::text as day, price as amount, currency,
         (refunded_at at time zone 'UTC')::date::text as "refundedOn", store, notice_at as "noticeAt",
         notice_share::text as "noticeShare", notice_refunded_at as "noticeRefundedAt"
       from transactions where player_id = any($1::bigint[]) limit $2 for update`,
      [playerIds, TRANSACTIONS_PER_STATEMENT],
    );
    // A notification at the same moment either comes first, or finds that the order is erased.
    await lockTransactions(connection, rows);
    // A refund without its purchase is no income.
    const kept = rows.filter(({ day }) => day !== null);
    await connection.query(
      `insert into erased_transactions (game_id, day, amount, currency, refunded_on, order_hash)
       select * from unnest($1::int[], $2::date[], $3::numeric[], $4::text[], $5::date[], $6::bytea[])`,
      [
        kept.map(({ gameId }) => gameId),
        kept.map(({ day }) => day),
        kept.map(({ amount }) => amount),
        kept.map(({ currency }) => currency),
        kept.map(({ refundedOn }) => refundedOn),
        kept.map(({ gameId, transactionId }) => hashes.order(gameId, transactionId)),
      ],
    );
    const ids = [rows.map(({ gameId }) => gameId), rows.map(({ transactionId }) => transactionId)];
    await connection.query(
      `update store_notifications n set transaction_id = t.erased_order
       from unnest($1::int[], $2::text[], $3::text[]) as t(game_id, transaction_id, erased_order)
       where n.game_id = t.game_id and n.transaction_id = t.transaction_id and n.share is not null`,
      [...ids, rows.map(({ gameId, transactionId }) => erasedOrder(hashes, gameId, transactionId))],
    );
    await keepNotices(connection, hashes, rows);
    await connection.query(
      `delete from google_purchases p using unnest($1::int[], $2::text[]) as t(game_id, transaction_id)
       where p.game_id = t.game_id and p.transaction_id = t.transaction_id`,
      ids,
    );
    await connection.query(
      `with gone as (
         delete from transactions where ctid = any ($2::tid[]) returning player_id, purchased_at
       ), ${NOTE_TRANSACTIONS}
       select count(*)::int as n from gone`,
      [playerIds, rows.map(({ place }) => place)],
    );
    return rows.length;
  });
}

/**
 * The word of a store that only the transaction itself has: of a receipt that says that the purchase was revoked, or of an import. It is
 * kept like a notification.
 */
async function keepNotices(
  connection: DedicatedConnection,
  hashes: ErasureHashes,
  purchases: readonly Purchase[],
): Promise<void> {
  const told = purchases.filter(({ store, noticeAt }) => noticeAt !== null && STORES.has(store ?? ''));
  if (told.length === 0) return;
  await connection.query(
    `insert into store_notifications (game_id, store, notification_id, type, transaction_id, signed_at, share, refunded_at, received_at)
     select t.game_id, t.store, t.erased_order, 'ERASED', t.erased_order, t.signed_at, t.share, t.refunded_at, t.signed_at
     from unnest($1::int[], $2::text[], $3::text[], $4::timestamptz[], $5::numeric[], $6::timestamptz[])
       as t(game_id, store, erased_order, signed_at, share, refunded_at)
     where not exists (
       select from store_notifications n
       where n.game_id = t.game_id and n.transaction_id = t.erased_order and n.share is not null and n.signed_at >= t.signed_at
       offset 0
     )
     on conflict (game_id, store, notification_id) do update
     set signed_at = excluded.signed_at, share = excluded.share, refunded_at = excluded.refunded_at, received_at = excluded.received_at`,
    [
      told.map(({ gameId }) => gameId),
      told.map(({ store }) => store),
      told.map(({ gameId, transactionId }) => erasedOrder(hashes, gameId, transactionId)),
      told.map(({ noticeAt }) => new Date(noticeAt ?? 0)),
      told.map(({ noticeShare }) => noticeShare),
      told.map(({ noticeRefundedAt }) => (noticeRefundedAt === null ? null : new Date(noticeRefundedAt))),
    ],
  );
}

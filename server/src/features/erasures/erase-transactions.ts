import { type DedicatedConnection, inTransaction } from '../../db/dedicated-connection.js';
import { type ErasureHashes, erasedOrder } from '../../security/erasure-hashes.js';
import { lockTransactions } from '../events/apply/claim-queries.js';
import { noteCounts } from './table-erasures.js';

export const TRANSACTIONS_PER_STATEMENT = 50;

const NOTE_TRANSACTIONS = noteCounts("'transactions', count(*), 'erased_transactions', count(purchased_at)");

type Purchase = {
  place: string;
  gameId: number;
  transactionId: string;
  day: string | null;
  amount: string | null;
  currency: string | null;
  refundedOn: string | null;
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
         (refunded_at at time zone 'UTC')::date::text as "refundedOn"
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

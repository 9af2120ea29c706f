import { type Pool, pipelinedTransaction } from '../../db/pool.js';
import { insertAndFoldEvents, lockPlayers, pinEventNames } from './apply-queries.js';
import type { EventRecord } from './event-record.js';
import {
  mergeTransactions,
  recountPurchases,
  type TransactionRow,
  upsertTransactions,
} from './transaction-queries.js';

/**
 * Makes events durable and folds those that are new into their players' rows, exactly once, in one transaction and one
 * round trip. Returns, for each event, whether it was new.
 *
 * Why it is right:
 * - Players are locked first, in the order of their ids: crossing groups queue up and never deadlock, and every
 *   statement after the lock sees all that was applied to these players before.
 * - The unique index on an event's identity decides what is new, and only what is new is added.
 * - Every merge is commutative (count, min, max, union), so any order and grouping gives the same row. Purchases are
 *   not added up but recounted from their rows, which a refund, even one that comes first, simply takes away.
 */
export async function applyEvents(pool: Pool, records: readonly EventRecord[]): Promise<boolean[]> {
  if (records.length === 0) return [];
  const playerIds = [...new Set(records.map((record) => record.playerId))];
  const named = records.filter((record) => record.eventId !== null);
  const transactions = mergeTransactions(records);

  const results = await pipelinedTransaction<string[] | undefined>(pool, (client) => [
    lockPlayers(client, playerIds),
    ...(named.length > 0 ? [pinEventNames(client, named)] : []),
    insertAndFoldEvents(client, records),
    ...(transactions.length > 0
      ? [upsertTransactions(client, transactions), recountPurchases(client, buyersOf(transactions))]
      : []),
  ]);
  // Undefined: all of them were new, by far the most common case.
  const fresh = results[named.length > 0 ? 2 : 1];
  if (fresh === undefined) return records.map(() => true);
  const unclaimed = new Set(fresh);
  return records.map((record) => unclaimed.delete(`${record.playerId}:${record.identity}`));
}

function buyersOf(transactions: readonly TransactionRow[]): string[] {
  return [...new Set(transactions.map((transaction) => transaction.playerId))];
}

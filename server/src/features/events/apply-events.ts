import { type Call, type Client, type Pool, pipelinedTransaction, sendAll } from '../../db/pool.js';
import type { EventRecord } from './event-record.js';
import { sumEvents } from './event-sums.js';
import { foldEvents, lockPlayers } from './fold-queries.js';
import { insertEvents } from './store-queries.js';
import { applyTransactions, mergeTransactions, updatePurchaseTimes } from './transaction-queries.js';

/**
 * Makes events durable and folds those that are new into their players' rows, exactly once, in one transaction and two
 * round trips. Returns, for each event, whether it was new.
 *
 * Why it is right:
 * - The unique index on an event's identity decides what is new, and only what is new counts: also as a purchase.
 * - Names, then events, then players are written or locked in the order of their keys: crossing groups queue up and never
 *   deadlock. Every statement after the lock of the players sees all that was applied to them before.
 * - Every merge is commutative (count, min, max, union), so any order and grouping gives the same row. Purchases are
 *   counted by the difference between a transaction's row before and after, so a refund may come first.
 */
export async function applyEvents(pool: Pool, records: readonly EventRecord[]): Promise<boolean[]> {
  if (records.length === 0) return [];
  return pipelinedTransaction(
    pool,
    (client) => insertEvents(client, records),
    (isNew) => countEvents(onlyNew(records, isNew)),
  );
}

/** The same within a transaction of the caller's, who commits it together with something else. */
export async function applyEventsWithin(client: Client, records: readonly EventRecord[]): Promise<boolean[]> {
  if (records.length === 0) return [];
  const isNew = await insertEvents(client, records);
  await sendAll(client, countEvents(onlyNew(records, isNew)));
  return isNew;
}

function onlyNew(records: readonly EventRecord[], isNew: readonly boolean[]): readonly EventRecord[] {
  return isNew.includes(false) ? records.filter((_, place) => isNew[place]) : records;
}

function countEvents(records: readonly EventRecord[]): Call[] {
  if (records.length === 0) return [];
  const sums = sumEvents(records);
  return [lockPlayers(sums.playerIds), foldEvents(sums), ...countPurchases(records)];
}

function countPurchases(records: readonly EventRecord[]): Call[] {
  const rows = mergeTransactions(records);
  if (rows.length === 0) return [];
  return [applyTransactions(rows), updatePurchaseTimes([...new Set(rows.map((row) => row.playerId))])];
}

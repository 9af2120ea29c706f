import { type Client, type Pool, pipelinedTransaction } from '../../db/pool.js';
import { insertAndFoldEvents, lockPlayers, pinEventNames } from './apply-queries.js';
import type { EventRecord } from './event-record.js';
import { inTurns, mergeTransactions, recountPurchases, upsertTransactions } from './transaction-queries.js';

/**
 * Makes events durable and folds those that are new into their players' rows, exactly once, in one transaction and one
 * round trip, or two when there are purchases or refunds. Returns, for each event, whether it was new.
 *
 * Why it is right:
 * - Players are locked first, in the order of their ids: crossing groups queue up and never deadlock, and every
 *   statement after the lock sees all that was applied to these players before.
 * - The unique index on an event's identity decides what is new, and only what is new counts: also as a purchase.
 * - Every merge is commutative (count, min, max, union), so any order and grouping gives the same row. Purchases are
 *   not added up but recounted from their rows, which a refund, even one that comes first, simply takes away.
 */
export async function applyEvents(pool: Pool, records: readonly EventRecord[]): Promise<boolean[]> {
  if (records.length === 0) return [];
  const hasTransactions = records.some((record) => record.transaction !== null);
  const results = await pipelinedTransaction<string[] | undefined>(
    pool,
    (client) => insertEvents(client, records),
    hasTransactions
      ? (client, inserted) => applyTransactions(client, onlyNew(records, inserted.at(-1)))
      : undefined,
  );
  return whichAreNew(records, results.at(-1));
}

/** The same within a transaction of the caller's, who commits it together with something else. */
export async function applyEventsWithin(client: Client, records: readonly EventRecord[]): Promise<boolean[]> {
  if (records.length === 0) return [];
  const inserted = await Promise.all(insertEvents(client, records));
  await Promise.all(applyTransactions(client, onlyNew(records, inserted.at(-1))));
  return whichAreNew(records, inserted.at(-1));
}

/** The last result says what was new. */
function insertEvents(client: Client, records: readonly EventRecord[]): Promise<string[] | undefined>[] {
  const playerIds = [...new Set(records.map((record) => record.playerId))];
  const named = records.filter((record) => record.eventId !== null);
  return [
    lockPlayers(client, playerIds),
    ...(named.length > 0 ? [pinEventNames(client, named)] : []),
    insertAndFoldEvents(client, records),
  ];
}

function onlyNew(records: readonly EventRecord[], fresh: string[] | undefined): EventRecord[] {
  const isNew = whichAreNew(records, fresh);
  return records.filter((_, index) => isNew[index]);
}

/** `fresh` is undefined when all of them were new, by far the most common case. Of copies in one group the first is. */
function whichAreNew(records: readonly EventRecord[], fresh: string[] | undefined): boolean[] {
  if (fresh === undefined) return records.map(() => true);
  const unclaimed = new Set(fresh);
  return records.map((record) => unclaimed.delete(`${record.playerId}:${record.identity}`));
}

function applyTransactions(client: Client, fresh: readonly EventRecord[]): Promise<undefined>[] {
  const rows = mergeTransactions(fresh);
  if (rows.length === 0) return [];
  return [
    ...inTurns(rows).map((turn) => upsertTransactions(client, turn)),
    recountPurchases(client, [...new Set(rows.map((row) => row.playerId))]),
  ];
}

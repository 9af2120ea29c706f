import { type Client, type Pool, pipelinedTransaction } from '../../db/pool.js';
import { withoutRepeats } from '../../lib/without-repeats.js';
import type { EventRecord } from './event-record.js';
import { sumEvents } from './event-sums.js';
import { foldEvents, lockPlayers } from './fold-queries.js';
import { insertEvents, pinEventNames } from './store-queries.js';
import {
  mergeTransactions,
  recountPurchases,
  type TransactionRow,
  upsertTransactions,
} from './transaction-queries.js';

/**
 * Makes events durable and folds those that are new into their players' rows, exactly once, in one transaction and two
 * round trips. Returns, for each event, whether it was new.
 *
 * Why it is right:
 * - The unique index on an event's identity decides what is new, and only what is new counts: also as a purchase.
 * - Names, then events, then players are written or locked in the order of their keys: crossing groups queue up and never
 *   deadlock. Every statement after the lock of the players sees all that was applied to them before.
 * - Every merge is commutative (count, min, max, union), so any order and grouping gives the same row. Purchases are
 *   not added up but recounted from their rows, which a refund, even one that comes first, simply takes away.
 */
export async function applyEvents(pool: Pool, records: readonly EventRecord[]): Promise<boolean[]> {
  if (records.length === 0) return [];
  return pipelinedTransaction(
    pool,
    (client) => storeEvents(client, records),
    (client, isNew) => countEvents(client, onlyNew(records, isNew)),
  );
}

/** The same within a transaction of the caller's, who commits it together with something else. */
export async function applyEventsWithin(client: Client, records: readonly EventRecord[]): Promise<boolean[]> {
  if (records.length === 0) return [];
  const isNew = await storeEvents(client, records);
  await countEvents(client, onlyNew(records, isNew));
  return isNew;
}

/** Says of each event whether it was new; of copies in one group the first is. */
async function storeEvents(client: Client, records: readonly EventRecord[]): Promise<boolean[]> {
  const named = records.filter((record) => record.eventId !== null);
  const rounds = withoutRepeats(
    [...records.entries()],
    ([, record]) => `${record.playerId}:${record.identity}`,
  );
  const isNew: boolean[] = records.map(() => false);
  await Promise.all([
    named.length > 0 ? pinEventNames(client, named) : undefined,
    // A round after the first has only copies of what this transaction has just named or stored: it waits for nobody.
    ...rounds.map(async (round) => {
      const inserted = await insertEvents(
        client,
        round.map(([, record]) => record),
      );
      for (const [n, [place]] of round.entries()) isNew[place] = inserted[n] ?? false;
    }),
  ]);
  return isNew;
}

function onlyNew(records: readonly EventRecord[], isNew: readonly boolean[]): readonly EventRecord[] {
  return isNew.includes(false) ? records.filter((_, place) => isNew[place]) : records;
}

/** Sends everything at once: each statement sees what those before it did. */
async function countEvents(client: Client, records: readonly EventRecord[]): Promise<void> {
  if (records.length === 0) return;
  const sums = sumEvents(records);
  const bought = mergeTransactions(records);
  await Promise.all([
    lockPlayers(client, [...new Set(sums.rows.map((row) => row.p))]),
    foldEvents(client, sums),
    ...(bought.length === 0 ? [] : countPurchases(client, bought)),
  ]);
}

function countPurchases(client: Client, rows: readonly TransactionRow[]): Promise<void>[] {
  // A statement can touch a row once only: where several players sent one transaction, they take turns.
  const rounds = withoutRepeats(rows, (row) => `${row.gameId}:${row.transactionId}`);
  return [
    ...rounds.map((round) => upsertTransactions(client, round)),
    recountPurchases(client, [...new Set(rows.map((row) => row.playerId))]),
  ];
}

import type { Client } from '../../db/pool.js';
import type { EventRecord, TransactionFact } from '../events/event-record.js';

/**
 * Keeps at hand which transactions are the player's. Whose a transaction is was settled between all players of the game,
 * by the purchase that came first, and one player's events do not tell.
 */
export async function copyOwnTransactions(client: Client, playerId: string): Promise<void> {
  await client.query(
    `create temp table own_transactions on commit drop as
     select transaction_id, refunded_at from transactions where player_id = $1`,
    [playerId],
  );
  await client.query('create index on own_transactions (transaction_id)');
}

type OwnTransaction = { transactionId: string; refundedAt: number | null };

/** Takes the meaning from purchases and refunds that did not count: they are events and no more. */
export async function withoutForeignTransactions(
  client: Client,
  records: readonly EventRecord[],
): Promise<EventRecord[]> {
  const ids = records.flatMap(({ transaction }) => transaction?.transactionId ?? []);
  if (ids.length === 0) return [...records];
  const own = new Map((await listOwnTransactions(client, ids)).map((row) => [row.transactionId, row]));
  return records.map((record) => {
    const { transaction, effectiveAtMs } = record;
    if (transaction === null) return record;
    const hasCounted = counts(transaction, effectiveAtMs, own.get(transaction.transactionId));
    return hasCounted ? record : { ...record, transaction: null };
  });
}

/**
 * A transaction is refunded since the earliest of its owner's refunds. One from before that was sent when the transaction
 * was still taken for somebody else's.
 */
function counts({ kind }: TransactionFact, effectiveAtMs: number, own: OwnTransaction | undefined): boolean {
  if (own === undefined) return false;
  return kind === 'purchase' || (own.refundedAt !== null && own.refundedAt <= effectiveAtMs);
}

async function listOwnTransactions(client: Client, ids: readonly string[]): Promise<OwnTransaction[]> {
  const { rows } = await client.query<OwnTransaction>(
    `select transaction_id as "transactionId", refunded_at as "refundedAt"
     from own_transactions where transaction_id = any($1::text[])`,
    [ids],
  );
  return rows;
}

import { countChanges } from '../../core/events/apply/apply-events.js';
import {
  findTransactions,
  lockTransactions,
  lockUnproved,
  transactionKey,
  tryLockTransaction,
} from '../../core/events/apply/claim-queries.js';
import { lockPlayers } from '../../core/events/apply/fold-queries.js';
import type { TransactionChange } from '../../core/events/apply/transaction-changes.js';
import { type Client, type Pool, sendAll, transaction } from '../../platform/db/pool.js';
import { ApiError } from '../../platform/errors.js';
import { type ErasureHashes, erasedOrder } from '../../platform/security/erasure-hashes.js';
import {
  findRefund,
  insertNotification,
  isErasedOrder,
  listNamers,
  type StoreNotification,
  type StoreRefund,
  updateErasedOrder,
} from './notification-queries.js';

export type NotificationOutcome = 'applied' | 'duplicate' | 'ignored';

/** Rows that one transaction reads of the players who name a transaction: short locks, however many they are. */
const NAMERS_PER_STEP = 100;

/**
 * Remembers a notification, and counts everything again that follows from its transaction:
 *
 *   remember it, recount who proved the purchase and the first who name it ──► the next who name it … ──► outcome
 *
 * The first step is one transaction with the same locks as a purchase: a purchase at the same moment, proved or not, either finds the
 * notification, or is found by it. Any number of players may name the id of another player's purchase, so the others come in
 * transactions of their own. After a crash between them the store has had no answer and sends the notification again: it is a
 * duplicate then, and the players who have not been reached are reached now.
 *
 * @throws ApiError `unavailable` if it comes again while others are being reached: a connection that waits for them is lost for players.
 */
export async function applyNotification(
  pool: Pool,
  hashes: ErasureHashes,
  notification: StoreNotification,
  nowMs: number,
): Promise<NotificationOutcome> {
  const { outcome, refund, lastId } = await transaction(pool, (client) =>
    takeNotification(client, hashes, notification, nowMs),
  );
  if (refund === null) return outcome;
  for (let afterId = lastId; afterId !== null; ) {
    const from = afterId;
    afterId = await transaction(pool, async (client) => {
      if (outcome === 'applied') await lockTransactions(client, [refund]);
      else if (!(await tryLockTransaction(client, refund))) throw new ApiError('unavailable');
      return tellNamers(client, refund, nowMs, { afterId: from });
    });
  }
  return outcome;
}

type Taken = Readonly<{
  outcome: NotificationOutcome;
  refund: StoreRefund | null;
  /** The last player who was looked at; null if there is nobody after that one. */
  lastId: string | null;
}>;

const FIRST = '0';

async function takeNotification(
  client: Client,
  hashes: ErasureHashes,
  notification: StoreNotification,
  nowMs: number,
): Promise<Taken> {
  const { gameId, refund: said, signedAtMs } = notification;
  if (said === null) {
    const isNew = await insertNotification(client, notification, { nowMs, storedId: null });
    return { outcome: isNew ? 'ignored' : 'duplicate', refund: null, lastId: null };
  }
  const refund: StoreRefund = { gameId, signedAtMs, ...said };
  await lockTransactions(client, [refund]);
  await lockUnproved(client, refund);
  const orderHash = hashes.order(gameId, refund.transactionId);
  const isErased = await isErasedOrder(client, orderHash);
  const erasedId = erasedOrder(hashes, gameId, refund.transactionId);
  const storedId = isErased ? erasedId : refund.transactionId;
  if (!(await insertNotification(client, notification, { nowMs, storedId }))) {
    // As it was remembered: Google's word on an order may be read again, with another time.
    const known = await findRefund(client, notification, erasedId);
    const lastId = known === null ? null : await tellNamers(client, known, nowMs, { afterId: FIRST });
    return { outcome: 'duplicate', refund: known, lastId };
  }
  if (isErased) await updateErasedOrder(client, orderHash, said);
  const { holders } = await findTransactions(client, [refund], hashes);
  const holderIds = (holders.get(transactionKey(refund)) ?? []).map(({ playerId }) => playerId);
  return {
    outcome: 'applied',
    refund,
    lastId: await tellNamers(client, refund, nowMs, { afterId: FIRST, firstIds: holderIds }),
  };
}

type Step = Readonly<{ afterId: string; firstIds?: readonly string[] }>;

/** Recounts `firstIds`, and the next players who name the transaction and do not know of the refund. Gives the last one who was read. */
async function tellNamers(
  client: Client,
  { gameId, transactionId, signedAtMs, share, atMs }: StoreRefund,
  nowMs: number,
  { afterId, firstIds = [] }: Step,
): Promise<string | null> {
  const notice = { signedAtMs, share };
  const namers = await listNamers(client, { gameId, transactionId }, notice, {
    afterId,
    limit: NAMERS_PER_STEP,
  });
  const told = namers.filter(({ isConcerned }) => isConcerned).map(({ playerId }) => playerId);
  // Those who have been erased meanwhile are not among the locked. Those who wait for it are: they may withdraw.
  const locked = await lockPlayers(client, [...new Set([...firstIds, ...told])]);
  const changes = [...locked.keys()].map(
    (playerId): TransactionChange => ({
      playerId,
      gameId,
      transactionId,
      kind: 'notice',
      atMs: signedAtMs,
      share,
      refundedAtMs: atMs,
      recordedAtMs: nowMs,
    }),
  );
  await sendAll(client, countChanges(changes));
  return namers.length < NAMERS_PER_STEP ? null : (namers.at(-1)?.playerId ?? null);
}

import type { EventRecord, TransactionFact } from '../intake/event-record.js';
import {
  type Holder,
  type KnownTransactions,
  type LastNotice,
  type TransactionId,
  transactionKey,
} from './claim-queries.js';
import type { TransactionChange } from './transaction-changes.js';

export type PurchaseRecord = EventRecord & { transaction: TransactionFact };
/** A verified purchase, which makes its player the owner of the transaction. */
export type Claim = PurchaseRecord;

export function isClaim(record: EventRecord): record is Claim {
  return record.transaction?.store !== undefined;
}

/** A purchase that only the client tells of. */
export function isUnproved(record: EventRecord): record is PurchaseRecord {
  const { transaction } = record;
  return transaction?.kind === 'purchase' && transaction.store === undefined;
}

export function transactionOf({ gameId, transaction: { transactionId } }: PurchaseRecord): TransactionId {
  return { gameId, transactionId };
}

function keyOf(purchase: PurchaseRecord): string {
  return transactionKey(transactionOf(purchase));
}

/** What the stores have said before of purchases that come without proof. */
export function noticesTo(
  purchases: readonly PurchaseRecord[],
  notices: KnownTransactions['notices'],
): TransactionChange[] {
  return purchases.flatMap((purchase) => {
    const notice = notices.get(keyOf(purchase));
    if (notice === undefined) return [];
    const owner = { playerId: purchase.playerId, claimedAtMs: purchase.receivedAtMs };
    return [{ ...transactionOf(purchase), ...noticeTo(owner, notice) }];
  });
}

type Contender = Readonly<{ playerId: string; claimedAtMs: number }>;

export type SettledPurchases = Readonly<{
  /** The records, with the day of a purchase that has moved. */
  records: readonly EventRecord[];
  changes: readonly TransactionChange[];
  /** Whose transactions went to whom. */
  moves: readonly Move[];
}>;

export type Move = Readonly<{
  gameId: number;
  transactionId: string;
  fromId: string;
  toId: string;
  atMs: number;
}>;

/**
 * Decides whom each verified transaction belongs to: the last who proved it, by the time of receipt. Equal times are decided by the
 * player's id, so any order of application gives the same owner. The others are told that it has moved, and the owner what the store
 * said about refunds before.
 */
export function settlePurchases(records: readonly EventRecord[], known: KnownTransactions): SettledPurchases {
  const claimsOf = new Map<string, Claim[]>();
  for (const record of records) {
    if (!isClaim(record)) continue;
    const key = keyOf(record);
    const claims = claimsOf.get(key) ?? [];
    claims.push(record);
    claimsOf.set(key, claims);
  }
  const changes: TransactionChange[] = [];
  const moves: Move[] = [];
  for (const [key, claims] of claimsOf) {
    const settled = settleOne(claims, known.holders.get(key) ?? [], known.notices.get(key));
    changes.push(...settled.changes);
    moves.push(...settled.moves);
  }
  const dated = records.map((record) => (isClaim(record) ? keepDay(record, known) : record));
  return { records: dated, changes, moves };
}

function settleOne(
  claims: readonly Claim[],
  holders: readonly Holder[],
  notice: LastNotice | undefined,
): { changes: TransactionChange[]; moves: Move[] } {
  const contenders: Contender[] = [
    ...holders,
    ...claims.map((claim) => ({ playerId: claim.playerId, claimedAtMs: claim.receivedAtMs })),
  ].toSorted(compareContenders);
  const [first, owner] = [claims[0], contenders.at(-1)];
  if (first === undefined || owner === undefined) return { changes: [], moves: [] };
  const { gameId, receivedAtMs } = first;
  const { transactionId } = first.transaction;
  const common = { gameId, transactionId };
  const moved = lossesOf(contenders).map(({ playerId, atMs }) => ({
    ...common,
    playerId,
    kind: 'moved' as const,
    atMs,
    share: null,
    refundedAtMs: null,
    recordedAtMs: atMs,
  }));
  const losers = holders.filter(({ playerId }) => playerId !== owner.playerId);
  const last = lastOf([notice, ...losers.map((loser) => loser.notice)]);
  const told = last === undefined ? [] : [{ ...common, ...noticeTo(owner, last) }];
  const moves = losers.map(({ playerId }) => ({
    ...common,
    fromId: playerId,
    toId: owner.playerId,
    atMs: receivedAtMs,
  }));
  return { changes: [...moved, ...told], moves };
}

/**
 * Who lost the transaction to whoever proved it next, and when: the same as if the proofs had been applied one by one. Nobody loses it
 * who proves it again within the same millisecond.
 */
function lossesOf(contenders: readonly Contender[]): { playerId: string; atMs: number }[] {
  return contenders.flatMap(({ playerId }, index) => {
    const next = contenders[index + 1];
    if (next === undefined || next.playerId === playerId) return [];
    const atMs = next.claimedAtMs;
    const isBack = contenders
      .slice(index + 2)
      .some((other) => other.playerId === playerId && other.claimedAtMs === atMs);
    return isBack ? [] : [{ playerId, atMs }];
  });
}

function lastOf(notices: readonly (LastNotice | null | undefined)[]): LastNotice | undefined {
  const known = notices.filter((notice) => notice !== null && notice !== undefined);
  return known.toSorted((a, b) => a.atMs - b.atMs).at(-1);
}

/** The owner is told when both the proof and the notification are there. */
function noticeTo(
  { playerId, claimedAtMs }: Contender,
  { atMs, share, refundedAtMs, receivedAtMs }: LastNotice,
) {
  const recordedAtMs = Math.max(claimedAtMs, receivedAtMs ?? claimedAtMs);
  return { playerId, kind: 'notice' as const, atMs, share, refundedAtMs, recordedAtMs };
}

function compareContenders(a: Contender, b: Contender): number {
  return a.claimedAtMs - b.claimedAtMs || Number(BigInt(a.playerId) - BigInt(b.playerId));
}

/** A purchase that moves stays on its day: else a restore would move revenue from one day to another. */
function keepDay(claim: Claim, { holders }: KnownTransactions): EventRecord {
  const { transaction } = claim;
  const [holder] = holders.get(keyOf(claim)) ?? [];
  if (holder === undefined || holder.purchasedAtMs === null) return claim;
  const sale = { ...transaction, purchasedAtMs: holder.purchasedAtMs };
  return { ...claim, transaction: sale, sale };
}

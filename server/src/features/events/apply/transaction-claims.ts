import type { EventRecord, TransactionFact } from '../intake/event-record.js';
import { type Holder, type KnownTransactions, type LastNotice, transactionKey } from './claim-queries.js';
import type { TransactionChange } from './transaction-changes.js';

/** A verified purchase, which makes its player the owner of the transaction. */
export type Claim = EventRecord & { transaction: TransactionFact };

export function isClaim(record: EventRecord): record is Claim {
  return record.transaction?.store !== undefined;
}

function keyOf({ gameId, transaction: { transactionId } }: Claim): string {
  return transactionKey({ gameId, transactionId });
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
  const [first] = claims;
  if (first === undefined) return { changes: [], moves: [] };
  const { gameId, receivedAtMs } = first;
  const { transactionId } = first.transaction;
  const last = new Map<string, Contender>();
  const contenders = [
    ...holders,
    ...claims.map((claim) => ({ playerId: claim.playerId, claimedAtMs: claim.receivedAtMs })),
  ];
  for (const contender of contenders) {
    const known = last.get(contender.playerId);
    if (known === undefined || isLater(contender, known)) last.set(contender.playerId, contender);
  }
  const owner = [...last.values()].reduce((a, b) => (isLater(b, a) ? b : a));
  const common = { gameId, transactionId, recordedAtMs: receivedAtMs };
  const losers = [...last.values()].filter((contender) => contender !== owner);
  const moved = losers.map(({ playerId }) => ({
    ...common,
    playerId,
    kind: 'moved' as const,
    atMs: owner.claimedAtMs,
    share: null,
    refundedAtMs: null,
  }));
  const told = notice === undefined ? [] : [{ ...common, ...notice, playerId: owner.playerId }];
  const held = new Set(holders.map(({ playerId }) => playerId));
  const moves = losers
    .filter(({ playerId }) => held.has(playerId))
    .map(({ playerId }) => ({
      gameId,
      transactionId,
      fromId: playerId,
      toId: owner.playerId,
      atMs: receivedAtMs,
    }));
  return { changes: [...moved, ...told], moves };
}

function isLater(a: Contender, b: Contender): boolean {
  return (
    a.claimedAtMs > b.claimedAtMs ||
    (a.claimedAtMs === b.claimedAtMs && BigInt(a.playerId) > BigInt(b.playerId))
  );
}

/** A purchase that moves stays on its day: else a restore would move revenue from one day to another. */
function keepDay(claim: Claim, { holders }: KnownTransactions): EventRecord {
  const { transaction } = claim;
  const [holder] = holders.get(keyOf(claim)) ?? [];
  if (holder === undefined || holder.purchasedAtMs === null) return claim;
  const sale = { ...transaction, purchasedAtMs: holder.purchasedAtMs };
  return { ...claim, transaction: sale, sale };
}

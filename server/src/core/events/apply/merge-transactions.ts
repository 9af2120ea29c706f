import { isoTime } from '../../../platform/lib/iso-time.js';
import type { CountedEvent, Notice } from '../intake/event-record.js';
import type { TransactionChange } from './transaction-changes.js';

/** What the events of one group tell of a player's transaction. Times are ISO 8601. */
export type TransactionRow = {
  playerId: string;
  gameId: number;
  transactionId: string;
  /** Of the purchase that counts; null while only a refund is known. */
  purchasedAt: string | null;
  receivedAt: string | null;
  identity: string | null;
  skuId: string | null;
  price: string | null;
  currency: string | null;
  promoId: string | null;
  /** Of a Refund event. */
  refundedAt: string | null;
  /** Who proved the purchase; null where only the client says so. */
  store: string | null;
  /** When the player, and another player, last proved it. */
  claimedAt: string | null;
  movedAt: string | null;
  /** The last word of the store on a refund. */
  noticeAt: string | null;
  noticeShare: string | null;
  noticeRefundedAt: string | null;
};

/**
 * One row per player and transaction of the group. Of several purchases with one id a verified one counts, else the one received
 * first; at the same millisecond the identity decides, so that the choice does not depend on the order of application. Of several
 * refunds the earliest counts, unless the store says otherwise: then its last word does.
 */
export function mergeTransactions(
  records: readonly CountedEvent[],
  changes: readonly TransactionChange[] = [],
): TransactionRow[] {
  const merged = new Map<string, TransactionRow>();
  for (const record of records) {
    const fact = record.transaction;
    if (fact === null) continue;
    const key = `${record.playerId}:${fact.transactionId}`;
    const at = isoTime(fact.purchasedAtMs ?? record.effectiveAtMs);
    const row = merged.get(key) ?? emptyRow(record, fact.transactionId);
    merged.set(key, row);
    if (fact.store !== undefined) row.claimedAt = later(row.claimedAt, record.receivedAtMs);
    if (fact.notice !== undefined) addNotice(row, fact.notice);
    if (fact.kind === 'refund') {
      row.refundedAt = row.refundedAt === null || at < row.refundedAt ? at : row.refundedAt;
    } else if (isReceivedBefore(record, row)) {
      const { skuId, price, currency, promoId, store = null } = fact;
      const receivedAt = isoTime(record.receivedAtMs);
      Object.assign(row, {
        purchasedAt: at,
        receivedAt,
        identity: record.identity,
        skuId,
        price,
        currency,
        promoId,
        store,
      });
    }
  }
  for (const change of changes) {
    const key = `${change.playerId}:${change.transactionId}`;
    const row = merged.get(key) ?? emptyRow(change, change.transactionId);
    merged.set(key, row);
    addChange(row, change);
  }
  return [...merged.values()];
}

function addChange(row: TransactionRow, { kind, atMs, share, refundedAtMs }: TransactionChange): void {
  if (kind === 'moved') row.movedAt = later(row.movedAt, atMs);
  else addNotice(row, { signedAtMs: atMs, share: share ?? '1', atMs: refundedAtMs });
}

/** An older word of the store never takes back a newer one. */
function addNotice(row: TransactionRow, { signedAtMs, share, atMs }: Notice): void {
  const signedAt = isoTime(signedAtMs);
  if (row.noticeAt !== null && row.noticeAt > signedAt) return;
  const noticeRefundedAt = atMs === null ? null : isoTime(atMs);
  Object.assign(row, { noticeAt: signedAt, noticeShare: share, noticeRefundedAt });
}

function later(known: string | null, ms: number): string {
  const at = isoTime(ms);
  return known === null || at > known ? at : known;
}

function isReceivedBefore(record: CountedEvent, row: TransactionRow): boolean {
  const { receivedAtMs, identity, transaction } = record;
  if (row.receivedAt === null || row.identity === null) return true;
  const isVerified = transaction?.store !== undefined;
  if (isVerified !== (row.store !== null)) return isVerified;
  const receivedAt = isoTime(receivedAtMs);
  return receivedAt < row.receivedAt || (receivedAt === row.receivedAt && (identity ?? '') < row.identity);
}

function emptyRow(record: Pick<CountedEvent, 'playerId' | 'gameId'>, transactionId: string): TransactionRow {
  return {
    playerId: record.playerId,
    gameId: record.gameId,
    transactionId,
    purchasedAt: null,
    receivedAt: null,
    identity: null,
    skuId: null,
    price: null,
    currency: null,
    promoId: null,
    refundedAt: null,
    store: null,
    claimedAt: null,
    movedAt: null,
    noticeAt: null,
    noticeShare: null,
    noticeRefundedAt: null,
  };
}

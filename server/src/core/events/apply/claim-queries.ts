import { type Client, query } from '../../../platform/db/pool.js';
import { erasedOrder, type OrderHashes } from '../../../platform/security/erasure-hashes.js';

/** A transaction of a store within a game. */
export type TransactionId = Readonly<{ gameId: number; transactionId: string }>;

/** A player who has proved a transaction, and whom nobody has followed. */
export type Holder = Readonly<{
  playerId: string;
  claimedAtMs: number;
  purchasedAtMs: number | null;
  /** What the store had said to the player. */
  notice: LastNotice | null;
}>;

/** The store's last word on a refund. */
export type LastNotice = Readonly<{
  atMs: number;
  share: string;
  refundedAtMs: number | null;
  /** When the notification was received. */
  receivedAtMs?: number;
}>;

/** Within the game, because a store gives an id once. */
export function transactionKey({ gameId, transactionId }: TransactionId): string {
  return `${gameId}:${transactionId}`;
}

/** By `transactionKey`. */
export type KnownTransactions = Readonly<{
  holders: ReadonlyMap<string, Holder[]>;
  notices: ReadonlyMap<string, LastNotice>;
}>;

/**
 * Locks transactions until the end of the database transaction, in one order, and before any player: whoever changes the
 * holder of a transaction takes this lock first.
 */
export async function lockTransactions(
  client: Pick<Client, 'query'>,
  ids: readonly TransactionId[],
): Promise<void> {
  await client.query({
    name: 'lock_transactions',
    text: `select pg_advisory_xact_lock(key)
           from (select distinct hashtextextended(k, 44) as key from unnest($1::text[]) k order by 1 offset 0) keys`,
    values: [ids.map(transactionKey)],
  });
}

/** The same for one transaction. False, without a wait, if somebody else has it locked. */
export async function tryLockTransaction(client: Client, id: TransactionId): Promise<boolean> {
  const { rows } = await client.query<{ isLocked: boolean }>({
    name: 'try_lock_transaction',
    text: 'select pg_try_advisory_xact_lock(hashtextextended($1, 44)) as "isLocked"',
    values: [transactionKey(id)],
  });
  return rows[0]?.isLocked === true;
}

/**
 * Purchases without proof share one of these locks of their game, and a notification has it for itself: so each purchase is found by the
 * notification, or finds it. Not a lock for each transaction: a player may send any number of purchases at once, and PostgreSQL has room
 * for some thousand locks.
 */
const LOCK_OF_UNPROVED = "hashtextextended(t.game_id || ':' || (hashtext(t.transaction_id) & 15), 45)";

/** Until the end of the database transaction; after `lockTransactions`, and before any player. */
export async function shareUnproved(client: Client, ids: readonly TransactionId[]): Promise<void> {
  await query(client, SHARE_UNPROVED, [
    ids.map(({ gameId }) => gameId),
    ids.map(({ transactionId }) => transactionId),
  ]);
}

const SHARE_UNPROVED = {
  name: 'share_unproved',
  text: `select pg_advisory_xact_lock_shared(key)
         from (
           select distinct ${LOCK_OF_UNPROVED} as key from unnest($1::int[], $2::text[]) as t(game_id, transaction_id)
           order by 1 offset 0
         ) keys`,
};

/** Waits for purchases without proof that are being applied, and holds up others until the end of the database transaction. */
export async function lockUnproved(client: Client, { gameId, transactionId }: TransactionId): Promise<void> {
  await query(client, LOCK_UNPROVED, [gameId, transactionId]);
}

const LOCK_UNPROVED = {
  name: 'lock_unproved',
  text: `select pg_advisory_xact_lock(${LOCK_OF_UNPROVED}) from (select $1::int, $2::text) as t(game_id, transaction_id)`,
};

/** Who holds locked transactions, and what the store said about them. */
export async function findTransactions(
  client: Client,
  ids: readonly TransactionId[],
  hashes: OrderHashes | undefined,
): Promise<KnownTransactions> {
  const values = [ids.map(({ gameId }) => gameId), ids.map(({ transactionId }) => transactionId)];
  type Of<T> = TransactionId & T;
  const [held, notices] = await Promise.all([
    client.query<Of<HolderRow>>({ ...FIND_HOLDERS, values }),
    findNotices(client, ids, hashes),
  ]);
  const holders = new Map<string, Holder[]>();
  for (const { gameId, transactionId, noticeAtMs, noticeShare, noticeRefundedAtMs, ...row } of held.rows) {
    const key = transactionKey({ gameId, transactionId });
    const notice =
      noticeAtMs === null || noticeShare === null
        ? null
        : { atMs: noticeAtMs, share: noticeShare, refundedAtMs: noticeRefundedAtMs };
    holders.set(key, [...(holders.get(key) ?? []), { ...row, notice }]);
  }
  return { holders, notices };
}

/**
 * The last word of the store on each transaction, by `transactionKey`. `hashes` find the word on a transaction whose former owner is
 * erased: else whoever proved it next would keep what was refunded. Undefined: this process has no master key.
 */
export async function findNotices(
  client: Client,
  ids: readonly TransactionId[],
  hashes: OrderHashes | undefined,
): Promise<ReadonlyMap<string, LastNotice>> {
  const erased = (id: TransactionId) =>
    hashes === undefined ? null : erasedOrder(hashes, id.gameId, id.transactionId);
  const values = [
    ids.map(({ gameId }) => gameId),
    ids.map(({ transactionId }) => transactionId),
    ids.map(erased),
  ];
  // By `query`, like the statements that it is sent with: where the first of them fails, its error is the one that is seen first.
  const rows = await query<TransactionId & LastNotice>(client, FIND_NOTICES, values);
  return new Map(
    rows.map(({ gameId, transactionId, ...notice }) => [transactionKey({ gameId, transactionId }), notice]),
  );
}

/** Of `transactions t`: its player is the last who proved it. The condition of the index `transactions_held`. */
export const IS_HELD = 't.store is not null and (t.moved_at is null or t.moved_at < t.claimed_at)';

type HolderRow = Omit<Holder, 'notice'> & {
  noticeAtMs: number | null;
  noticeShare: string | null;
  noticeRefundedAtMs: number | null;
};

const FIND_HOLDERS = {
  name: 'find_holders_of_transactions',
  text: `select c.game_id as "gameId", c.transaction_id as "transactionId", t.player_id as "playerId",
           t.claimed_at as "claimedAtMs", t.purchased_at as "purchasedAtMs", t.notice_at as "noticeAtMs",
           t.notice_share::text as "noticeShare", t.notice_refunded_at as "noticeRefundedAtMs"
         from (select distinct * from unnest($1::int[], $2::text[]) c(game_id, transaction_id)) c
         join lateral (
           -- without the game: only the index of held transactions fits, which has one row where a hundred thousand may name the id
           select * from transactions t where t.transaction_id = c.transaction_id and ${IS_HELD} offset 0
         ) t on t.game_id = c.game_id`,
};

const FIND_NOTICES = {
  name: 'find_notices_of_transactions',
  text: `select c.game_id as "gameId", c.transaction_id as "transactionId", n.signed_at as "atMs",
           n.share::text as share, n.refunded_at as "refundedAtMs", n.received_at as "receivedAtMs"
         from (select distinct * from unnest($1::int[], $2::text[], $3::text[]) c(game_id, transaction_id, erased_order)) c
         cross join lateral (
           select signed_at, share, refunded_at, received_at from store_notifications n
           where n.game_id = c.game_id and n.transaction_id = any(array[c.transaction_id, c.erased_order]) and n.share is not null
           order by n.signed_at desc limit 1
         ) n`,
};

import type { Client } from '../../../db/pool.js';

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

/** Who holds locked transactions, and what the store said about them. */
export async function findTransactions(
  client: Client,
  ids: readonly TransactionId[],
): Promise<KnownTransactions> {
  const values = [ids.map(({ gameId }) => gameId), ids.map(({ transactionId }) => transactionId)];
  type Of<T> = TransactionId & T;
  const [held, told] = await Promise.all([
    client.query<Of<HolderRow>>({ ...FIND_HOLDERS, values }),
    client.query<Of<LastNotice>>({ ...FIND_NOTICES, values }),
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
  const notices = new Map(
    told.rows.map(({ gameId, transactionId, ...notice }) => [
      transactionKey({ gameId, transactionId }),
      notice,
    ]),
  );
  return { holders, notices };
}

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
           select * from transactions t
           where t.game_id = c.game_id and t.transaction_id = c.transaction_id and t.store is not null offset 0
         ) t on t.moved_at is null or t.moved_at < t.claimed_at`,
};

/** As many players may claim an id without proof as like. A refund is for the first of them. */
const MAX_REFUNDED = 100;

/** The players whom a refund concerns: the one who proved the transaction, and those who claim it without proof. */
export async function listPlayersToRefund(
  client: Client,
  { gameId, transactionId }: TransactionId,
): Promise<string[]> {
  const { rows } = await client.query<{ playerId: string }>({
    name: 'list_players_to_refund',
    text: `select player_id as "playerId" from transactions
           where game_id = $1 and transaction_id = $2 and (moved_at is null or moved_at < claimed_at)
           order by player_id limit ${MAX_REFUNDED}`,
    values: [gameId, transactionId],
  });
  return rows.map(({ playerId }) => playerId);
}

const FIND_NOTICES = {
  name: 'find_notices_of_transactions',
  text: `select c.game_id as "gameId", c.transaction_id as "transactionId", n.signed_at as "atMs",
           n.share::text as share, n.refunded_at as "refundedAtMs", n.received_at as "receivedAtMs"
         from (select distinct * from unnest($1::int[], $2::text[]) c(game_id, transaction_id)) c
         cross join lateral (
           select signed_at, share, refunded_at, received_at from store_notifications n
           where n.game_id = c.game_id and n.transaction_id = c.transaction_id and n.share is not null
           order by n.signed_at desc limit 1
         ) n`,
};

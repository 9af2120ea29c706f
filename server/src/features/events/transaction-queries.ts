import { type Client, query } from '../../db/pool.js';
import type { EventRecord } from './event-record.js';

export type TransactionRow = {
  gameId: number;
  transactionId: string;
  playerId: string;
  purchasedAt: string | null;
  identity: string | null;
  skuId: string | null;
  price: string | null;
  currency: string | null;
  promoId: string | null;
  refundedAt: string | null;
};

/**
 * One row per transaction of the group. Of several purchases with one id the earliest counts (by time, then identity, so
 * that the choice does not depend on the order of arrival); of several refunds likewise.
 */
export function mergeTransactions(records: readonly EventRecord[]): TransactionRow[] {
  const merged = new Map<string, TransactionRow>();
  for (const record of records) {
    const fact = record.transaction;
    if (fact === null) continue;
    const key = `${record.gameId}:${record.playerId}:${fact.transactionId}`;
    const at = new Date(record.effectiveAtMs).toISOString();
    const row = merged.get(key) ?? emptyRow(record, fact.transactionId);
    merged.set(key, row);
    if (fact.kind === 'refund') {
      row.refundedAt = row.refundedAt === null || at < row.refundedAt ? at : row.refundedAt;
    } else if (isEarlier(at, record.identity, row)) {
      const { skuId, price, currency, promoId } = fact;
      Object.assign(row, { purchasedAt: at, identity: record.identity, skuId, price, currency, promoId });
    }
  }
  return [...merged.values()];
}

function isEarlier(at: string, identity: string, row: TransactionRow): boolean {
  if (row.purchasedAt === null || row.identity === null) return true;
  return at < row.purchasedAt || (at === row.purchasedAt && identity < row.identity);
}

function emptyRow(record: EventRecord, transactionId: string): TransactionRow {
  return {
    gameId: record.gameId,
    transactionId,
    playerId: record.playerId,
    purchasedAt: null,
    identity: null,
    skuId: null,
    price: null,
    currency: null,
    promoId: null,
    refundedAt: null,
  };
}

/**
 * A transaction counts once per game and belongs to the player who sent it first: a purchase restored on a second
 * account is not a second sale. Purchase and refund may arrive in either order.
 */
export async function upsertTransactions(
  client: Client,
  rows: readonly TransactionRow[],
): Promise<undefined> {
  await query(
    client,
    {
      name: 'upsert_transactions',
      text: `insert into transactions as t (game_id, transaction_id, player_id, purchased_at, identity, sku_id, price,
               currency, promo_id, refunded_at)
             select distinct on (game_id, transaction_id) *
             from unnest($1::int[], $2::text[], $3::bigint[], $4::timestamptz[], $5::uuid[], $6::text[], $7::numeric[],
               $8::text[], $9::text[], $10::timestamptz[])
               as w(game_id, transaction_id, player_id, purchased_at, identity, sku_id, price, currency, promo_id, refunded_at)
             order by game_id, transaction_id, player_id
             on conflict (game_id, transaction_id) do update
             set (purchased_at, identity, sku_id, price, currency, promo_id) = (
                   select e.purchased_at, e.identity, e.sku_id, e.price, e.currency, e.promo_id
                   from (values
                     (t.purchased_at, t.identity, t.sku_id, t.price, t.currency, t.promo_id),
                     (excluded.purchased_at, excluded.identity, excluded.sku_id, excluded.price, excluded.currency,
                       excluded.promo_id)
                   ) as e(purchased_at, identity, sku_id, price, currency, promo_id)
                   order by e.purchased_at nulls last, e.identity
                   limit 1
                 ),
                 refunded_at = least(t.refunded_at, excluded.refunded_at)
             where t.player_id = excluded.player_id`,
    },
    [
      rows.map((row) => row.gameId),
      rows.map((row) => row.transactionId),
      rows.map((row) => row.playerId),
      rows.map((row) => row.purchasedAt),
      rows.map((row) => row.identity),
      rows.map((row) => row.skuId),
      rows.map((row) => row.price),
      rows.map((row) => row.currency),
      rows.map((row) => row.promoId),
      rows.map((row) => row.refundedAt),
    ],
  );
}

/** Works out the purchase columns of these players from their transactions. */
export async function recountPurchases(client: Client, playerIds: readonly string[]): Promise<undefined> {
  await query(
    client,
    {
      name: 'recount_purchases',
      text: `with standing as (
               select player_id, purchased_at, price, currency
               from transactions
               where player_id = any($1::bigint[]) and purchased_at is not null and refunded_at is null
             ), by_player as (
               select player_id, count(*) as n, min(purchased_at) as first_at, max(purchased_at) as last_at
               from standing group by player_id
             ), by_currency as (
               select player_id, jsonb_object_agg(currency, total) as spend
               from (
                 select player_id, currency, sum(price) as total
                 from standing where price is not null group by player_id, currency
               ) sums
               group by player_id
             )
             update players p
             set purchase_count = coalesce(b.n, 0),
               first_purchase_at = b.first_at,
               last_purchase_at = b.last_at,
               spend = coalesce(c.spend, '{}')
             from unnest($1::bigint[]) as touched(player_id)
             left join by_player b using (player_id)
             left join by_currency c using (player_id)
             where p.id = touched.player_id`,
    },
    [playerIds],
  );
}

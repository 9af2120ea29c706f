import type { Call } from '../../db/pool.js';
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
 * A transaction counts once per game and belongs to the player whose purchase came first: a purchase restored on a
 * second account is not a second sale. Purchase and refund may arrive in either order, but only the owner's refund
 * counts: somebody else's that came before the purchase gives way to it.
 */
export function upsertTransactions(rows: readonly TransactionRow[]): Call {
  return {
    statement: {
      name: 'upsert_transactions',
      text: `insert into transactions as t (game_id, transaction_id, player_id, purchased_at, identity, sku_id, price,
               currency, promo_id, refunded_at)
             select *
             from unnest($1::int[], $2::text[], $3::bigint[], $4::timestamptz[], $5::uuid[], $6::text[], $7::numeric[],
               $8::text[], $9::text[], $10::timestamptz[])
               as w(game_id, transaction_id, player_id, purchased_at, identity, sku_id, price, currency, promo_id, refunded_at)
             order by game_id, transaction_id
             on conflict (game_id, transaction_id) do update
             set player_id = excluded.player_id,
                 (purchased_at, identity, sku_id, price, currency, promo_id) = (
                   select e.purchased_at, e.identity, e.sku_id, e.price, e.currency, e.promo_id
                   from (values
                     (t.purchased_at, t.identity, t.sku_id, t.price, t.currency, t.promo_id),
                     (excluded.purchased_at, excluded.identity, excluded.sku_id, excluded.price, excluded.currency,
                       excluded.promo_id)
                   ) as e(purchased_at, identity, sku_id, price, currency, promo_id)
                   order by e.purchased_at nulls last, e.identity
                   limit 1
                 ),
                 refunded_at = case t.player_id
                   when excluded.player_id then least(t.refunded_at, excluded.refunded_at)
                   else excluded.refunded_at
                 end
             where t.player_id = excluded.player_id
               or (t.purchased_at is null and excluded.purchased_at is not null)`,
    },
    values: [
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
  };
}

/**
 * Works out the purchase columns of these players and their days from the transactions, and moves the game's roll-ups by
 * the difference. The players are locked, so the difference cannot be taken twice.
 */
export function recountPurchases(playerIds: readonly string[]): Call {
  return { statement: RECOUNT_PURCHASES, values: [playerIds] };
}

const RECOUNT_PURCHASES = {
  name: 'recount_purchases',
  text: `
    with standing as (
      select player_id, purchased_at, (purchased_at at time zone 'UTC')::date as day, price, currency
      from transactions
      where player_id = any($1::bigint[]) and purchased_at is not null and refunded_at is null
    ), totals as (
      select player_id, count(*) as n, min(purchased_at) as first_at, max(purchased_at) as last_at, min(day) as first_day,
        range_agg(daterange(day, day, '[]')) as days
      from standing
      group by player_id
    ), sums as (
      select s.player_id, s.currency, sum(s.price) as spend,
        coalesce(sum(s.price) filter (where s.day > t.first_day), 0) as repeat_spend
      from standing s
      join totals t using (player_id)
      where s.price is not null
      group by s.player_id, s.currency
    ), spends as (
      select player_id, jsonb_object_agg(currency, spend) as spend,
        coalesce(jsonb_object_agg(currency, repeat_spend) filter (where repeat_spend > 0), '{}') as repeat_spend
      from sums
      group by player_id
    ), recounted as (
      update players p
      set purchase_count = coalesce(t.n, 0),
        first_purchase_at = t.first_at,
        last_purchase_at = t.last_at,
        purchase_days = recent_days(coalesce(t.days, '{}')),
        spend = coalesce(s.spend, '{}'),
        repeat_spend = coalesce(s.repeat_spend, '{}')
      from unnest($1::bigint[]) as touched(player_id)
      left join totals t using (player_id)
      left join spends s using (player_id)
      where p.id = touched.player_id
    ), per_currency as (
      select player_id, day, currency, count(*) as n, sum(price) as total from standing group by 1, 2, 3
    ), after as (
      select player_id, day, sum(n) as purchases,
        coalesce(jsonb_object_agg(currency, total) filter (where total is not null), '{}') as revenue
      from per_currency
      group by 1, 2
    ), before as (
      select player_id, day, purchases, revenue
      from player_days
      where player_id = any($1::bigint[]) and purchases > 0
    ), changed as (
      select player_id, day, coalesce(a.purchases, 0) as purchases, coalesce(b.purchases, 0) as old_purchases,
        coalesce(a.revenue, '{}') as revenue, coalesce(b.revenue, '{}') as old_revenue
      from after a
      full join before b using (player_id, day)
      where (a.purchases, a.revenue) is distinct from (b.purchases, b.revenue)
    ), days as (
      insert into player_days (player_id, day, purchases, revenue)
      select player_id, day, purchases, revenue from changed
      on conflict (player_id, day) do update set purchases = excluded.purchases, revenue = excluded.revenue
    ), differences as (
      select p.game_id, c.day, c.purchases - c.old_purchases as purchases,
        (c.purchases > 0)::int - (c.old_purchases > 0)::int as payers,
        jsonb_add(c.revenue, jsonb_negate(c.old_revenue)) as revenue
      from changed c
      join players p on p.id = c.player_id
    )
    insert into game_days as g (game_id, day, shard, purchases, paying_players, revenue)
    select game_id, day, rollup_shard('purchases'), sum(purchases), sum(payers), jsonb_total(revenue)
    from differences
    group by game_id, day
    order by game_id, day
    on conflict (game_id, day, shard) do update
    set purchases = g.purchases + excluded.purchases,
      paying_players = g.paying_players + excluded.paying_players,
      revenue = jsonb_add(g.revenue, excluded.revenue)`,
};

import type { Call } from '../../../platform/db/pool.js';
import type { TransactionRow } from './merge-transactions.js';

/**
 * Stores transactions and adds what they change to the players, their days and promotions and the game's roll-ups. A purchase
 * counts from its first event until its first refund, in whichever order the two arrive. The players must be locked: then
 * the rows read first are the rows replaced, and each difference is added once.
 *
 * The cost depends on the transactions given, not on those that the player already has.
 */
export function applyTransactions(rows: readonly TransactionRow[]): Call {
  return { statement: APPLY_TRANSACTIONS, values: [JSON.stringify(rows)] };
}

/** The amounts of `differences` per key, as {"USD": 4.99}. */
const AMOUNTS = `select KEY, jsonb_object_agg(currency, amount) as amounts
      from (
        select KEY, currency, sum(amount) as amount from differences where amount is not null group by KEY, currency
      ) a
      group by KEY`;
const AMOUNTS_OF_PLAYERS = AMOUNTS.replaceAll('KEY', 'player_id');
const AMOUNTS_OF_DAYS = AMOUNTS.replaceAll('KEY', 'player_id, day');

const APPLY_TRANSACTIONS = {
  name: 'apply_transactions',
  text: `
    with changes as materialized (
      select i."playerId" as player_id, i."gameId" as game_id, i."transactionId" as transaction_id,
        p.purchased_at, p.received_at, p.identity, p.sku_id, p.currency, p.promo_id, p.store,
        s.claimed_at, s.moved_at, s.reported_refund_at, n.notice_at, n.notice_share, n.notice_refunded_at,
        case when a.price is distinct from p.paid then p.paid end as paid_price, a.price,
        case when s.is_moved then 0 when e.refunded_at is not null then p.paid else p.paid - a.price end as refunded,
        case
          when o.moved_at >= coalesce(o.claimed_at, '-infinity') then 0
          when o.refunded_at is not null then coalesce(o.paid_price, o.price)
          else o.paid_price - o.price
        end as old_refunded,
        e.refunded_at, p.purchased_at is not null and e.refunded_at is null as counts,
        coalesce(o.purchased_at is not null and o.refunded_at is null, false) as did_count,
        o.purchased_at as old_purchased_at, o.price as old_price, o.currency as old_currency, o.promo_id as old_promo_id,
        o.store as old_store
      from jsonb_to_recordset($1::jsonb) as i("playerId" bigint, "gameId" integer, "transactionId" text,
        "purchasedAt" timestamptz, "receivedAt" timestamptz, identity uuid, "skuId" text, price numeric, currency text,
        "promoId" text, "refundedAt" timestamptz, store text, "claimedAt" timestamptz, "movedAt" timestamptz, "noticeAt" timestamptz,
        "noticeShare" numeric, "noticeRefundedAt" timestamptz)
      left join lateral (
        select * from transactions t
        where t.player_id = i."playerId" and t.transaction_id = i."transactionId" offset 0
      ) o on true
      -- a verified purchase, else the one received first
      cross join lateral (
        select *
        from (values
          (o.purchased_at, o.received_at, o.identity, o.sku_id, coalesce(o.paid_price, o.price), o.currency, o.promo_id, o.store),
          (i."purchasedAt", i."receivedAt", i.identity, i."skuId", i.price, i.currency, i."promoId", i.store)
        ) as known(purchased_at, received_at, identity, sku_id, paid, currency, promo_id, store)
        order by store is null, received_at nulls last, identity
        limit 1
      ) p
      -- the last word of the store
      cross join lateral (
        select *
        from (values
          (o.notice_at, o.notice_share, o.notice_refunded_at),
          (i."noticeAt", i."noticeShare", i."noticeRefundedAt")
        ) as known(notice_at, notice_share, notice_refunded_at)
        order by notice_at desc nulls last, notice_share desc
        limit 1
      ) n
      cross join lateral (
        select greatest(o.claimed_at, i."claimedAt") as claimed_at, greatest(o.moved_at, i."movedAt") as moved_at,
          -- rows of the release before have refunded_at only
          least(coalesce(o.reported_refund_at, case when o.notice_at is null and o.moved_at is null then o.refunded_at end),
            i."refundedAt") as reported_refund_at,
          coalesce(greatest(o.moved_at, i."movedAt") >= coalesce(greatest(o.claimed_at, i."claimedAt"), '-infinity'), false) as is_moved
      ) s
      -- a partial refund leaves its rest; nothing was paid for a test purchase, which is given back from no time on
      cross join lateral (
        select case
          when n.notice_share > 0 and n.notice_share < 1 then trim_scale(round(p.paid * (1 - n.notice_share), 3))
          when n.notice_share >= 1 and n.notice_refunded_at is null then null
          else p.paid
        end as price
      ) a
      cross join lateral (
        select case
          when s.is_moved then s.moved_at
          when n.notice_at is not null then case when n.notice_share >= 1 then n.notice_refunded_at end
          else s.reported_refund_at
        end as refunded_at
      ) e
    ), stored as (
      insert into transactions as t (player_id, game_id, transaction_id, purchased_at, received_at, identity, sku_id, price,
        currency, promo_id, refunded_at, store, claimed_at, moved_at, notice_at, notice_share, notice_refunded_at,
        reported_refund_at, paid_price)
      select player_id, game_id, transaction_id, purchased_at, received_at, identity, sku_id, price, currency, promo_id,
        refunded_at, store, claimed_at, moved_at, notice_at, notice_share, notice_refunded_at, reported_refund_at, paid_price
      from changes
      order by player_id, transaction_id
      on conflict (player_id, transaction_id) do update
      set purchased_at = excluded.purchased_at, received_at = excluded.received_at, identity = excluded.identity,
        sku_id = excluded.sku_id, price = excluded.price, currency = excluded.currency, promo_id = excluded.promo_id,
        refunded_at = excluded.refunded_at, store = excluded.store, claimed_at = excluded.claimed_at,
        moved_at = excluded.moved_at, notice_at = excluded.notice_at, notice_share = excluded.notice_share,
        notice_refunded_at = excluded.notice_refunded_at, reported_refund_at = excluded.reported_refund_at,
        paid_price = excluded.paid_price
    ), differences as materialized (
      select c.player_id, c.game_id, d.n, (d.purchased_at at time zone 'UTC')::date as day, d.n * d.price as amount,
        d.currency, d.promo_id
      from changes c
      cross join lateral (values
        (-1, c.old_purchased_at, c.old_price, c.old_currency, c.old_promo_id, c.did_count),
        (1, c.purchased_at, c.price, c.currency, c.promo_id, c.counts)
      ) as d(n, purchased_at, price, currency, promo_id, is_counted)
      where d.is_counted
        and (c.did_count, c.old_purchased_at, c.old_price, c.old_currency, c.old_promo_id)
          is distinct from (c.counts, c.purchased_at, c.price, c.currency, c.promo_id)
    ), players_changed as (
      update players p
      set purchase_count = p.purchase_count + c.n, spend = jsonb_add(p.spend, coalesce(s.amounts, '{}'))
      from (select player_id, sum(n)::int as n from differences group by 1) c
      left join (${AMOUNTS_OF_PLAYERS}) s using (player_id)
      where p.id = c.player_id
        and p.id = any(array(select player_id from differences))
    ), day_differences as materialized (
      select player_id, c.game_id, day, c.n as purchases, coalesce(s.amounts, '{}') as revenue
      from (select player_id, game_id, day, sum(n)::int as n from differences group by 1, 2, 3) c
      left join (${AMOUNTS_OF_DAYS}) s using (player_id, day)
    ), days as (
      insert into player_days as d (player_id, day, purchases, revenue)
      select player_id, day, purchases, revenue from day_differences
      order by player_id, day
      on conflict (player_id, day) do update
      set purchases = d.purchases + excluded.purchases, revenue = jsonb_add(d.revenue, excluded.revenue)
      returning player_id, day, purchases
    ), promotions as (
      insert into player_promotions as m (player_id, promo_id, purchases)
      select player_id, promo_id, sum(n) from differences where promo_id is not null group by 1, 2
      order by 1, 2
      on conflict (player_id, promo_id) do update set purchases = m.purchases + excluded.purchases
    ), proofs as (
      select c.game_id, (d.purchased_at at time zone 'UTC')::date as day, d.currency,
        coalesce(sum(d.n * d.price) filter (where d.is_verified), 0) as verified, coalesce(sum(d.n * d.refunded), 0) as refunded
      from changes c
      cross join lateral (values
        (-1, c.old_purchased_at, c.old_price, c.old_currency, c.did_count and c.old_store is not null, c.old_refunded),
        (1, c.purchased_at, c.price, c.currency, c.counts and c.store is not null, c.refunded)
      ) as d(n, purchased_at, price, currency, is_verified, refunded)
      where d.purchased_at is not null and d.currency is not null
      group by 1, 2, 3
    ), game_differences as (
      select c.game_id, c.day, c.purchases, (d.purchases > 0)::int - (d.purchases - c.purchases > 0)::int as paying, c.revenue,
        '{}'::jsonb as verified, '{}'::jsonb as refunded
      from day_differences c
      join days d using (player_id, day)
      union all
      select game_id, day, 0, 0, '{}', jsonb_build_object(currency, verified), jsonb_build_object(currency, refunded)
      from proofs where verified <> 0 or refunded <> 0
    )
    insert into game_days as g (game_id, day, shard, purchases, paying_players, revenue, verified_revenue, refunded_revenue)
    select game_id, day, rollup_shard('purchases'), sum(purchases), sum(paying), jsonb_total(revenue), jsonb_total(verified),
      jsonb_total(refunded)
    from game_differences
    group by game_id, day
    order by game_id, day
    on conflict (game_id, day, shard) do update
    set purchases = g.purchases + excluded.purchases,
      paying_players = g.paying_players + excluded.paying_players,
      revenue = jsonb_add(g.revenue, excluded.revenue),
      verified_revenue = jsonb_add(g.verified_revenue, excluded.verified_revenue),
      refunded_revenue = jsonb_add(g.refunded_revenue, excluded.refunded_revenue)`,
};

/**
 * Works out what of a player's purchases is not a sum: the first and the last, the recent days with purchases, and the spend
 * without the first day. Each is an index look-up, or at most 180 days of the player.
 */
export function updatePurchaseTimes(playerIds: readonly string[]): Call {
  return {
    statement: {
      name: 'update_purchase_times',
      text: `
        update players p
        set first_purchase_at = f.purchased_at,
          last_purchase_at = l.purchased_at,
          purchase_days = coalesce(d.days, '{}'),
          repeat_spend = jsonb_add(p.spend, jsonb_negate(coalesce(r.revenue, '{}')))
        from unnest($1::bigint[]) as c(player_id)
        left join lateral (
          select purchased_at from transactions
          where player_id = c.player_id and purchased_at is not null and refunded_at is null
          order by purchased_at limit 1
        ) f on true
        left join lateral (
          select purchased_at from transactions
          where player_id = c.player_id and purchased_at is not null and refunded_at is null
          order by purchased_at desc limit 1
        ) l on true
        left join lateral (
          select range_agg(daterange(day, day + 1)) as days
          from player_days
          where player_id = c.player_id and purchases > 0 and day > (l.purchased_at at time zone 'UTC')::date - 180
        ) d on true
        left join lateral (
          select revenue from player_days
          where player_id = c.player_id and day = (f.purchased_at at time zone 'UTC')::date offset 0
        ) r on true
        where p.id = c.player_id and p.id = any($1::bigint[])`,
    },
    values: [playerIds],
  };
}

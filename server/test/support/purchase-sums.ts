import { expect } from 'vitest';
import { recountGame } from '../../src/insight/analytics/recount.js';
import type { Pool } from '../../src/platform/db/pool.js';

/** The sums of all players of a game are those of SQL over their transactions, and a recount finds nothing else wrong. */
export async function expectPurchaseSums(pool: Pool, gameId: number): Promise<void> {
  const { rows } = await pool.query(
    `select p.user_id, p.purchase_count, p.spend, s.n, s.spend as summed
     from players p
     cross join lateral (
       select coalesce(sum(n), 0)::int as n, coalesce(jsonb_object_agg(currency, total) filter (where total <> 0), '{}') as spend
       from (
         select currency, count(*) as n, trim_scale(sum(price)) as total from transactions
         where player_id = p.id and purchased_at is not null and refunded_at is null group by 1
       ) c
     ) s
     where p.game_id = $1 and (p.spend <> s.spend or p.purchase_count <> s.n)`,
    [gameId],
  );
  expect(rows).toEqual([]);
  const { rows: refunds } = await pool.query(
    `select day, currency, sum(kept) as kept, sum(summed) as summed
     from (
       select day, r.key as currency, r.value::numeric as kept, 0 as summed
       from game_days cross join jsonb_each_text(refunded_revenue) r where game_id = $1
       union all
       select (purchased_at at time zone 'UTC')::date, currency, 0,
         case when refunded_at is null then coalesce(paid_price - price, 0) else coalesce(paid_price, price, 0) end
       from transactions
       where game_id = $1 and purchased_at is not null and currency is not null
         and (moved_at is null or moved_at < claimed_at)
     ) r
     group by 1, 2
     having sum(kept) <> sum(summed)`,
    [gameId],
  );
  expect(refunds).toEqual([]);
  expect((await recountGame(pool, gameId)).differences).toEqual([]);
}

import fc from 'fast-check';
import type { PlayerFacts } from '../../../src/decide/attributes/player-facts.js';
import type { Pool } from '../../../src/platform/db/pool.js';
import { DAY_MS } from '../../../src/platform/lib/day.js';
import { FLAGS, PROMOTIONS } from '../../decide/support/document-arbitrary.js';
import { playerFacts } from '../../decide/support/facts-arbitrary.js';

/**
 * Writes players of all kinds directly into the tables: the players of the property tests of `decide`, so that there are rows of
 * every shape, also shapes that would take weeks of events. The same seed gives the same players.
 */
export async function insertPlayersOfAllKinds(
  pool: Pool,
  gameId: number,
  count: number,
  seed: number,
): Promise<string[]> {
  const all = fc.sample(playerFacts(FLAGS, PROMOTIONS), { numRuns: count, seed });
  const ids: string[] = [];
  for (const facts of all) ids.push(await insertPlayer(pool, gameId, facts));
  await insertHistories(pool, ids);
  return ids;
}

/** The columns for predictions, computed from the days as the fold of events does it. */
async function insertHistories(pool: Pool, playerIds: readonly string[]): Promise<void> {
  await pool.query(
    `update players p set first_day = h.first_day, active_days = coalesce(h.active_days, '{}'),
       purchase_days = coalesce(h.purchase_days, '{}'), first_purchase_at = h.first_purchase::timestamp at time zone 'UTC'
     from (
       select d.player_id, min(d.day) as first_day,
         range_agg(daterange(d.day, d.day + 1)) filter (where d.events > 0) as active_days,
         range_agg(daterange(d.day, d.day + 1)) filter (where d.purchases > 0 and d.player_id % 3 > 0) as purchase_days,
         min(d.day) filter (where d.purchases > 0 and d.player_id % 3 > 0) as first_purchase
       from player_days d where d.player_id = any($1::bigint[]) group by d.player_id
     ) h
     where p.id = h.player_id`,
    [playerIds],
  );
  // Repeat spend in the currency of the models, in another, or none. Some players had their first purchase long before.
  await pool.query(
    `update players set first_purchase_at = first_purchase_at - case when id % 5 = 0 then interval '300 days' else interval '0' end,
       repeat_spend = (array['{}', '{"USD": 20}', '{"EUR": 7}', '{"USD": 3, "EUR": 1}'])[1 + id % 4]::jsonb
     where id = any($1::bigint[]) and first_purchase_at is not null`,
    [playerIds],
  );
}

const moment = (ms: number | null) => (ms === null ? null : new Date(ms));

async function insertPlayer(pool: Pool, gameId: number, facts: PlayerFacts): Promise<string> {
  // A player with a purchase has an event; a player without one has no spend.
  const isBuyer = facts.purchaseCount > 0 && facts.lastPurchaseAt !== null;
  const lastEventAt = facts.days.reduce<number | null>(
    (last, { epochDay }) => Math.max(last ?? 0, epochDay * DAY_MS + 1),
    isBuyer ? Math.max(facts.lastEventAt ?? 0, facts.lastPurchaseAt ?? 0) : facts.lastEventAt,
  );
  const { rows } = await pool.query<{ id: string }>(
    `insert into players (game_id, user_id, created_at, last_event_at, event_count, event_counts, purchase_count,
       last_purchase_at, spend, profile, overrides_at)
     values ($1, $2, $3::timestamptz + interval '123 microseconds', $4, $5, $6, $7, $8, $9, $10, $11)
     returning id`,
    [
      gameId,
      facts.userId,
      moment(facts.createdAt),
      moment(lastEventAt),
      facts.eventCount,
      facts.eventCounts,
      isBuyer ? facts.purchaseCount : 0,
      isBuyer ? moment(facts.lastPurchaseAt) : null,
      isBuyer ? facts.spend : {},
      facts.profile,
      // Long ago, so that later events are not in the future.
      // Also in the future, as with a clock that is ahead.
      facts.overrides.length > 0 ? moment(Math.max(...facts.overrides.map(({ setAt }) => setAt))) : null,
    ],
  );
  const id = rows[0]?.id ?? '';
  for (const day of facts.days) {
    await pool.query(
      `insert into player_days (player_id, day, events, sessions, ad_impressions, store_views, play_ms, event_counts,
         purchases, revenue)
       values ($1, date '1970-01-01' + $2::int, $3, $4, $5, $6, $7, $8, $9, $10)`,
      [
        id,
        day.epochDay,
        day.events,
        day.sessions,
        day.adImpressions,
        day.storeViews,
        day.playMs,
        day.eventCounts,
        day.purchases,
        day.revenue,
      ],
    );
  }
  if (isBuyer) await insertPromotions(pool, id, facts);
  await insertOverrides(pool, id, facts);
  return id;
}

async function insertPromotions(
  pool: Pool,
  playerId: string,
  { promoPurchases }: PlayerFacts,
): Promise<void> {
  for (const [promoId, purchases] of Object.entries(promoPurchases)) {
    await pool.query('insert into player_promotions (player_id, promo_id, purchases) values ($1, $2, $3)', [
      playerId,
      promoId,
      purchases,
    ]);
  }
}

/** If a flag has two overrides, the first was cleared. */
async function insertOverrides(pool: Pool, playerId: string, { overrides }: PlayerFacts): Promise<void> {
  for (const [n, { flagId, value, setAt, until }] of overrides.entries()) {
    const isCleared = overrides.slice(n + 1).some((later) => later.flagId === flagId);
    await pool.query(
      `insert into flag_overrides (player_id, flag_id, value, reason, author, set_at, until, cleared_at, cleared_by)
       values ($1, $2, $3, '', 'test', $4, $5, $6, $7)`,
      [
        playerId,
        flagId,
        value,
        moment(setAt),
        moment(until),
        ...(isCleared ? [moment(setAt + 1), 'test'] : [null, null]),
      ],
    );
  }
}

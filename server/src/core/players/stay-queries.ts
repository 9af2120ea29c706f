import type { StayChange } from '../../decide/decide/decision.js';
import { type Pool, query } from '../../platform/db/pool.js';

/** What a decision for a player has found out. */
export type DecidedStays = Readonly<{ playerId: string; atMs: number; changes: readonly StayChange[] }>;

/**
 * Begins and ends stays. Sent twice, or by two nodes that have decided the same, it has the effect of once. Who enters by new thresholds
 * leaves the stay by the former ones. The players are locked in the order of their ids, as by those who apply events, so that crossing
 * groups queue and never deadlock; `stays_at` makes the row a new version of itself, which is what every node looks at before it answers from
 * memory.
 */
export async function storeStays(pool: Pool, decided: readonly DecidedStays[]): Promise<void> {
  const rows = decided.flatMap(({ playerId, atMs, changes }) =>
    changes.map((change) => ({ ...change, playerId, at: new Date(atMs) })),
  );
  await query(
    pool,
    {
      name: 'store_stays',
      text: `with changes as (
               select * from unnest($1::bigint[], $2::text[], $3::text[], $4::boolean[], $5::float8[], $6::timestamptz[])
                 as c (player_id, segment_id, thresholds, is_inside, value, at)
             ), locked as materialized (
               select id, game_id from players where id = any($1::bigint[]) order by id for no key update
             ), left_now as (
               update segment_stays s
               set left_at = greatest(s.entered_at, c.at), left_value = case when s.thresholds = c.thresholds then c.value end
               from changes c join locked l on l.id = c.player_id
               where s.player_id = any($1::bigint[]) and s.left_at is null
                 and s.player_id = c.player_id and s.segment_id = c.segment_id
                 and (s.thresholds = c.thresholds) <> c.is_inside
               returning s.player_id
             ), entered as (
               insert into segment_stays (game_id, player_id, segment_id, thresholds, entered_at, entered_value)
               select l.game_id, c.player_id, c.segment_id, c.thresholds, c.at, c.value
               from changes c join locked l on l.id = c.player_id
               where c.is_inside
               -- there is an open stay, or one that began and ended at this very instant
               on conflict do nothing
               returning player_id
             )
             update players p set stays_at = greatest(p.stays_at, c.at)
             from (
               select player_id, max(at) as at from changes
               where player_id in (select player_id from left_now union all select player_id from entered)
               group by player_id
             ) c
             where p.id = any($1::bigint[]) and p.id = c.player_id`,
    },
    [
      rows.map(({ playerId }) => playerId),
      rows.map(({ segmentId }) => segmentId),
      rows.map(({ thresholds }) => thresholds),
      rows.map(({ isInside }) => isInside),
      rows.map(({ value }) => value),
      rows.map(({ at }) => at),
    ],
  );
}

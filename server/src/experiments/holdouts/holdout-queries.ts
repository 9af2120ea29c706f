import type { DedicatedConnection } from '../../platform/db/dedicated-connection.js';
import { type Pool, query } from '../../platform/db/pool.js';
import { dayOfRates } from '../../studio/money/rate-days.js';
import type { BuyingPlayer, HoldoutSums } from './group-sums.js';

/** Comparisons of older releases are of 28 days, or of players who were active: they count as not made. */
const IS_OF_KNOWN = `sums @> '{"counts": "known"}'`;

/** A game that holds players out and has not been compared up to a day. */
export type HoldoutGame = Readonly<{ gameId: number; percent: number }>;

export async function listHoldoutGames(
  connection: DedicatedConnection,
  { behind, day, limit }: { behind: number; day: string; limit: number },
): Promise<HoldoutGame[]> {
  const { rows } = await connection.query<HoldoutGame>(
    `select g.id as "gameId", (v.document #>> '{store,holdoutPercent}')::float8 as percent
     from (
       select id, published_version from games g
       where id > $1 and published_version > 0
         and not exists (select from holdout_comparisons c where c.game_id = g.id and c.day = $2 and c.behind is null and c.${IS_OF_KNOWN} offset 0)
       offset 0
     ) g
     cross join lateral (
       select document from config_versions v where v.game_id = g.id and v.version = g.published_version offset 0
     ) v
     where (v.document #>> '{store,holdoutPercent}')::float8 > 0
     order by g.id
     limit $3`,
    [behind, day, limit],
  );
  return rows;
}

/** Since when a share of players has been held out without a change; null if it is not in force. */
export async function findHoldoutSince(
  connection: DedicatedConnection,
  { gameId, percent }: HoldoutGame,
): Promise<number | null> {
  const { rows } = await connection.query<{ since: number | null }>(
    `with last_other as (
       select version from config_versions
       where game_id = $1 and (document #>> '{store,holdoutPercent}')::float8 is distinct from $2::float8
       order by version desc
       limit 1
     )
     select min(published_at) as since from config_versions
     where game_id = $1 and version > coalesce((select version from last_other), 0)`,
    [gameId, percent],
  );
  return rows[0]?.since ?? null;
}

export type HoldoutSpan = Readonly<{ gameId: number; from: string; to: string; percent: number }>;
export type HoldoutWalk = Readonly<{ behind: string; sums: HoldoutSums }>;

/** A comparison that is under way, and is of this span. */
export async function findHoldoutWalk(
  connection: DedicatedConnection,
  { gameId, from, to, percent }: HoldoutSpan,
): Promise<HoldoutWalk | undefined> {
  const { rows } = await connection.query<HoldoutWalk>(
    `select behind, sums from holdout_comparisons
     where game_id = $1 and day = $2 and from_day = $3 and holdout_percent = $4::numeric and behind is not null and ${IS_OF_KNOWN}`,
    [gameId, to, from, percent],
  );
  return rows[0];
}

/** `behind` is null at the end. */
export async function upsertComparison(
  connection: DedicatedConnection,
  { gameId, from, to, percent }: HoldoutSpan,
  { behind, sums }: { behind: string | null; sums: HoldoutSums },
  nowMs: number,
): Promise<void> {
  await connection.query(
    `insert into holdout_comparisons (game_id, day, from_day, holdout_percent, sums, behind, summed_at)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (game_id, day) do update
     set from_day = excluded.from_day, holdout_percent = excluded.holdout_percent, sums = excluded.sums, behind = excluded.behind,
       summed_at = excluded.summed_at`,
    [gameId, to, from, percent, JSON.stringify(sums), behind, new Date(nowMs)],
  );
}

/** Those of earlier days that were left halfway, which nobody will go on with. */
export async function deleteUnfinished(
  connection: DedicatedConnection,
  gameId: number,
  beforeDay: string,
): Promise<void> {
  await connection.query(
    'delete from holdout_comparisons where game_id = $1 and day < $2 and behind is not null',
    [gameId, beforeDay],
  );
}

const RATES_DAY = dayOfRates('d.day', '$6');
const TEXTS = `(select coalesce(jsonb_object_agg(key, amount), '{}') from jsonb_each_text(r.revenue) a(key, amount))`;

/** Players who bought nothing in the span, and those who did. */
type Portion = { last: string | null; userIds: string[]; buying: BuyingPlayer[] };

/**
 * The next players of a game: those who were there before the span, and those who came in it, whether they played or not. Of players who bought nothing only the id is
 * sent: they are nearly all.
 */
export async function findComparedPlayers(
  connection: DedicatedConnection,
  { gameId, from, to }: HoldoutSpan,
  behind: string,
  { limit, changeDays }: { limit: number; changeDays: readonly string[] },
): Promise<Portion> {
  const { rows } = await connection.query<Portion>(
    `with walked as materialized (
       select id, user_id, created_at < ($5::date + 1)::timestamp at time zone 'UTC' as "isKnown",
         purchase_days && daterange($4, $5, '[]') as "isBuying"
       from players
       where game_id = $1 and id > $2::bigint
       order by id
       limit $3
     )
     select (select max(id) from walked) as last,
       (select coalesce(json_agg(user_id), '[]') from walked where "isKnown" and not "isBuying") as "userIds",
       (
         select coalesce(
           json_agg(json_build_object('userId', p.user_id, 'purchases', coalesce(b.purchases, 0), 'revenue', coalesce(b.revenue, '{}'), 'dated', coalesce(b.dated, '[]'))),
           '[]'
         )
         from walked p
         cross join lateral (
           select sum(r.purchases) as purchases, jsonb_total(r.revenue) as revenue,
             jsonb_agg(jsonb_build_object('day', r.day, 'amounts', ${TEXTS})) filter (where r.revenue <> '{}') as dated
           from (
             select ${RATES_DAY} as day, sum(d.purchases) as purchases, jsonb_total(d.revenue) as revenue
             from player_days d
             where d.player_id = p.id and d.day between $4::date and $5::date
             group by 1
           ) r
         ) b
         where p."isKnown" and p."isBuying"
       ) as buying`,
    [gameId, behind, limit, from, to, changeDays],
  );
  return rows[0] ?? { last: null, userIds: [], buying: [] };
}

export type StoredComparison = Readonly<{
  from: string;
  to: string;
  holdoutPercent: number;
  sums: HoldoutSums;
  summedAt: number;
}>;

export async function findNewestComparison(
  pool: Pool,
  gameId: number,
): Promise<StoredComparison | undefined> {
  const rows = await query<StoredComparison>(
    pool,
    {
      name: 'find_newest_comparison',
      text: `select from_day::text as from, day::text as to, holdout_percent::float8 as "holdoutPercent", sums, summed_at as "summedAt"
             from holdout_comparisons
             where game_id = $1 and behind is null and ${IS_OF_KNOWN}
             order by day desc
             limit 1`,
    },
    [gameId],
  );
  return rows[0];
}

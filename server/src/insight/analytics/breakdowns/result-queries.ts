import type { DedicatedConnection } from '../../../platform/db/dedicated-connection.js';
import { IS_BEHIND } from './days-behind.js';
import { DAYS_BEFORE_TODAY, DIMENSIONS, SHOWN_VALUES, SUMMED_DAYS } from './dimensions.js';
import type { ChangedDay, DueGame, Run } from './run-queries.js';

/** Statements about what a run results in: `game_breakdown_days`, `game_breakdowns` and `game_active_players`. */

/**
 * Days whose roll-up totals have changed since they were summed last, newest first. Today is one of them from its first minute on,
 * if the game had players in the last 30 days, because its weekly and monthly players are asked for. A day changes also when
 * the 1st, 7th, 28th or 30th day after it is over: then no more players can return on that day. With `summed`, the days that have
 * been summed just now, only days that are behind, and none of these.
 */
export async function listChangedDays(
  connection: DedicatedConnection,
  { gameId, keepsFrom }: DueGame,
  today: string,
  { limit, summed = null }: { limit: number; summed?: readonly string[] | null | undefined },
): Promise<ChangedDay[]> {
  const { rows } = await connection.query<ChangedDay>(
    `with days as materialized (
       select day, totals from game_day_totals
       where game_id = $1 and day > greatest($2::date - ${SUMMED_DAYS}, $3::date - 1) and day <= $2::date
     ), days_and_today as (
       select day, totals from days
       union all
       select $2::date, '{}' where exists (select from days where day > $2::date - 30)
         and not exists (select from days where day = $2::date)
     )
     select d.day::text, d.totals::text
     from days_and_today d
     left join lateral (
       select totals, (summed_at at time zone 'UTC')::date as summed_on
       from game_breakdown_days s where s.game_id = $1 and s.day = d.day offset 0
     ) s on true
     where case when $5::date[] is null then s.totals is distinct from d.totals
         or exists (select from unnest('{1,7,28,30}'::int[]) n where d.day + n >= s.summed_on and d.day + n < $2::date)
       else d.day <> all($5) and d.day < $2::date and ${IS_BEHIND} end
     order by d.day desc
     limit $4`,
    [gameId, today, keepsFrom, limit, summed],
  );
  return rows;
}

/** Records the totals that each day of the run had when the run started. */
export async function upsertSummedDays(connection: DedicatedConnection, { gameId }: Run): Promise<void> {
  await connection.query(
    `insert into game_breakdown_days (game_id, day, totals, summed_at)
     select r.game_id, t.key::date, t.value, r.started_at
     from breakdown_runs r cross join lateral jsonb_each(r.totals) t
     where r.game_id = $1
     on conflict (game_id, day) do update set totals = excluded.totals, summed_at = excluded.summed_at`,
    [gameId],
  );
}

export async function deleteBreakdowns(
  connection: DedicatedConnection,
  { gameId, days }: Run,
): Promise<void> {
  await connection.query(
    'delete from game_breakdowns where game_id = $1 and dimension = any($2::text[]) and day = any($3::date[])',
    [gameId, DIMENSIONS, days],
  );
}

/** The largest values of each day, and all others as one. */
export async function insertBreakdowns(
  connection: DedicatedConnection,
  { gameId, days }: Run,
): Promise<void> {
  await connection.query(
    `insert into game_breakdowns (game_id, dimension, day, is_remainder, value, active_players, new_players, paying_players, purchases,
       revenue, d1, d7, d28, d30)
     select $1, dimension, day, is_small, case when is_small then '' else value end,
       sum(active_players), sum(new_players), sum(paying_players), sum(purchases), jsonb_total(revenue), sum(d1), sum(d7), sum(d28),
       sum(d30)
     from (
       select s.*, is_remainder or row_number() over (
         partition by dimension, day order by is_remainder, active_players desc, purchases desc, new_players desc, value
       ) > ${SHOWN_VALUES} as is_small
       from breakdown_sums s
       where game_id = $1 and dimension = any($3::text[]) and day = any($2::date[])
     ) s
     group by 2, 3, 4, 5`,
    [gameId, days, DIMENSIONS],
  );
}

/** The active players and payers of each day: the sums of all changes up to the day. */
export async function upsertActivePlayers(
  connection: DedicatedConnection,
  { gameId, today }: Run,
): Promise<void> {
  await connection.query(
    `insert into game_active_players (game_id, day, ${WINDOW_COLUMNS})
     select $1, day, ${WINDOW_COLUMNS}
     from (
       select d::date as day, ${WINDOW_SUMS}
       from generate_series($2::date - ${DAYS_BEFORE_TODAY}, $2::date, interval '1 day') d${WINDOW_CHANGES}
       window up_to as (order by d)
     ) s
     -- days before the first player have no row
     where monthly > 0 or day = $2::date
       or exists (select from game_active_players a where a.game_id = $1 and a.day = s.day offset 0)
     on conflict (game_id, day) do update set ${WINDOW_UPDATES}`,
    [gameId, today],
  );
}

/** What a run counts over 7 and 30 days: a dimension of the sums, and a column of the result. */
const WINDOWS = ['weekly', 'monthly', 'weekly_payers', 'monthly_payers'];
const WINDOW_COLUMNS = WINDOWS.join(', ');
const WINDOW_SUMS = WINDOWS.map((name) => `sum(coalesce(${name}.players, 0)) over up_to as ${name}`).join(
  ', ',
);
const WINDOW_UPDATES = WINDOWS.map((name) => `${name} = excluded.${name}`).join(', ');
const CHANGES = `
       left join lateral (
         select active_players as players from breakdown_sums b
         where b.game_id = $1 and b.dimension = 'NAME' and b.day = d::date offset 0
       ) NAME on true`;
const WINDOW_CHANGES = WINDOWS.map((name) => CHANGES.replaceAll('NAME', name)).join('');

/** Clients chose these values: they are deleted together with the events of their days. */
export async function deleteOldBreakdowns(
  connection: DedicatedConnection,
  { gameId, keepsFrom }: DueGame,
): Promise<number> {
  if (keepsFrom === null) return 0;
  const { rowCount } = await connection.query(
    `with days as (
       delete from game_breakdown_days where game_id = $1 and day < $2::date returning day
     )
     delete from game_breakdowns
     where game_id = $1 and dimension = any($3::text[]) and day = any(array(select day from days))`,
    [gameId, keepsFrom, DIMENSIONS],
  );
  return rowCount ?? 0;
}

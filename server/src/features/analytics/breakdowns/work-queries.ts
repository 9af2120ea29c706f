import type { OwnConnection } from '../../../db/own-connection.js';
import { SUMMED_DAYS } from './dimensions.js';

/** A walk through the players of a game that is under way. */
export type Walk = Readonly<{
  gameId: number;
  /** The days that it sums. */
  days: string[];
  /** The last player who has been summed. */
  behind: string;
  /** When it began: a walk that is gone on with the next day ends with the same days. */
  today: string;
}>;

/** The walk of a game, unless it was left for so long that its days are past. */
export async function findWalk(
  connection: OwnConnection,
  gameId: number,
  nowMs: number,
): Promise<Walk | undefined> {
  const { rows } = await connection.query<Walk>(
    `select game_id as "gameId", array(select jsonb_object_keys(totals)) as days, behind,
       (begun_at at time zone 'UTC')::date::text as today
     from breakdown_work
     where game_id = $1 and totals is not null and begun_at > $2::timestamptz - interval '2 days'`,
    [gameId, new Date(nowMs)],
  );
  return rows[0];
}

/** A game that may have days to sum. */
export type DueGame = Readonly<{ gameId: number; keepsFrom: string | null }>;

/**
 * Games whose walk is under way, or whose last one is over for long enough, those first that have waited longest. A walk of a minute is
 * repeated after twenty, so that all walks together take a twentieth of one core at most.
 */
export async function listDueGames(
  connection: OwnConnection,
  {
    except,
    nowMs,
    pauseMs,
    limit,
  }: { except: readonly number[]; nowMs: number; pauseMs: number; limit: number },
): Promise<DueGame[]> {
  const { rows } = await connection.query<DueGame>(
    `select g.id as "gameId", (($2::timestamptz at time zone 'UTC')::date - g.retention_days)::text as "keepsFrom"
     from games g
     left join lateral (select * from breakdown_work where game_id = g.id offset 0) w on true
     where g.id <> all($1::int[]) and (
       w.ended_at is null or w.totals is not null
       or w.ended_at + greatest($3::float8, 20 * w.spent_ms) * interval '1 millisecond' < $2::timestamptz
     )
     order by w.ended_at nulls first, g.id
     limit $4`,
    [except, new Date(nowMs), pauseMs, limit],
  );
  return rows;
}

/** What the roll-ups say of the day, as JSON that is only compared: JavaScript would round its decimals. */
export type ChangedDay = Readonly<{ day: string; totals: string }>;

/**
 * The days of which the roll-ups say something else than when they were broken down, newest first. Today is one of them from its
 * first minute on, while the game had players in the last 30 days: its weekly and monthly players are asked for. A day changes also when
 * the 1st, 7th, 28th or 30th day after it is over: then nobody more can have come back.
 */
export async function listChangedDays(
  connection: OwnConnection,
  { gameId, keepsFrom }: DueGame,
  today: string,
  limit: number,
): Promise<ChangedDay[]> {
  const { rows } = await connection.query<ChangedDay>(CHANGED_DAYS, [gameId, today, keepsFrom, limit]);
  return rows;
}

const CHANGED_DAYS = `
  with days as (
    select day, jsonb_build_object('active', sum(active_players), 'new', sum(new_players), 'paying', sum(paying_players),
      'purchases', sum(purchases), 'revenue', jsonb_total(revenue)) as totals
    from game_days
    where game_id = $1 and day > greatest($2::date - ${SUMMED_DAYS}, $3::date - 1) and day <= $2::date
    group by day
  ), known as (
    select day, totals from days
    union all
    select $2::date, '{}' where exists (select from days where day > $2::date - 30)
      and not exists (select from days where day = $2::date)
  ), retained as (
    select cohort_day as day, jsonb_object_agg(after, players) as totals
    from (
      select cohort_day, active_day - cohort_day as after, sum(players) as players
      from game_cohorts
      where game_id = $1 and cohort_day > $2::date - ${SUMMED_DAYS} and cohort_day <= $2::date
        and active_day - cohort_day in (1, 7, 28, 30)
      group by 1, 2
    ) c
    group by 1
  ), now as (
    select k.day, k.totals || coalesce(r.totals, '{}') || jsonb_build_object(
      'over', (select count(*) from unnest('{1,7,28,30}'::int[]) n where k.day + n < $2::date)
    ) as totals
    from known k
    left join retained r on r.day = k.day
  )
  select n.day::text, n.totals::text
  from now n
  left join lateral (
    select totals from game_breakdown_days d where d.game_id = $1 and d.day = n.day offset 0
  ) s on true
  where s.totals is distinct from n.totals
  order by n.day desc
  limit $4`;

export async function insertWalk(
  connection: OwnConnection,
  gameId: number,
  days: readonly ChangedDay[],
  nowMs: number,
): Promise<void> {
  await connection.query(
    `insert into breakdown_work (game_id, totals, begun_at)
     select $1::int, jsonb_object_agg(day, totals::jsonb), $4::timestamptz from unnest($2::text[], $3::text[]) d(day, totals)
     on conflict (game_id) do update
     set totals = excluded.totals, behind = 0, spent_ms = 0, begun_at = excluded.begun_at, ended_at = null`,
    [gameId, days.map(({ day }) => day), days.map(({ totals }) => totals), new Date(nowMs)],
  );
}

export async function updateWalk(
  connection: OwnConnection,
  gameId: number,
  behind: string,
  spentMs: number,
): Promise<void> {
  await connection.query(
    'update breakdown_work set behind = $2, spent_ms = spent_ms + $3 where game_id = $1',
    [gameId, behind, Math.round(spentMs)],
  );
}

/** Nothing has changed: the game is looked at again after the pause. */
export async function skipWalk(connection: OwnConnection, gameId: number, nowMs: number): Promise<void> {
  await connection.query(
    `insert into breakdown_work (game_id, begun_at, ended_at) values ($1, $2, $2)
     on conflict (game_id) do update set spent_ms = 0, ended_at = excluded.ended_at`,
    [gameId, new Date(nowMs)],
  );
}

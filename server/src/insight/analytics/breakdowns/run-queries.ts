import type { DedicatedConnection } from '../../../platform/db/dedicated-connection.js';

/** Statements about `breakdown_runs`. A run sums some days of one game, over all players of the game. */
export type Run = Readonly<{
  gameId: number;
  days: readonly string[];
  /** The last player who has been summed. */
  lastPlayerId: string;
  /** The day on which the run started: a run that is resumed on the next day still sums up to this day. */
  today: string;
  /** The days from which other exchange rates hold, as they were when the run started. */
  rateDays: readonly string[];
}>;

/** The unfinished run of a game. A run that was left for two days is started again. */
export async function findRun(
  connection: DedicatedConnection,
  gameId: number,
  nowMs: number,
): Promise<Run | undefined> {
  const { rows } = await connection.query<Run>(
    `select game_id as "gameId", array(select jsonb_object_keys(totals)) as days, last_player_id as "lastPlayerId",
       (started_at at time zone 'UTC')::date::text as today, rate_days::text[] as "rateDays"
     from breakdown_runs
     where game_id = $1 and totals is not null and started_at > $2::timestamptz - interval '2 days'`,
    [gameId, new Date(nowMs)],
  );
  return rows[0];
}

/** A game that may have days to sum. */
export type DueGame = Readonly<{
  gameId: number;
  keepsFrom: string | null;
  /** Those that revenue per install was summed with; null before the first time. */
  rateDays: readonly string[] | null;
}>;

/**
 * Games with an unfinished run, or whose last run ended long enough ago; those that have waited longest come first. A run of a minute,
 * with all runs that it went on with, is repeated after twenty, so all runs together take at most a twentieth of one core. `onlyGameId`: this game,
 * whether it is due or not.
 */
export async function listDueGames(
  connection: DedicatedConnection,
  {
    except,
    nowMs,
    pauseMs,
    onlyGameId,
    limit,
  }: {
    except: readonly number[];
    nowMs: number;
    pauseMs: number;
    onlyGameId: number | null;
    limit: number;
  },
): Promise<DueGame[]> {
  const { rows } = await connection.query<DueGame>(
    `select g.id as "gameId", (($2::timestamptz at time zone 'UTC')::date - g.retention_days)::text as "keepsFrom",
       case when r.installs_summed_at is not null then r.rate_days::text[] end as "rateDays"
     from games g
     left join lateral (select * from breakdown_runs where game_id = g.id offset 0) r on true
     where g.id <> all($1::int[]) and ($5::int is null or g.id = $5) and (
       $5::int is not null or r.ended_at is null or r.totals is not null
       or r.ended_at + greatest($3::float8, 20 * r.spent_ms) * interval '1 millisecond' < $2::timestamptz
     )
     order by r.ended_at nulls first, g.id
     limit $4`,
    [except, new Date(nowMs), pauseMs, limit, onlyGameId],
  );
  return rows;
}

/** A day and its row of `game_day_totals`, as JSON that is only compared: JavaScript would round its decimals. */
export type ChangedDay = Readonly<{ day: string; totals: string }>;

export type NewRun = Readonly<{
  days: readonly ChangedDay[];
  rateDays: readonly string[];
  /** It follows another run of the game without a pause. */
  goesOn: boolean;
}>;

/** A run that goes on with more days of the same game counts the time of the run before as its own. */
export async function insertRun(
  connection: DedicatedConnection,
  gameId: number,
  { days, rateDays, goesOn }: NewRun,
  nowMs: number,
): Promise<void> {
  await connection.query(
    `insert into breakdown_runs (game_id, totals, started_at, rate_days)
     select $1::int, coalesce(jsonb_object_agg(day, totals::jsonb), '{}'), $4::timestamptz, $5::date[]
     from unnest($2::text[], $3::text[]) d(day, totals)
     on conflict (game_id) do update
     set totals = excluded.totals, last_player_id = 0, spent_ms = case when $6 then breakdown_runs.spent_ms else 0 end,
       started_at = excluded.started_at, ended_at = null,
       rate_days = excluded.rate_days`,
    [gameId, days.map(({ day }) => day), days.map(({ totals }) => totals), new Date(nowMs), rateDays, goesOn],
  );
}

/** Nothing has changed: the game is due again after the pause. */
export async function insertEmptyRun(
  connection: DedicatedConnection,
  gameId: number,
  nowMs: number,
): Promise<void> {
  await connection.query(
    `insert into breakdown_runs (game_id, started_at, ended_at) values ($1, $2, $2)
     on conflict (game_id) do update set spent_ms = 0, ended_at = excluded.ended_at`,
    [gameId, new Date(nowMs)],
  );
}

export async function updateRunPosition(
  connection: DedicatedConnection,
  gameId: number,
  lastPlayerId: string,
  spentMs: number,
): Promise<void> {
  await connection.query(
    'update breakdown_runs set last_player_id = $2, spent_ms = spent_ms + $3 where game_id = $1',
    [gameId, lastPlayerId, Math.round(spentMs)],
  );
}

/** Ends a run. Call `upsertSummedDays` first: it reads the totals of the run. */
export async function updateEndedRun(
  connection: DedicatedConnection,
  gameId: number,
  nowMs: number,
): Promise<void> {
  await connection.query('update breakdown_runs set totals = null, ended_at = $2 where game_id = $1', [
    gameId,
    new Date(nowMs),
  ]);
}

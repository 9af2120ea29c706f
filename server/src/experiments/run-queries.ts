import type { DedicatedConnection } from '../platform/db/dedicated-connection.js';
import type { RunKey } from './exposure-queries.js';
import type { ExperimentSums } from './report/experiment-sums.js';
import type { GateInput } from './report/gates.js';

export type ArmChanges = GateInput['armChanges'];

/**
 * Sums that are under way, up to the end of `to`, of runs that are summed together: the first of them keeps them all. The players up to the id `behind` are in them.
 * Sums by other metrics or other rates cannot be added up: `basis` says by which they are.
 */
export type Walk = Readonly<{
  to: string;
  runs: readonly Pick<RunKey, 'experimentId' | 'seed'>[];
  basis: string;
  behind: number;
  sums: readonly ExperimentSums[];
}>;

export type Run = RunKey &
  Readonly<{
    startedOn: string;
    checkedVersion: number;
    armChanges: ArmChanges;
    walk: Walk | null;
  }>;

export type RunningGame = Readonly<{
  gameId: number;
  running: readonly (readonly [experimentId: string, seed: string, activation: string | null])[];
}>;

export async function listRunningGames(
  connection: DedicatedConnection,
  behind: number,
  limit: number,
): Promise<RunningGame[]> {
  const { rows } = await connection.query<RunningGame>(
    `select id as "gameId", running_experiments as running from games
     where id > $1 and running_experiments is not null
     order by id
     limit $2`,
    [behind, limit],
  );
  return rows;
}

/** Whether the run of row x is under way in the version of row v. */
const RUNS_IN_VERSION = `(
           exists (
             select from json_array_elements(v.document -> 'experiments') e
             where e ->> 'experimentId' = x.experiment_id and e ->> 'seed' = x.seed and e ->> 'state' = 'running'
           )
           or exists (
             select from json_array_elements(v.document -> 'offers') o
             where 'offer:' || (o ->> 'offerId') = x.experiment_id and o ->> 'holdoutPercent' = x.seed
           )
         )`;

/**
 * Adds the runs that have no row yet, each since the first version in which it runs with its seed, or in which its offer has this hold-out. One that runs again with the same seed goes on.
 * A hold-out whose players are deleted (see holdout-expiry.ts) begins anew, with the version that brought it back.
 */
export async function upsertRuns(
  connection: DedicatedConnection,
  { gameId, running }: RunningGame,
): Promise<void> {
  await connection.query(
    `insert into experiment_runs as r (game_id, experiment_id, seed, started_at, checked_version)
     select $1, x.experiment_id, x.seed, v.published_at, v.version
     from unnest($2::text[], $3::text[]) as x (experiment_id, seed)
     left join lateral (
       select o.ended_at from experiment_runs o
       where o.game_id = $1 and o.experiment_id = x.experiment_id and o.seed = x.seed and o.experiment_id like 'offer:%'
         and not exists (
           select from experiment_exposures d
           where d.game_id = $1 and d.experiment_id = x.experiment_id and d.seed = x.seed and d.exposed_at <= o.ended_at
           offset 0
         )
     ) emptied on true
     cross join lateral (
       select v.version, v.published_at from config_versions v
       where v.game_id = $1 and v.published_at > coalesce(emptied.ended_at, '-infinity')
         and not exists (
           select from experiment_runs o
           where o.game_id = $1 and o.experiment_id = x.experiment_id and o.seed = x.seed and o.ended_at is null
         )
         and ${RUNS_IN_VERSION}
       order by v.version
       limit 1
     ) v
     on conflict (game_id, experiment_id, seed) do update set ended_at = null,
       started_at = greatest(r.started_at, excluded.started_at),
       checked_version = greatest(r.checked_version, excluded.checked_version),
       arm_changes = case when excluded.started_at > r.started_at then '[]' else r.arm_changes end`,
    [gameId, running.map(([experimentId]) => experimentId), running.map(([, seed]) => seed)],
  );
}

const IS_RUNNING = `exists (
       select from games g cross join lateral jsonb_array_elements(g.running_experiments) e
       where g.id = x.game_id and e ->> 0 = x.experiment_id and e ->> 1 = x.seed
     )`;

/**
 * Ends the runs of experiments that do not run any more, with the first version in which they do not: they are not summed again, and their last
 * report stays. Nobody waits for another one that was asked for.
 */
export async function endRuns(connection: DedicatedConnection, nowMs: number): Promise<void> {
  await connection.query(
    `update experiment_runs x set walk = null, requested_at = null,
       ended_at = coalesce((
         select e.published_at from config_versions e
         where e.game_id = x.game_id and e.version > (
           select v.version from config_versions v
           where v.game_id = x.game_id and ${RUNS_IN_VERSION}
           order by v.version desc
           limit 1
         )
         order by e.version
         limit 1
       ), $1)
     where x.ended_at is null and not ${IS_RUNNING}`,
    [new Date(nowMs)],
  );
}

/** Runs that are not summed up to the end of a day, or that somebody has asked for since. Those that have waited longest come first, so that each has its turn. */
export async function listDueRuns(connection: DedicatedConnection, to: string): Promise<Run[]> {
  const { rows } = await connection.query<Run>(
    `select game_id as "gameId", experiment_id as "experimentId", seed, (started_at at time zone 'UTC')::date::text as "startedOn",
       checked_version as "checkedVersion", arm_changes as "armChanges", walk
     from experiment_runs
     where ended_at is null and (started_at at time zone 'UTC')::date <= $1::date
       and (day is null or day < $1::date or requested_at is not null)
     order by day nulls first, game_id, experiment_id, seed`,
    [to],
  );
  return rows;
}

export async function updateArmChanges(
  connection: DedicatedConnection,
  { gameId, experimentId, seed }: RunKey,
  { checkedVersion, armChanges }: Pick<Run, 'checkedVersion' | 'armChanges'>,
): Promise<void> {
  await connection.query(
    `update experiment_runs set checked_version = $4, arm_changes = $5
     where game_id = $1 and experiment_id = $2 and seed = $3`,
    [gameId, experimentId, seed, checkedVersion, JSON.stringify(armChanges)],
  );
}

export async function updateWalk(
  connection: DedicatedConnection,
  { gameId, experimentId, seed }: RunKey,
  walk: Walk,
): Promise<void> {
  await connection.query(
    'update experiment_runs set walk = $4 where game_id = $1 and experiment_id = $2 and seed = $3',
    [gameId, experimentId, seed, JSON.stringify(walk)],
  );
}

export async function updateSummed(
  connection: DedicatedConnection,
  { gameId, experimentId, seed }: RunKey,
  { to, nowMs }: { to: string; nowMs: number },
): Promise<void> {
  await connection.query(
    `update experiment_runs set walk = null, day = $4, summed_at = $5,
       requested_at = case when requested_at > $5 then requested_at end
     where game_id = $1 and experiment_id = $2 and seed = $3`,
    [gameId, experimentId, seed, to, new Date(nowMs)],
  );
}

import type { DedicatedConnection } from '../platform/db/dedicated-connection.js';
import type { RunKey } from './exposure-queries.js';
import type { ArmSums, ExperimentSums } from './report/experiment-sums.js';
import type { Report } from './report/report-types.js';

type SumRow = ArmSums & { variantId: string };

const SUM_COLUMNS = `variant_id as "variantId", players, recent_players as "recentPlayers", two_arms as "twoArms", erased, metrics`;

function byVariant(rows: readonly SumRow[]): ExperimentSums {
  return Object.fromEntries(rows.map(({ variantId, ...sums }) => [variantId, sums]));
}

/** The sums of the first day from one on that was summed; undefined if there is none. */
export async function findSumsFrom(
  connection: DedicatedConnection,
  { gameId, experimentId, seed }: RunKey,
  day: string,
): Promise<ExperimentSums | undefined> {
  const { rows } = await connection.query<SumRow>(
    `select ${SUM_COLUMNS} from experiment_sums
     where game_id = $1 and experiment_id = $2 and seed = $3
       and day = (
         select day from experiment_sums
         where game_id = $1 and experiment_id = $2 and seed = $3 and day >= $4
         order by day
         limit 1
       )`,
    [gameId, experimentId, seed, day],
  );
  return rows.length === 0 ? undefined : byVariant(rows);
}

/** Of players who were erased while the experiment ran. They are in `erased`, and in no number of recent players. */
export async function findErasedSums(
  connection: DedicatedConnection,
  { gameId, experimentId, seed }: RunKey,
): Promise<ExperimentSums> {
  const { rows } = await connection.query<SumRow>(
    `select variant_id as "variantId", players, 0 as "recentPlayers", two_arms as "twoArms", players as erased, metrics
     from experiment_erased
     where game_id = $1 and experiment_id = $2 and seed = $3
     for update`,
    [gameId, experimentId, seed],
  );
  return byVariant(rows);
}

export async function upsertErasedSums(
  connection: DedicatedConnection,
  { gameId, experimentId, seed }: RunKey,
  sums: ExperimentSums,
): Promise<void> {
  for (const [variantId, { players, twoArms, metrics }] of Object.entries(sums)) {
    await connection.query(
      `insert into experiment_erased (game_id, experiment_id, seed, variant_id, players, two_arms, metrics)
       values ($1, $2, $3, $4, $5, $6, $7)
       on conflict (game_id, experiment_id, seed, variant_id) do update
       set players = excluded.players, two_arms = excluded.two_arms, metrics = excluded.metrics`,
      [gameId, experimentId, seed, variantId, players, twoArms, JSON.stringify(metrics)],
    );
  }
}

/** Replaces the sums of the day. */
export async function upsertSums(
  connection: DedicatedConnection,
  { gameId, experimentId, seed }: RunKey,
  day: string,
  sums: ExperimentSums,
): Promise<void> {
  for (const [variantId, arm] of Object.entries(sums)) {
    const { players, recentPlayers, twoArms, erased, metrics } = arm;
    await connection.query(
      `insert into experiment_sums (game_id, experiment_id, seed, day, variant_id, players, recent_players, two_arms, erased, metrics)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
       on conflict (game_id, experiment_id, seed, day, variant_id) do update
       set players = excluded.players, recent_players = excluded.recent_players, two_arms = excluded.two_arms,
         erased = excluded.erased, metrics = excluded.metrics`,
      [
        gameId,
        experimentId,
        seed,
        day,
        variantId,
        players,
        recentPlayers,
        twoArms,
        erased,
        JSON.stringify(metrics),
      ],
    );
  }
}

/** Reports are kept for good. Sums are of use for the day on which a plan ended, and to look at the last weeks. */
const SUM_DAYS = 35;

/** Deletes sums of a run that are old, except those of the first day from the planned end on. */
export async function deleteOldSums(
  connection: DedicatedConnection,
  { gameId, experimentId, seed }: RunKey,
  { to, plannedEnd }: { to: string; plannedEnd: string | null },
): Promise<void> {
  await connection.query(
    `delete from experiment_sums
     where game_id = $1 and experiment_id = $2 and seed = $3 and day < $4::date - ${SUM_DAYS}
       and day is distinct from (
         select day from experiment_sums
         where game_id = $1 and experiment_id = $2 and seed = $3 and day >= $5::date
         order by day
         limit 1
       )`,
    [gameId, experimentId, seed, to, plannedEnd],
  );
}

/** Deletes the sums of experiments that have ended some weeks ago. One that runs again is summed anew. */
export async function deleteEndedSums(connection: DedicatedConnection, nowMs: number): Promise<void> {
  await connection.query(
    `delete from experiment_sums where ctid = any (array(
       select s.place from experiment_runs r
       cross join lateral (
         select s.ctid as place from experiment_sums s
         where s.game_id = r.game_id and s.experiment_id = r.experiment_id and s.seed = r.seed
         offset 0
       ) s
       where r.ended_at < $1::timestamptz - interval '${SUM_DAYS} days'
     ))`,
    [new Date(nowMs)],
  );
}

export async function upsertReport(
  connection: DedicatedConnection,
  { gameId, experimentId, seed }: RunKey,
  { day, report, nowMs }: { day: string; report: Report; nowMs: number },
): Promise<void> {
  await connection.query(
    `insert into experiment_reports (game_id, experiment_id, seed, day, report, made_at)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (game_id, experiment_id, seed, day) do update set report = excluded.report, made_at = excluded.made_at`,
    [gameId, experimentId, seed, day, JSON.stringify(report), new Date(nowMs)],
  );
}

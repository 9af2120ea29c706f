import type pg from 'pg';
import { until } from '../support/service.js';
import type { ShownExperiment, Studio } from './exposure-studio.js';
import type { SecondNode } from './second-node.js';

/** Maintenance looks for what somebody has asked for soon after a start, and then every five minutes. */
const SUMMED_MS = 900_000;

/** Reports are of whole days. So the day of the trial becomes yesterday, sums are asked for, and a node is started. */
export async function makeReports(
  client: pg.Client,
  studio: Studio,
  second: SecondNode,
): Promise<readonly ShownExperiment[]> {
  await moveBack(client);
  const { rows } = await client.query<{ day: string }>(
    `select ((now() at time zone 'UTC')::date - 1)::text as day`,
  );
  for (const { experiment } of await studio.experiments()) await studio.requestSums(experiment.experimentId);
  await second.restart();
  let shown: readonly ShownExperiment[] = [];
  await until(async () => {
    shown = await studio.experiments().catch(() => []);
    const isDone = ({ isRequested, report }: ShownExperiment) => !isRequested && report?.to === rows[0]?.day;
    return shown.length > 0 && shown.every(isDone);
  }, SUMMED_MS);
  return shown;
}

async function moveBack(client: pg.Client): Promise<void> {
  const day = `interval '1 day'`;
  await client.query('begin');
  // Maintenance may be adding a run by the time of a version, which would stay today's.
  await client.query('lock table config_versions, experiment_runs in exclusive mode');
  await client.query(
    `update experiment_exposures set exposed_at = exposed_at - ${day}, activated_at = activated_at - ${day}`,
  );
  await client.query(`update config_versions set published_at = published_at - ${day}`);
  await client.query(`update experiment_runs set started_at = started_at - ${day}`);
  await client.query('commit');
}

type Counted = { experimentId: string; seed: string; variantId: string; exposed: number; activated: number };

/** The players of each arm by the reports, compared with SQL. */
export async function compareReports(
  client: pg.Client,
  shown: readonly ShownExperiment[],
): Promise<{ problems: string[]; lines: string[] }> {
  const { rows } = await client.query<Counted>(
    `select experiment_id as "experimentId", seed, variant_id as "variantId", count(*)::int as exposed,
       count(activated_at)::int as activated
     from experiment_exposures group by 1, 2, 3`,
  );
  const problems: string[] = [];
  const lines: string[] = [];
  for (const { experiment, report } of shown) {
    const { experimentId, seed, activation } = experiment;
    const counts = (report?.arms ?? []).map(({ variantId, players }) => {
      const row = rows.find(
        (counted) =>
          counted.experimentId === experimentId && counted.seed === seed && counted.variantId === variantId,
      );
      const expected = (activation === undefined ? row?.exposed : row?.activated) ?? 0;
      if (players !== expected)
        problems.push(
          `the report of ${experimentId} has ${players} players in ${variantId}, SQL ${expected}`,
        );
      return `${variantId} ${players}`;
    });
    lines.push(`${experimentId} (seed ${seed}): ${counts.join(', ')}`);
    const reported = new Set(report?.arms.map(({ variantId }) => variantId));
    for (const row of rows) {
      if (row.experimentId !== experimentId || row.seed !== seed || reported.has(row.variantId)) continue;
      problems.push(`the report of ${experimentId} has no arm ${row.variantId}, SQL ${row.exposed}`);
    }
  }
  return { problems, lines };
}

import type { ConfigDocument } from '../../decide/document/document.js';
import { measuredExperiments } from '../../decide/document/offer-holdouts.js';
import type { ExperimentEntry } from '../../decide/document/parts/experiments.js';
import type { Client, Pool } from '../../platform/db/pool.js';
import { canonicalJson } from '../../platform/lib/canonical-json.js';

/** A running experiment that would not be the same one any more, and the members by which it differs. */
export type ExperimentChange = Readonly<{ experimentId: string; members: readonly string[] }>;

/**
 * What players of an experiment were drawn by, and what it is judged by. Coverage and `when` only decide who else enters. The secondary metrics share
 * their 5%: without those that show nothing, what is left would look proven. Where the intervals are tightest, the plan says.
 */
const FIXED: readonly Readonly<{ member: string; of: (entry: ExperimentEntry) => unknown }>[] = [
  {
    member: 'variants',
    of: ({ variants }) => variants.map(({ variantId, weight }) => [variantId, weight]),
  },
  { member: 'layer', of: ({ layer }) => layer ?? null },
  { member: 'activation', of: ({ activation }) => activation ?? null },
  { member: 'metrics/primary', of: ({ metrics }) => metrics.primary },
  { member: 'metrics/secondary', of: ({ metrics }) => metrics.secondary },
  { member: 'plan', of: ({ plan }) => plan },
];

/**
 * Experiments that run under the new document with the seed of the old one, and differ in what is fixed while players are exposed.
 * `formerRuns`: see below.
 */
export function experimentChanges(
  before: ConfigDocument,
  after: ConfigDocument,
  formerRuns: readonly ExperimentEntry[] = [],
): ExperimentChange[] {
  const entries = [...(before.experiments ?? []), ...formerRuns];
  const old = new Map(entries.map((entry) => [entry.experimentId, entry]));
  return (after.experiments ?? []).flatMap((entry) => {
    const former = old.get(entry.experimentId);
    if (entry.state !== 'running' || former?.seed !== entry.seed) return [];
    const members = FIXED.filter(({ of }) => canonicalJson(of(former)) !== canonicalJson(of(entry)));
    const { experimentId } = entry;
    return members.length === 0 ? [] : [{ experimentId, members: members.map(({ member }) => member) }];
  });
}

/**
 * The experiments that begin to run again, each as it last ran with this seed, if a player is in it. Else what is fixed could be changed while an
 * experiment is stopped.
 */
export async function listFormerRuns(
  db: Pool | Client,
  gameId: number,
  before: ConfigDocument,
  after: ConfigDocument,
): Promise<ExperimentEntry[]> {
  const nameOf = ({ experimentId, seed }: ExperimentEntry) => JSON.stringify([experimentId, seed]);
  const isRunning = ({ state }: ExperimentEntry) => state === 'running';
  const running = new Set((before.experiments ?? []).filter(isRunning).map(nameOf));
  const begun = (after.experiments ?? []).filter((entry) => isRunning(entry) && !running.has(nameOf(entry)));
  if (begun.length === 0) return [];
  const { rows } = await db.query<{ entry: ExperimentEntry }>(
    `select f.entry from unnest($2::text[], $3::text[]) as b (experiment_id, seed)
     cross join lateral (
       select from experiment_exposures e
       where e.game_id = $1 and e.experiment_id = b.experiment_id and e.seed = b.seed
       order by e.exposed_at limit 1
     ) e
     cross join lateral (
       select x.entry
       from config_versions v cross join lateral json_array_elements(v.document -> 'experiments') as x (entry)
       where v.game_id = $1 and x.entry ->> 'experimentId' = b.experiment_id and x.entry ->> 'seed' = b.seed
         and x.entry ->> 'state' = 'running'
       order by v.version desc limit 1
     ) f`,
    [gameId, begun.map(({ experimentId }) => experimentId), begun.map(({ seed }) => seed)],
  );
  return rows.map(({ entry }) => entry);
}

/** Of these changes, those of experiments in which a player is. */
export async function listExposedChanges(
  db: Pool | Client,
  gameId: number,
  document: ConfigDocument,
  changes: readonly ExperimentChange[],
): Promise<ExperimentChange[]> {
  if (changes.length === 0) return [];
  const seeds = new Map((document.experiments ?? []).map(({ experimentId, seed }) => [experimentId, seed]));
  const { rows } = await db.query<{ experimentId: string }>(
    `select c.experiment_id as "experimentId" from unnest($2::text[], $3::text[]) as c (experiment_id, seed)
     cross join lateral (
       select from experiment_exposures e
       where e.game_id = $1 and e.experiment_id = c.experiment_id and e.seed = c.seed
       order by e.exposed_at limit 1
     ) e`,
    [
      gameId,
      changes.map(({ experimentId }) => experimentId),
      changes.map(({ experimentId }) => seeds.get(experimentId)),
    ],
  );
  const exposed = new Set(rows.map(({ experimentId }) => experimentId));
  return changes.filter(({ experimentId }) => exposed.has(experimentId));
}

/** As `games.running_experiments` holds them: null if none runs. The hold-outs of offers are among them. */
export function runningExperiments(document: ConfigDocument): string | null {
  const running = measuredExperiments(document)
    .filter(({ state }) => state === 'running')
    .map(({ experimentId, seed, activation }) => [experimentId, seed, activation?.eventType ?? null]);
  return running.length === 0 ? null : JSON.stringify(running);
}

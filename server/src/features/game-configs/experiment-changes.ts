import type { Client, Pool } from '../../db/pool.js';
import { canonicalJson } from '../../lib/canonical-json.js';
import type { ConfigDocument } from '../../personalisation/document/document.js';
import type { ExperimentEntry } from '../../personalisation/document/parts/experiments.js';

/** A running experiment that would not be the same one any more, and the members by which it differs. */
export type ExperimentChange = Readonly<{ experimentId: string; members: readonly string[] }>;

/** What players of an experiment were drawn by, and what it is judged by. Coverage and `when` only decide who else enters. */
const FIXED: readonly Readonly<{ member: string; of: (entry: ExperimentEntry) => unknown }>[] = [
  {
    member: 'variants',
    of: ({ variants }) => variants.map(({ variantId, weight }) => [variantId, weight]),
  },
  { member: 'layer', of: ({ layer }) => layer ?? null },
  { member: 'activation', of: ({ activation }) => activation ?? null },
  { member: 'metrics/primary', of: ({ metrics }) => metrics.primary },
];

/** Experiments that run under the new document with the seed of the old one, and differ in what is fixed while players are exposed. */
export function experimentChanges(before: ConfigDocument, after: ConfigDocument): ExperimentChange[] {
  const old = new Map((before.experiments ?? []).map((entry) => [entry.experimentId, entry]));
  return (after.experiments ?? []).flatMap((entry) => {
    const former = old.get(entry.experimentId);
    if (entry.state !== 'running' || former?.seed !== entry.seed) return [];
    const members = FIXED.filter(({ of }) => canonicalJson(of(former)) !== canonicalJson(of(entry)));
    const { experimentId } = entry;
    return members.length === 0 ? [] : [{ experimentId, members: members.map(({ member }) => member) }];
  });
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
       where e.game_id = $1 and e.experiment_id = c.experiment_id and e.seed = c.seed limit 1
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

/** As `games.running_experiments` holds them: null if none runs. */
export function runningExperiments(document: ConfigDocument): string | null {
  const running = (document.experiments ?? [])
    .filter(({ state }) => state === 'running')
    .map(({ experimentId, seed, activation }) => [experimentId, seed, activation?.eventType ?? null]);
  return running.length === 0 ? null : JSON.stringify(running);
}

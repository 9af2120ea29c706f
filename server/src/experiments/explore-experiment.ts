import { type MetricEntry, metricKey } from '../decide/document/parts/experiment-metrics.js';
import type { ExperimentEntry } from '../decide/document/parts/experiments.js';
import {
  cancelledBy,
  type DedicatedConnection,
  walkByIndex,
  withDedicatedConnection,
} from '../platform/db/dedicated-connection.js';
import type { Pool } from '../platform/db/pool.js';
import { findRateTable } from '../studio/money/rate-queries.js';
import { examinedSince } from './explored-segment.js';
import {
  type ExposureCursor,
  FIRST_EXPOSURE,
  listExposedPlayers,
  listExposures,
  listReseeded,
  walkInOrder,
} from './exposure-queries.js';
import { figureNeeds } from './figure-needs.js';
import { findFigures } from './figure-queries.js';
import { type Grouping, listGroups } from './group-queries.js';
import { GrowingSums } from './report/experiment-sums.js';
import { type ExploredGroup, exploreGroups } from './report/exploration.js';
import { groupTitle } from './report/words.js';

export type TitledGroup = Readonly<{ title: string }> & ExploredGroup;
export type Exploration = Readonly<{ examined: number; isComplete: boolean; groups: TitledGroup[] }>;

/** Where the report has no result. */
export const NOTHING_EXPLORED: Exploration = { examined: 0, isComplete: true, groups: [] };

export type ExploreRequest = Readonly<{
  gameId: number;
  experiment: ExperimentEntry;
  metric: MetricEntry;
  grouping: Grouping;
  /** The last day of the report. */
  to: string;
  maxPlayers?: number;
  /** Ends it: the statement that runs is cancelled. */
  signal?: AbortSignal;
}>;

/** A few seconds. The first players have been in the experiment for the longest time, and each arm has its share of them. */
export const EXPLORED_PLAYERS = 20_000;
const PLAYERS_PER_CHUNK = 1_000;
/** Clients choose countries and platforms, and may invent any number. Later ones count as not known. */
const KEPT_GROUPS = 300;

/** One metric of an experiment by what was known of players at their exposure, worked out on demand for the first of them. */
export async function exploreExperiment(
  pool: Pool,
  { gameId, experiment, metric, grouping, to, maxPlayers = EXPLORED_PLAYERS, signal }: ExploreRequest,
): Promise<Exploration> {
  const { experimentId, seed, variants, plan } = experiment;
  const run = { gameId, experimentId, seed, isActivated: experiment.activation !== undefined };
  const keyed = [{ metric, key: metricKey(metric) }];
  const needs = figureNeeds([metric]);
  const groups = new Map<string | null, GrowingSums>();
  let examined = 0;
  const since = examinedSince(grouping);
  let behind: ExposureCursor | null =
    since === null ? FIRST_EXPOSURE : { ...FIRST_EXPOSURE, exposedAt: new Date(since).toISOString() };
  const explore = async (connection: DedicatedConnection) => {
    await walkByIndex(connection);
    await walkInOrder(connection);
    const rates = await findRateTable(connection, gameId);
    const reseeded = await listReseeded(connection, [run]);
    for (let read = 0; behind !== null && read < maxPlayers; ) {
      signal?.throwIfAborted();
      const limit = Math.min(PLAYERS_PER_CHUNK, maxPlayers - read);
      const { playerIds, last } = await listExposedPlayers(connection, run, { behind, to, limit });
      const counted = await listExposures(connection, playerIds, [run], { to, reseeded });
      const figures = await findFigures(connection, counted, to, needs);
      const values = await listGroups(connection, run, counted, grouping);
      counted.forEach(({ variantId, sawTwoArms }, index) => {
        const ofPlayer = figures[index];
        if (ofPlayer === undefined) return;
        const value = values[index] ?? null;
        const group = groups.has(value) || groups.size < KEPT_GROUPS ? value : null;
        const ofGroup = groups.get(group) ?? new GrowingSums(keyed, rates);
        groups.set(group, ofGroup);
        ofGroup.add({ variantId, sawTwoArms, figures: ofPlayer });
        examined++;
      });
      behind = last;
      read += limit;
    }
  };
  await withDedicatedConnection(pool, (connection) =>
    cancelledBy(pool, connection, signal, () => explore(connection)),
  );
  const sums = new Map([...groups].map(([value, ofGroup]) => [value, ofGroup.sums]));
  const shown = exploreGroups(sums, metric, variants, plan?.players);
  const titled = shown.map((group) => ({ title: groupTitle(grouping.by, group), ...group }));
  return { examined, isComplete: behind === null, groups: titled };
}

import { metricsOf } from '../decide/document/parts/experiment-metrics.js';
import type { Pool } from '../platform/db/pool.js';
import { ApiError } from '../platform/errors.js';
import { utcDay } from '../platform/lib/day.js';
import { findExperiment } from './experiment-views.js';
import type { ExploreRequest } from './explore-experiment.js';
import { examinedSince, groupingOf } from './explored-segment.js';
import type { Explored, Grouping } from './group-queries.js';
import { FEWEST } from './report/compare-arms.js';
import { metricTitle } from './report/words.js';

const EXPLORATION = `This is exploration. Among many groups one differs by chance: it is no verdict. A group that looks interesting is the question of the next experiment. For an interval, each arm needs ${FEWEST.players} players in a group, ${FEWEST.positive} of whom count.`;
const NO_RESULT = 'There is nothing to explore before the report has a result.';

type Asked = Readonly<{
  gameId: number;
  experimentId: string;
  by: Explored;
  segment?: string | undefined;
  /** The place of the metric in the report; by default that of the primary one. */
  metric?: number | undefined;
}>;

/** What is asked for, in words and for `exploreExperiment`. `request` is null where the report has no result; then `sentence` says so. */
export async function readExploration(
  pool: Pool,
  { gameId, experimentId, by, segment, metric: place = 0 }: Asked,
  nowMs: number,
) {
  const found = await findExperiment(pool, gameId, experimentId, nowMs);
  if (found === undefined) throw new ApiError('experiment_not_found');
  const { experiment, report, startedAt } = found;
  const metric = metricsOf(experiment.metrics)[place];
  if (metric === undefined)
    throw new ApiError('parameter_invalid', { message: 'The experiment has no such metric.' });
  const grouping = await groupingOf(pool, gameId, { by, segment }, { startedAt, nowMs });
  const described = { by, segment: segment ?? null, metric, title: metricTitle(metric) };
  const request: ExploreRequest | null =
    report === null || report.gates.some(({ gate }) => gate === 'sample_ratio')
      ? null
      : { gameId, experiment, metric, grouping, to: report.to };
  const sentence = request === null ? NO_RESULT : `${EXPLORATION}${leftOutWords(grouping, startedAt)}`;
  return { ...described, sentence, request };
}

function leftOutWords(grouping: Grouping, startedAt: number | null): string {
  const since = examinedSince(grouping);
  if (since === null || startedAt === null || since <= startedAt) return '';
  return ` Only players who were exposed since the segment is stored with exposures, on ${utcDay(since)}, are examined.`;
}

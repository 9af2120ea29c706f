import { findConfigVersionAt } from '../core/configs/config-queries.js';
import { hasHoldout, offerHoldout } from '../decide/document/offer-holdouts.js';
import type { Pool } from '../platform/db/pool.js';
import { DAYS_SHOWN, findExperiment, type ShownExperiment, sentenceOf } from './experiment-views.js';
import { FORMER_LISTED, type FormerRun, listFormerRuns } from './former-queries.js';
import { finalReport } from './report/shown-report.js';
import {
  countExposed,
  type Ending,
  type ExposedSoFar,
  findEnding,
  listReportedDays,
  type ReportedDay,
} from './view-queries.js';

/**
 * Runs of experiments and hold-outs that the published version does not have, each with its last report: the entry was removed, or it has
 * another seed or share now. Those that ended last come first.
 */
export async function listFormerExperiments(
  pool: Pool,
  gameId: number,
  nowMs: number,
): Promise<ShownExperiment[]> {
  const { document } = await findConfigVersionAt(pool, gameId, nowMs);
  const published = [
    ...(document.experiments ?? []),
    ...document.offers.filter(hasHoldout).map(offerHoldout),
  ];
  const runs = await listFormerRuns(pool, gameId, { published, limit: FORMER_LISTED });
  return runs.map(toShown);
}

type FoundExperiment = ShownExperiment &
  Readonly<{
    days: readonly ReportedDay[];
    isFormer: boolean;
    exposed: ExposedSoFar | null;
    ending: Ending | null;
    /** The published version has the experiment, whatever its seed; null: it does not. */
    publishedSeed: string | null;
  }>;

type RunAsked = Readonly<{ experimentId: string; seed?: string | undefined }>;

/** An experiment of the published version, else its last run. With a seed: the run with that seed. */
export async function findExperimentOrFormer(
  pool: Pool,
  gameId: number,
  { experimentId, seed }: RunAsked,
  nowMs: number,
): Promise<FoundExperiment | undefined> {
  if (hasNul({ experimentId, seed })) return undefined;
  const published = await findExperiment(pool, gameId, experimentId, nowMs);
  if (published !== undefined && (seed ?? published.experiment.seed) === published.experiment.seed) {
    const { state, seed: run } = published.experiment;
    const isCounted = state === 'running' && published.report === null;
    const exposed = isCounted ? await countExposed(pool, { gameId, experimentId, seed: run }) : null;
    const ending = await findEnding(pool, gameId, published);
    return { ...published, isFormer: false, exposed, ending, publishedSeed: run };
  }
  const [run] = await listFormerRuns(pool, gameId, { published: [], experimentId, seed, limit: 1 });
  if (run === undefined) return undefined;
  const days = await listReportedDays(pool, { gameId, experimentId, seed: run.seed }, DAYS_SHOWN);
  const ending = await findEnding(pool, gameId, run);
  return {
    ...toShown(run),
    days,
    isFormer: true,
    exposed: null,
    ending,
    publishedSeed: published?.experiment.seed ?? null,
  };
}

/** Which seeds the experiment has, for those who asked for another one; undefined if it has none, or none was asked for. */
export async function unknownSeed(
  pool: Pool,
  gameId: number,
  { experimentId, seed }: RunAsked,
  nowMs: number,
): Promise<string | undefined> {
  if (seed === undefined || hasNul({ experimentId, seed })) return undefined;
  const { document } = await findConfigVersionAt(pool, gameId, nowMs);
  const published = (document.experiments ?? []).filter((each) => each.experimentId === experimentId);
  const runs = await listFormerRuns(pool, gameId, { published, experimentId, limit: FORMER_LISTED });
  const seeds = [...published, ...runs].map((run) => run.seed);
  return seeds.length === 0
    ? undefined
    : `There is no report of the experiment "${experimentId}" with the seed "${seed}". Its seeds are: ${seeds.join(', ')}.`;
}

/** Both come from an address. No run has a NUL, and PostgreSQL would fail on one. */
function hasNul({ experimentId, seed }: RunAsked): boolean {
  return experimentId.includes('\0') || seed?.includes('\0') === true;
}

function toShown({ entry, seed: _, ...former }: FormerRun): ShownExperiment {
  const run = { ...former, report: finalReport(former.report) };
  const experiment = 'offerId' in entry ? offerHoldout(entry) : entry;
  const sentence =
    experiment.state === 'running'
      ? `Ended without a decision. ${run.report.verdict}`
      : sentenceOf(experiment, run);
  return { ...run, isRequested: false, experiment, sentence };
}

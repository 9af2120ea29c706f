import { findConfigVersionAt } from '../core/configs/config-queries.js';
import { unreadExperiments, unreadSentence } from '../decide/compile/experiment-readers.js';
import { hasHoldout, offerHoldout } from '../decide/document/offer-holdouts.js';
import type { ExperimentEntry } from '../decide/document/parts/experiments.js';
import { findDraftRow } from '../liveops/configs/draft-queries.js';
import type { Pool } from '../platform/db/pool.js';
import { utcDay } from '../platform/lib/day.js';
import { finalReport, hasPlayers, unreadReport } from './report/shown-report.js';
import {
  type ExperimentView,
  listExperimentViews,
  listReportedDays,
  type ReportedDay,
} from './view-queries.js';

export type ShownExperiment = ExperimentView & Readonly<{ experiment: ExperimentEntry; sentence: string }>;

/** The experiments of the published version, in its order, each with its newest report. */
export async function listExperiments(pool: Pool, gameId: number, nowMs: number): Promise<ShownExperiment[]> {
  const { document } = await findConfigVersionAt(pool, gameId, nowMs);
  const experiments = document.experiments ?? [];
  const views = await listExperimentViews(pool, gameId, experiments);
  const viewOf = new Map(views.map((view) => [view.experimentId, view]));
  const unread = new Set(unreadExperiments(document));
  return experiments.map((experiment) => {
    const { experimentId } = experiment;
    const view = shownView(viewOf.get(experimentId) ?? noView(experimentId), experiment);
    return unread.has(experimentId)
      ? shownUnread(experiment, view)
      : { ...view, experiment, sentence: sentenceOf(experiment, view) };
  });
}

function shownView(view: ExperimentView, { state }: ExperimentEntry): ExperimentView {
  return state === 'running' || view.report === null ? view : { ...view, report: finalReport(view.report) };
}

/** Of a running experiment that no rule reads. */
function shownUnread(experiment: ExperimentEntry, view: ExperimentView): ShownExperiment {
  const report = view.report && unreadReport(view.report, experiment.experimentId);
  const unread = unreadSentence(experiment.experimentId, { hasPlayers: hasPlayers(report) });
  const sentence = sentenceOf(experiment, { ...view, report });
  return { ...view, report, experiment, sentence: sentence === unread ? unread : `${unread} ${sentence}` };
}

export const DAYS_SHOWN = 180;

/** One experiment, and what its primary metric has shown from day to day. */
export async function findExperiment(
  pool: Pool,
  gameId: number,
  experimentId: string,
  nowMs: number,
): Promise<(ShownExperiment & { days: readonly ReportedDay[] }) | undefined> {
  const shown = (await listExperiments(pool, gameId, nowMs)).find(
    (each) => each.experimentId === experimentId,
  );
  if (shown === undefined) return undefined;
  const { seed } = shown.experiment;
  return { ...shown, days: await listReportedDays(pool, { gameId, experimentId, seed }, DAYS_SHOWN) };
}

export type ShownHoldout = Omit<ExperimentView, 'experimentId' | 'isRequested'> &
  Readonly<{ offerId: string; name: string; holdoutPercent: number; sentence: string }>;

/** The offers of the published version that hold players out, in its order, each with its newest report. */
export async function listOfferHoldouts(pool: Pool, gameId: number, nowMs: number): Promise<ShownHoldout[]> {
  const { document } = await findConfigVersionAt(pool, gameId, nowMs);
  const offers = document.offers.filter(hasHoldout);
  const views = await listExperimentViews(pool, gameId, offers.map(offerHoldout));
  const viewOf = new Map(views.map((view) => [view.experimentId, view]));
  return offers.map((offer) => {
    const { offerId, name, holdoutPercent = 0 } = offer;
    const { experimentId } = offerHoldout(offer);
    const { isRequested: _, experimentId: __, ...view } = viewOf.get(experimentId) ?? noView(experimentId);
    const sentence = sentenceOf(offerHoldout(offer), view);
    return { ...view, offerId, name, holdoutPercent, sentence };
  });
}

function noView(experimentId: string): ExperimentView {
  return { experimentId, startedAt: null, endedAt: null, isRequested: false, madeAt: null, report: null };
}

const NO_REPORT = 'It ended before its first report.';

export function sentenceOf(
  { state, variants, winner }: ExperimentEntry,
  { report, startedAt }: Pick<ExperimentView, 'report' | 'startedAt'>,
): string {
  const verdict = report?.verdict;
  switch (state) {
    case 'planned':
      return 'Not started.';
    case 'running':
      return verdict ?? runningSentence(startedAt);
    case 'stopped':
      return `Stopped. ${verdict ?? NO_REPORT}`;
    case 'decided': {
      const name = variants.find(({ variantId }) => variantId === winner)?.name ?? winner;
      return `Decided: ${name} for all. ${verdict ?? NO_REPORT}`;
    }
  }
}

function runningSentence(startedAt: number | null): string {
  if (startedAt === null) return 'Running. The first report comes after the UTC day of the start.';
  const day = utcDay(startedAt);
  return `Running since ${day}. The first report comes after ${day} (UTC).`;
}

/** As it is written in the draft, else in the published version: for plans. */
export async function findWrittenExperiment(
  pool: Pool,
  gameId: number,
  experimentId: string,
  nowMs: number,
): Promise<ExperimentEntry | undefined> {
  const draft = await findDraftRow(pool, gameId);
  const document = draft?.document ?? (await findConfigVersionAt(pool, gameId, nowMs)).document;
  return document.experiments?.find((each) => each.experimentId === experimentId);
}

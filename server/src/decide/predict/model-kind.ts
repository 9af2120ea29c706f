import type { ModelCard, OriginMetrics } from './artefact.js';
import { calibrate, fitPlatt, type Platt, type ProbabilityCell } from './calibration.js';
import { addGains, gainOver, type LogLossGain, meanGain, NO_GAIN, relativeGain } from './log-loss-gain.js';
import { chanceDeviation, measureProbabilities, type ProbabilityMetrics } from './metrics.js';
import { type ModelSource, sourceOf } from './model-source.js';
import type { Split } from './splits.js';
import type { OriginCells } from './training-data.js';

/**
 * What the three models have in common when they are trained: each gives a probability for the week after an origin, is
 * calibrated on the next week, tested on the one after, and promoted only if it does better there than the average and than the model in use.
 */
export type ModelKind<Parts> = Readonly<{
  /** Fits to the outcomes after the origins, of which the last is the newest. Without an origin, the shipped prior is all there is. */
  fit: (train: readonly OriginCells[]) => Fitted<Parts>;
  /** Before calibration. */
  predict: (parts: Parts, origin: OriginCells) => ProbabilityCell[];
  /** The same without what may have been learnt from an unusual week, such as that of a sale. */
  simpler?: (parts: Parts) => Parts;
  /** What everybody would be told without a model. */
  average: (positives: number, players: number) => number;
}>;

export type Fitted<Parts> =
  | Readonly<{ fitted: true; parts: Parts; players: number; ownShare: number }>
  | Readonly<{ fitted: false; reason: string }>;

export type Calibrated<Parts> = Parts & Readonly<{ calibration: Platt }>;

/** What came out, and why it is used or not. */
export type Training<Parts> =
  | Readonly<{ outcome: 'cold_start'; reason: string }>
  | Readonly<{
      outcome: 'promoted' | 'refused';
      reason: string;
      model: Calibrated<Parts>;
      card: Omit<ModelCard, 'algorithm'>;
      /** The newest weeks do not bear the model in use out: predictions do not go on with it. */
      isPresentWithdrawn: boolean;
    }>;

/** A simpler model is taken if its log-loss is lower by a hundredth: less may be chance. */
const CLEARLY_BETTER = 0.99;
/** A model may be this far off beyond what chance does to a perfect one. */
const MAX_ECE = 0.02;
/** Of a perfect model with so many players, 19 of 20 are less far off by chance. */
const CHANCE_DEVIATIONS = 1.64;
/**
 * The summed gain is the logarithm of a likelihood ratio of predictions that were made before. Where the average is the truth, the ratio exceeds 20
 * in at most one game of 20, however few players there are.
 */
const MIN_LOG_LIKELIHOOD_RATIO = Math.log(20);
/** A game that has changed is not what it was six weeks ago: the average must not have been the better guess in each of these weeks, or in all for a model in use. */
const NEWEST_WEEKS = 2;

export function trainModel<Parts extends object>(
  kind: ModelKind<Parts>,
  splits: readonly Split[],
  trainedDay: number,
  present: Calibrated<Parts> | undefined,
): Training<Parts> {
  const newest = splits.at(-1);
  if (newest === undefined) {
    return { outcome: 'cold_start', reason: 'less than two weeks of history whose outcome is known' };
  }
  // The newest first: an earlier fit begins where it has ended.
  const last = testOn(kind, newest);
  if (!('model' in last)) return { outcome: 'cold_start', reason: last.reason };
  const tests = [...splits.slice(0, -1).map((split) => testOn(kind, split)), last].filter(isTested);
  const gain = tests.map((test) => test.gain).reduce(addGains, NO_GAIN);
  if (!(gain.positives > 0 && gain.positives < gain.players)) {
    return { outcome: 'cold_start', reason: 'all players had the same outcome' };
  }
  // One bad week of six, such as that of a sale, must not keep a model out that is right again.
  const evidence =
    isCertain(gain) || !isCertain(last.gain) ? { gain, weeks: tests.length } : { gain: last.gain, weeks: 1 };
  const { model, tested } = last;
  const card = {
    state: 'ready',
    trainedDay,
    window: { fromDay: (newest.train[0] ?? newest.calibrate).day + 1, toDay: newest.test.day },
    players: last.players,
    origins: tests.map((test) => test.tested),
    source: last.source,
  } as const;
  const ofPresent = present && gainInWeeks(kind, present, splits.slice(-NEWEST_WEEKS));
  const isPresentWithdrawn = ofPresent !== undefined && !(ofPresent.sum > 0);
  const rival =
    present && !isPresentWithdrawn
      ? measure(present, newest.test, kind.predict(present, newest.test))
      : undefined;
  const refusal =
    calibrationRefusal(tested) ??
    averageRefusal(evidence) ??
    newestRefusal(tests.slice(-NEWEST_WEEKS)) ??
    rivalRefusal(tested, rival);
  if (refusal !== undefined) {
    const withdrawal = isPresentWithdrawn ? `; ${withdrawalSentence(ofPresent)}` : '';
    return { outcome: 'refused', reason: refusal + withdrawal, model, card, isPresentWithdrawn };
  }
  const reason =
    rival === undefined
      ? gainSentence(evidence)
      : `in the newest week its guesses were ${distanceSentence(1 - tested.logLoss / rival.logLoss)} those of the present model`;
  return { outcome: 'promoted', reason, model, card, isPresentWithdrawn };
}

type Tested<Parts> = Readonly<{
  model: Calibrated<Parts>;
  players: number;
  source: ModelSource;
  tested: OriginMetrics;
  gain: LogLossGain;
}>;

/** A model of what was known before the test week, and how it did in that week. */
function testOn<Parts extends object>(
  kind: ModelKind<Parts>,
  { train, calibrate: week, test }: Split,
): Tested<Parts> | Readonly<{ reason: string }> {
  const fitted = kind.fit(train);
  if (!fitted.fitted) return { reason: fitted.reason };
  const simpler = kind.simpler?.(fitted.parts);
  const full = calibratedOn(kind, fitted.parts, week);
  const other = simpler && calibratedOn(kind, simpler, week);
  const { model, before } =
    other !== undefined && other.logLoss < CLEARLY_BETTER * full.logLoss ? other : full;
  const cells = kind.predict(model, test);
  const tested = measure(model, test, cells);
  if (tested === undefined) return { reason: 'there is nobody to test the model with' };
  const { ownShare, players } = fitted;
  return {
    model,
    players,
    tested,
    source: sourceOf(train.length > 0, ownShare),
    gain: gainOver(averageOf(kind, before), calibrated(model, cells)),
  };
}

/** What everybody would have been told, by the week before. */
function averageOf<Parts>(kind: ModelKind<Parts>, before: readonly ProbabilityCell[]): number {
  return kind.average(total(before, 'positives'), total(before, 'players'));
}

/** The gain of the model in use. It has not been fitted with the newest week, whenever it was trained. */
function gainInWeeks<Parts>(
  kind: ModelKind<Parts>,
  present: Calibrated<Parts>,
  splits: readonly Split[],
): LogLossGain {
  return splits
    .map(({ calibrate: week, test }) =>
      gainOver(
        averageOf(kind, kind.predict(present, week)),
        calibrated(present, kind.predict(present, test)),
      ),
    )
    .reduce(addGains, NO_GAIN);
}

/** The model as it is after the week, and how it fits the week. */
function calibratedOn<Parts extends object>(kind: ModelKind<Parts>, parts: Parts, week: OriginCells) {
  const before = kind.predict(parts, week);
  const model: Calibrated<Parts> = { ...parts, calibration: fitPlatt(before) };
  return { model, before, logLoss: measure(model, week, before)?.logLoss ?? 0 };
}

function isTested<Parts>(test: Tested<Parts> | Readonly<{ reason: string }>): test is Tested<Parts> {
  return 'model' in test;
}

function calibrated(
  { calibration }: Readonly<{ calibration: Platt }>,
  cells: readonly ProbabilityCell[],
): ProbabilityCell[] {
  return cells.map((cell) => ({ ...cell, predicted: calibrate(calibration, cell.predicted) }));
}

/** `cells`: what the model predicts for the origin, before calibration. */
function measure(
  model: Readonly<{ calibration: Platt }>,
  origin: OriginCells,
  cells: readonly ProbabilityCell[],
): OriginMetrics | undefined {
  const metrics = measureProbabilities(calibrated(model, cells));
  return metrics && { originDay: origin.day, ...metrics };
}

function total(cells: readonly ProbabilityCell[], name: 'players' | 'positives'): number {
  return cells.reduce((sum, cell) => sum + cell[name], 0);
}

function calibrationRefusal(tested: ProbabilityMetrics): string | undefined {
  const chance = tested.eceOfChance + CHANCE_DEVIATIONS * chanceDeviation(tested);
  if (tested.ece - chance <= MAX_ECE) return undefined;
  const points = (share: number) => (100 * share).toFixed(1);
  return `its percentages were off by ${points(tested.ece)} points on average in the newest week; chance explains ${points(chance)}, and ${points(MAX_ECE)} more are allowed`;
}

type Evidence = Readonly<{ gain: LogLossGain; weeks: number }>;

/** The average is the better guess while chance may explain the gain. */
function isCertain(gain: LogLossGain): boolean {
  return isAboveError(gain) && isBeyondChance(gain);
}

function isAboveError(gain: LogLossGain): boolean {
  const { mean, error } = meanGain(gain);
  return mean > error;
}

/** The standard error of a few players is too small where nothing rare has happened to them, and that of one player is 0. */
function isBeyondChance({ sum }: LogLossGain): boolean {
  return sum > MIN_LOG_LIKELIHOOD_RATIO;
}

function averageRefusal(evidence: Evidence): string | undefined {
  if (isCertain(evidence.gain)) return undefined;
  const missing = isAboveError(evidence.gain)
    ? 'too few players to rule out chance'
    : 'not certain to be better than the average yet';
  return `${missing}: ${gainSentence(evidence)}`;
}

function newestRefusal(newest: readonly Readonly<{ gain: LogLossGain }>[]): string | undefined {
  const worse = newest.find(({ gain }) => !(gain.sum > 0));
  if (worse === undefined) return undefined;
  const distance = distanceSentence(relativeGain(worse.gain).mean);
  return `in one of the newest ${newest.length} weeks its guesses were ${distance} the average`;
}

function withdrawalSentence(gain: LogLossGain): string {
  const distance = distanceSentence(relativeGain(gain).mean);
  return `the model in use is withdrawn: in the newest ${NEWEST_WEEKS} weeks its guesses were ${distance} the average`;
}

/** What people are told of a log-loss: a smaller one is nearer to what happened. */
function gainSentence({ gain, weeks }: Evidence): string {
  const { mean, error } = relativeGain(gain);
  const span = `${weeks} ${weeks === 1 ? 'week' : 'weeks'} that it had not seen`;
  return `its guesses for ${span} were ${distanceSentence(mean, error)} the average`;
}

/** `12.0% ± 3.1 nearer to what players did than`. */
function distanceSentence(gain: number, error?: number): string {
  const percent = (share: number) => (100 * Math.abs(share)).toFixed(1);
  if (error === undefined && percent(gain) === '0.0') return 'no nearer to what players did than';
  const uncertainty = error === undefined ? '' : ` ± ${percent(error)}`;
  return `${percent(gain)}%${uncertainty} ${gain > 0 ? 'nearer to' : 'further from'} what players did than`;
}

function rivalRefusal(tested: ProbabilityMetrics, rival: ProbabilityMetrics | undefined): string | undefined {
  if (rival === undefined || tested.logLoss < rival.logLoss) return undefined;
  const distance = distanceSentence(1 - tested.logLoss / rival.logLoss);
  return `in the newest week its guesses were ${distance} those of the present model`;
}

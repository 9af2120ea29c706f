import { churnOf, conversionOf, payerSpend } from './apply-models.js';
import type { Artefact, ModelName } from './artefact.js';
import type { ProbabilityCell } from './calibration.js';
import { deviationsOfAmount, deviationsOfCount, isBeyondChance } from './chance.js';
import { isPresent } from './features.js';
import { type Decile, measureProbabilities, type ProbabilityMetrics } from './metrics.js';
import type { OriginCells } from './training-data.js';

/** What a model said of the week after a day, compared with what happened, once the week is over. */

/** `undefined` where the artefact has no such model, or nobody whom it could speak of. */
export function gradeModel(
  { models }: Artefact,
  name: ModelName,
  origin: OriginCells,
): ProbabilityMetrics | undefined {
  const cells = predictedCells(models, name, origin);
  const metrics = cells === undefined ? undefined : measureProbabilities(cells);
  // Better no grade than one that compares as neither good nor bad.
  return Number.isFinite(metrics?.ece) ? metrics : undefined;
}

function predictedCells(
  models: Artefact['models'],
  name: ModelName,
  { activity: players, buyers }: OriginCells,
): ProbabilityCell[] | undefined {
  const { activity, purchases, conversion } = models;
  switch (name) {
    case 'activity':
      if (activity.state !== 'ready') return undefined;
      return players.filter(isPresent).map((cell) => ({
        predicted: churnOf(activity, cell),
        players: cell.players,
        positives: cell.players - cell.returned7,
      }));
    case 'purchases':
      if (purchases.state !== 'ready') return undefined;
      return buyers.map((cell) => ({
        predicted: payerSpend(purchases, cell),
        players: cell.players,
        positives: cell.spent7,
      }));
    case 'conversion':
      if (conversion.state !== 'ready') return undefined;
      return players
        .filter(({ isPayer }) => !isPayer)
        .map((cell) => ({
          predicted: conversionOf(conversion, cell),
          players: cell.players,
          positives: cell.spent7,
        }));
  }
}

export type Health = 'green' | 'red';

/**
 * When trust is lost, and when it is won back. A week is never quite like the one before, so a model may be off by more than a new
 * one may; between the two limits health stays as it was, so that it does not flicker.
 */
const LOST = { ece: 0.05, ratio: 1.5 };
const REGAINED = { ece: 0.03, ratio: 1.3 };
/**
 * A model is worse than the average if the average makes what happened so many times as probable. Where the model is the truth, an average that is
 * known before does that in less than one week of 1,000, however few players there are (Ville's inequality, as at promotion).
 */
const MAX_LOG_LIKELIHOOD_RATIO = Math.log(1_000);

/**
 * `newest`: of the week that has just ended. `previous`: of the week before, whose rate is the average that was known when the newest began. A model
 * that has lost trust must have been nearer to what players did than the average in both.
 */
export function healthAfter(
  before: Health,
  newest: ProbabilityMetrics,
  previous?: ProbabilityMetrics,
): Health {
  if (isOff(newest, before)) return 'red';
  if (previous === undefined) return 'green';
  const gain = gainOver(rateOf(previous), newest);
  if (before === 'green') return gain < -MAX_LOG_LIKELIHOOD_RATIO ? 'red' : 'green';
  return gain > 0 && gainOver(rateOf(previous), previous) > 0 ? 'green' : 'red';
}

/** Half a player with each outcome more: a rate is never 0, because what has not happened yet may happen. */
function rateOf({ players, baseRate }: ProbabilityMetrics): number {
  return (players * baseRate + 0.5) / (players + 1);
}

/** How much more probable, in logarithms, the model made what happened than one rate for all does. */
function gainOver(rate: number, { players, baseRate, logLoss }: ProbabilityMetrics): number {
  return players * (-baseRate * Math.log(rate) - (1 - baseRate) * Math.log1p(-rate) - logLoss);
}

/** What chance may do is no reason. */
function isOff(metrics: ProbabilityMetrics, before: Health): boolean {
  const limit = before === 'red' ? REGAINED : LOST;
  const isCertain = (deviations: number) => isBeyondChance(deviations, before === 'green');
  const { ece, eceOfChance, totalRatio } = metrics;
  if (ece - eceOfChance > limit.ece && isCertain(deviationsOfRates(metrics))) return true;
  // Nothing happened of what was predicted: as far off as can be.
  const ratio = totalRatio ?? Number.POSITIVE_INFINITY;
  return (ratio > limit.ratio || ratio < 1 / limit.ratio) && isCertain(deviationsOfTotal(metrics));
}

/** How far the observed number is from the predicted one. What happens to most of them is counted by those to whom it does not happen. */
function deviationsOfTotal({ deciles }: ProbabilityMetrics): number {
  const sum = (of: (decile: Decile) => number) =>
    deciles.reduce((before, decile) => before + decile.players * of(decile), 0);
  const [players, predicted, observed] = [
    sum(() => 1),
    sum((each) => each.predicted),
    sum((each) => each.observed),
  ];
  return 2 * predicted > players
    ? deviationsOfCount(players - predicted, players - observed)
    : deviationsOfCount(predicted, observed);
}

/** How far the distances of the tenths, added up, are from what chance makes of them. */
function deviationsOfRates({ deciles }: ProbabilityMetrics): number {
  let [distance, mean, variance] = [0, 0, 0];
  for (const { players, predicted, observed } of deciles) {
    const spread = players * predicted * (1 - predicted);
    // That of a normal distribution; where less than one is expected, it comes to twice what is expected.
    const usual = Math.min(Math.sqrt((2 / Math.PI) * spread), 2 * spread);
    distance += players * Math.abs(predicted - observed);
    mean += usual;
    variance += spread - usual * usual;
  }
  return deviationsOfAmount({ mean, variance, nothing: 0 }, distance);
}

import { churnOf, conversionOf, payerSpend } from './apply-models.js';
import type { Artefact, ModelName } from './artefact.js';
import type { ProbabilityCell } from './calibration.js';
import { isPresent } from './features.js';
import { measureProbabilities, type ProbabilityMetrics } from './metrics.js';
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
/** What chance may do is no reason: the error must be so many times what it gives a perfect model, the total so many deviations away. */
const MIN_TIMES_CHANCE = 2;
const MIN_DEVIATIONS = 4;

export function healthAfter(before: Health, metrics: ProbabilityMetrics): Health {
  return isOff(metrics, before === 'red' ? REGAINED : LOST) ? 'red' : 'green';
}

function isOff(metrics: ProbabilityMetrics, limit: typeof LOST): boolean {
  const { ece, eceOfChance, totalRatio } = metrics;
  if (ece - eceOfChance > limit.ece && ece > MIN_TIMES_CHANCE * eceOfChance) return true;
  // Nothing happened of what was predicted: as far off as can be.
  const ratio = totalRatio ?? Number.POSITIVE_INFINITY;
  return (ratio > limit.ratio || ratio < 1 / limit.ratio) && deviations(metrics) >= MIN_DEVIATIONS;
}

/** How far the observed number is from the predicted one, in standard deviations of the predicted one. */
function deviations({ deciles }: ProbabilityMetrics): number {
  let difference = 0;
  let variance = 0;
  for (const { players, predicted, observed } of deciles) {
    difference += players * (predicted - observed);
    variance += players * predicted * (1 - predicted);
  }
  return variance > 0 ? Math.abs(difference) / Math.sqrt(variance) : 0;
}

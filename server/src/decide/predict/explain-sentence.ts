import type { PredictionName } from './artefact.js';
import type { PredictionsExplanation, Regression } from './explanation.js';
import type { Prediction } from './score.js';

/** Why a prediction is what it is, in a sentence for whoever decides what to do about it. */

type Statistics = Omit<PredictionsExplanation, 'predictions'>;

/** Smaller ones are not worth a word: 0.05 changes odds by a twentieth. */
const MIN_MENTIONED = 0.05;
const MAX_MENTIONED = 3;

const SUBJECTS: Record<PredictionName, string> = {
  churn: 'The probability of not being active in the next 7 days',
  spend: 'The probability of a purchase in the next 7 days',
  purchases: 'The expected number of purchases in the next 28 days',
  revenue: 'The expected spend in the next 28 days',
  revenue90: 'The expected spend in the next 90 days',
  payerAlive: 'The probability that this payer has not stopped buying for good',
};

export function sentenceOf(
  name: PredictionName,
  prediction: Prediction,
  regression: Regression | null,
  statistics: Statistics,
): string {
  const { value, state, reason, unit, band, percentile } = prediction;
  const amount = unit === 'probability' ? percent(value) : value.toFixed(2);
  const is = `${SUBJECTS[name]} is ${amount}${isCurrency(unit) ? ` ${unit}` : ''}`;
  if (state !== 'ready') return `${is}, as for an average player: ${reason}.`;
  const place = band === null ? '' : ` (${band}; ${percentile}% of players have a lower one)`;
  const because = regression === null ? [historyPart(name, prediction, statistics)] : mentioned(regression);
  return `${is}${place}${because.length === 0 ? '' : `: ${because.join(', ')}`}.`;
}

/** XXX is the code for no currency: that of a game without a purchase. */
function isCurrency(unit: string): boolean {
  return /^[A-Z]{3}$/.test(unit) && unit !== 'XXX';
}

/** Nothing is certain that is not 0 or 1. */
function percent(share: number): string {
  const rounded = (100 * share).toFixed(1);
  if (rounded === '100.0' && share < 1) return 'over 99.9%';
  return rounded === '0.0' && share > 0 ? 'under 0.1%' : `${rounded}%`;
}

/** "days since the last active day (9) raises it", the largest first. */
function mentioned({ contributions, slope }: Regression): string[] {
  return contributions
    .filter(({ logOdds }) => Math.abs(logOdds) >= MIN_MENTIONED)
    .slice(0, MAX_MENTIONED)
    .map(({ label, told, logOdds }) => `${label} (${told}) ${logOdds * slope > 0 ? 'raises' : 'lowers'} it`);
}

/** What models without a regression look at: how often, and how long ago. */
function historyPart(
  name: PredictionName,
  { model }: Prediction,
  { activity, purchases, aliveByActivity, aliveByPurchases }: Statistics,
): string {
  if (model === 'activity') {
    const { n, x, tx } = activity;
    const left = aliveByActivity === null ? '' : `, has left for good with ${percent(1 - aliveByActivity)}`;
    return `active on ${x} of the ${days(n)} after the first${since(n - tx)}${left}`;
  }
  if (purchases === null) return 'has not bought anything yet';
  const { x, tx, t } = purchases;
  const alive =
    name === 'payerAlive' || aliveByPurchases === null
      ? ''
      : `, has not stopped buying for good with ${percent(aliveByPurchases)}`;
  return `bought on ${days(x + 1)}${since(t - tx)}${alive}`;
}

/** Whole days that are over: the present one says nothing yet. */
function since(gap: number): string {
  return gap === 0 ? '' : `, not in the ${days(gap)} since`;
}

function days(count: number): string {
  return count === 1 ? '1 day' : `${count} days`;
}

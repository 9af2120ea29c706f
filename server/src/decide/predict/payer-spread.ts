import { payerAlive, payerDays, purchaseDayValue, SHRINKAGE_DAYS } from './apply-models.js';
import type { PurchasesModel, ValueModel } from './artefact.js';
import type { Expected } from './chance.js';
import type { PayerStatistics } from './player-statistics.js';

/**
 * What a payer does in some days by the model: a mean, which is what players are told, and a variance, which grading needs to know what
 * chance does. A payer who has not stopped (P(alive)) buys on a number of days that is negative binomial: a Poisson number whose
 * rate is known as well as x + 1 purchase days tell it. What a purchase day is worth varies around a mean of the payer (Gamma-Gamma), which is
 * uncertain, too.
 */
type Days = Readonly<{ mean: number; square: number; nothing: number }>;

/** `factor`: of the model's factors. One below 1 thins the days, which leaves more to chance; one above 1 raises what they are worth. */
function purchaseDays(
  model: PurchasesModel,
  payer: PayerStatistics,
  horizonDays: number,
  factor: number,
): Days {
  const alive = payerAlive(model, payer);
  const mean = payerDays(model, payer, horizonDays) * Math.min(1, factor);
  if (!(alive > 0 && mean > 0)) return { mean: 0, square: 0, nothing: 1 };
  const shape = model.mbgNbd.r + payer.x;
  const ifAlive = mean / alive;
  const none = Math.exp(-shape * Math.log1p(ifAlive / shape));
  return {
    mean,
    square: alive * (ifAlive + ifAlive * ifAlive * (1 + 1 / shape)),
    nothing: 1 - alive * (1 - none),
  };
}

/** Purchases: on a purchase day one, and then as many more as a coin decides that shows "again" (geometric). */
export function expectedPurchases(
  model: PurchasesModel,
  payer: PayerStatistics,
  horizonDays: number,
): Expected {
  const factor = model.factors.purchases;
  const { mean, square, nothing } = purchaseDays(model, payer, horizonDays, factor);
  const each = model.purchasesPerDay;
  const scale = Math.max(1, factor);
  const variance = mean * each * (each - 1) + (square - mean * mean) * each * each;
  return { mean: scale * mean * each, variance: scale * scale * variance, nothing };
}

/** Null without a model of values. */
export function expectedRevenue(
  model: PurchasesModel,
  payer: PayerStatistics,
  horizonDays: number,
  factor: number,
): Expected | null {
  if (model.value === null) return null;
  const { mean, square, nothing } = purchaseDays(model, payer, horizonDays, factor);
  const worth = Math.max(1, factor) * purchaseDayValue(model.value, payer);
  const { uncertainty, spread } = spreadOfValue(model.value, payer);
  const ofSquares = (1 + uncertainty) * (square + spread * mean);
  return { mean: worth * mean, variance: worth * worth * (ofSquares - mean * mean), nothing };
}

/** The most that is allowed for what is not known of the mean value of a payer: its variance is infinite for new ones where q ≤ 2. */
const MAX_UNCERTAINTY = 4;

/** Relative variances: of the mean value of the payer, and of the purchase days around it. */
function spreadOfValue(model: ValueModel, { x, meanValue }: PayerStatistics) {
  const known = meanValue === null ? 0 : x;
  // E[1/ν²] / E[1/ν]² − 1 of an inverse gamma distribution is 1 / (shape − 2).
  if (model.kind === 'gamma_gamma') {
    const room = model.p * known + model.q - 2;
    return { uncertainty: 1 / Math.max(1 / MAX_UNCERTAINTY, room), spread: 1 / model.p };
  }
  return { uncertainty: 1 / (SHRINKAGE_DAYS + known - 1), spread: 1 };
}

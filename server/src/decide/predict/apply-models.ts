import type { ActivityModel, ConversionModel, PurchasesModel, ValueModel } from './artefact.js';
import { bgBbAnyActivity } from './bg-bb.js';
import { calibrate } from './calibration.js';
import { CHURN_HORIZON_DAYS, featuresOf } from './features.js';
import { gammaGammaExpected } from './gamma-gamma.js';
import { logisticLogOdds, probabilityOf } from './logistic.js';
import { mbgNbdAlive, mbgNbdAnyPurchase, mbgNbdExpected } from './mbg-nbd.js';
import { type Payer, payerFeaturesOf, SPEND_HORIZON_DAYS } from './payer-features.js';
import type { ActivityStatistics, PayerStatistics } from './player-statistics.js';

/** What a model says of players with given statistics: the same in training, scoring and grading. */

export const MONTH_DAYS = 28;
export const QUARTER_DAYS = 90;

/** As strong as this many purchase days of the player. */
export const SHRINKAGE_DAYS = 4;

/** The models without what only describes them: training needs them before there is a card. */
export type ActivityParts = Pick<ActivityModel, 'bgBb' | 'logistic'>;
export type ConversionParts = Pick<ConversionModel, 'bgBb' | 'logistic'>;

/** P(not active in the next 7 days) before calibration. */
export function rawChurn({ bgBb, logistic }: ActivityParts, statistics: ActivityStatistics): number {
  if (logistic === null) return 1 - bgBbAnyActivity(bgBb, statistics, CHURN_HORIZON_DAYS);
  return probabilityOf(logisticLogOdds(logistic, featuresOf(statistics, bgBb)));
}

export function churnOf(
  model: ActivityParts & Pick<ActivityModel, 'calibration'>,
  statistics: ActivityStatistics,
) {
  return calibrate(model.calibration, rawChurn(model, statistics));
}

/** P(first purchase in the next 7 days) before calibration. */
export function rawConversion({ bgBb, logistic }: ConversionParts, statistics: ActivityStatistics): number {
  return probabilityOf(logisticLogOdds(logistic, featuresOf(statistics, bgBb)));
}

export function conversionOf(
  model: ConversionParts & Pick<ConversionModel, 'calibration'>,
  statistics: ActivityStatistics,
): number {
  return calibrate(model.calibration, rawConversion(model, statistics));
}

/** P(convert in so many weeks) from that of one week. */
export function conversionInWeeks(week: number, weeks: number): number {
  return -Math.expm1(weeks * Math.log1p(-week));
}

export type PurchasesParts = Pick<PurchasesModel, 'mbgNbd' | 'regression'>;

/** P(purchase in the next 7 days) of a payer before calibration. */
export function rawPayerSpend({ mbgNbd, regression }: PurchasesParts, payer: Payer): number {
  if (regression === undefined) return mbgNbdAnyPurchase(mbgNbd, payer.history, SPEND_HORIZON_DAYS);
  const { bgBb, logistic } = regression;
  return probabilityOf(logisticLogOdds(logistic, payerFeaturesOf(payer, { bgBb, mbgNbd })));
}

export function payerSpend(
  model: PurchasesParts & Pick<PurchasesModel, 'calibration'>,
  payer: Payer,
): number {
  return calibrate(model.calibration, rawPayerSpend(model, payer));
}

export function payerAlive({ mbgNbd }: Pick<PurchasesModel, 'mbgNbd'>, statistics: PayerStatistics): number {
  return mbgNbdAlive(mbgNbd, statistics);
}

/** Purchase days of a payer in a horizon, before the factors. */
export function payerDays(
  { mbgNbd }: Pick<PurchasesModel, 'mbgNbd'>,
  statistics: PayerStatistics,
  horizonDays: number,
): number {
  return mbgNbdExpected(mbgNbd, statistics, horizonDays);
}

/** What a purchase day of this payer is expected to be worth. */
export function purchaseDayValue(
  model: ValueModel,
  { x, meanValue }: Pick<PayerStatistics, 'x' | 'meanValue'>,
): number {
  // Who pays in another currency is valued like an average payer.
  const spending = meanValue === null ? { x: 0, meanValue: 0 } : { x, meanValue };
  if (model.kind === 'gamma_gamma') return gammaGammaExpected(model, spending);
  return (SHRINKAGE_DAYS * model.mean + spending.x * spending.meanValue) / (SHRINKAGE_DAYS + spending.x);
}

/** All but `spend`, which also depends on activity. */
export type PayerPredictions = Readonly<{
  purchases: number;
  payerAlive: number;
  /** Null without a model of values. */
  revenue: number | null;
  revenue90: number | null;
}>;

export function predictPayer(model: PurchasesModel, statistics: PayerStatistics): PayerPredictions {
  const { value, factors, purchasesPerDay } = model;
  const days = payerDays(model, statistics, MONTH_DAYS);
  const worth = value === null ? null : purchaseDayValue(value, statistics);
  return {
    purchases: days * purchasesPerDay * factors.purchases,
    payerAlive: payerAlive(model, statistics),
    revenue: worth === null ? null : days * worth * factors.revenue,
    revenue90: worth === null ? null : payerDays(model, statistics, QUARTER_DAYS) * worth * factors.revenue90,
  };
}

export type NonPayerPredictions = Readonly<{
  spend: number;
  /** Null where no horizon of that length is over yet. */
  purchases: number | null;
  revenue: number | null;
  revenue90: number | null;
}>;

export function predictNonPayer(model: ConversionModel, statistics: ActivityStatistics): NonPayerPredictions {
  const { month, quarter } = model;
  const spend = conversionOf(model, statistics);
  const inMonth = month === null ? null : conversionInWeeks(spend, month.weeks);
  return {
    spend,
    purchases: month === null || inMonth === null ? null : inMonth * month.purchases,
    revenue: month === null || inMonth === null ? null : inMonth * month.revenue,
    revenue90: quarter === null ? null : conversionInWeeks(spend, quarter.weeks) * quarter.revenue,
  };
}

import { conversionInWeeks, MONTH_DAYS, predictNonPayer, QUARTER_DAYS } from './apply-models.js';
import type { Artefact, ConversionModel, PurchasesModel, TotalName } from './artefact.js';
import { sumOf, type Total, type UncertainTotal, varianceOf, withCappedShares } from './capped-totals.js';
import { deviationsOfAmount, type Expected, isBeyondChance } from './chance.js';
import type { Health } from './grade.js';
import type { Decile } from './metrics.js';
import { SPEND_HORIZON_DAYS } from './payer-features.js';
import { expectedPurchases, expectedRevenue } from './payer-spread.js';
import type { OriginCells, PayerCell } from './training-data.js';

/**
 * What was expected of 28 or 90 days, compared with what happened, once they are over. These are numbers and amounts, not probabilities: totals
 * are compared, and for payers the mean of each tenth.
 */
export type TotalMetrics = Readonly<{
  players: number;
  predicted: number;
  observed: number;
  /** Predicted / observed; null where nothing happened. */
  totalRatio: number | null;
  /** The same with the share of any one payer capped. Health goes by it. */
  cappedRatio: number | null;
  /** The median of the tenths, which one payer cannot move either; null where nothing happened, or no tenths are known. */
  medianRatio: number | null;
  /** How far the capped totals are apart, in standard deviations of what chance does by the model itself (`chance.ts`). */
  deviations: number;
  /** Of payers; of all others only the total is known. */
  deciles: readonly Decile[];
}>;

/** `undefined` if the artefact has no such prediction, or if no player can be predicted. */
export function gradeTotal(
  { models: { purchases, conversion } }: Artefact,
  name: TotalName,
  origin: OriginCells,
): TotalMetrics | undefined {
  switch (name) {
    case 'purchases.purchases':
    case 'purchases.revenue':
    case 'purchases.revenue90':
      return purchases.state === 'ready' ? gradePayers(purchases, PAYERS[name], origin) : undefined;
    case 'conversion.purchases':
    case 'conversion.revenue':
    case 'conversion.revenue90':
      return conversion.state === 'ready' ? gradeOthers(conversion, OTHERS[name], origin) : undefined;
  }
}

type OfPayer = (model: PurchasesModel, cell: PayerCell) => Expected | null;

/** What is expected of a payer, and what happened. `ofMonth`: what is expected of 28 days, whose total gave the model its factor. */
type PayerTotal = Readonly<{ expected: OfPayer; happened: (cell: PayerCell) => number; ofMonth: OfPayer }>;

const monthPurchases: OfPayer = (model, cell) => expectedPurchases(model, cell, MONTH_DAYS);
const monthRevenue: OfPayer = (model, cell) =>
  expectedRevenue(model, cell, MONTH_DAYS, model.factors.revenue);

const PAYERS = {
  'purchases.purchases': {
    expected: monthPurchases,
    happened: ({ purchases28 }) => purchases28,
    ofMonth: monthPurchases,
  },
  'purchases.revenue': {
    expected: monthRevenue,
    happened: ({ revenue28 }) => revenue28,
    ofMonth: monthRevenue,
  },
  'purchases.revenue90': {
    expected: (model, cell) => expectedRevenue(model, cell, QUARTER_DAYS, model.factors.revenue90),
    happened: ({ revenue90 }) => revenue90,
    ofMonth: monthRevenue,
  },
} as const satisfies Partial<Record<TotalName, PayerTotal>>;

const WEEK: PayerTotal = {
  expected: (model, cell) => expectedRevenue(model, cell, SPEND_HORIZON_DAYS, model.factors.revenue),
  happened: ({ revenue7 }) => revenue7,
  ofMonth: monthRevenue,
};

const MONTH = { horizon: 'month', converted: 'converted28' } as const;
const QUARTER = { horizon: 'quarter', converted: 'converted90' } as const;
const OTHERS = {
  'conversion.purchases': { ...MONTH, of: 'purchases', happened: 'purchases28' },
  'conversion.revenue': { ...MONTH, of: 'revenue', happened: 'revenue28' },
  'conversion.revenue90': { ...QUARTER, of: 'revenue90', happened: 'revenue90' },
} as const;

/** What was expected of the payers of a week, compared with what they spent. A change of prices shows here weeks before it shows in a total of 28 days. */
export function gradeWeekOfRevenue(
  { models: { purchases } }: Artefact,
  origin: OriginCells,
): TotalMetrics | undefined {
  return purchases.state === 'ready' ? gradePayers(purchases, WEEK, origin) : undefined;
}

function gradePayers(
  model: PurchasesModel,
  { expected, happened, ofMonth }: PayerTotal,
  { payers }: OriginCells,
): TotalMetrics | undefined {
  const totals = uncertainTotals(model, payers, expected, happened);
  const capped = withCappedShares(totals);
  const { predicted: mean, observed } = sumOf(capped);
  const level = levelVariance(uncertainTotals(model, payers, ofMonth, () => 0));
  const variance = varianceOf(capped) + level * mean * mean;
  const nothing = capped.reduce((product, total) => product * total.nothing, 1);
  return metricsOf(totals, capped, deviationsOfAmount({ mean, variance, nothing }, observed), tenths(totals));
}

function uncertainTotals(
  model: PurchasesModel,
  payers: OriginCells['payers'],
  expected: OfPayer,
  happened: PayerTotal['happened'],
): UncertainTotal[] {
  return payers.flatMap((cell): UncertainTotal[] => {
    const each = expected(model, cell);
    if (each === null) return [];
    const { players } = cell;
    return [
      {
        players,
        predicted: players * each.mean,
        observed: happened(cell),
        variance: players * each.variance,
        nothing: each.nothing ** players,
      },
    ];
  });
}

/**
 * The relative variance of the level of a model. Its factor makes it agree with the total of 28 days, which chance had a part in: with 50 payers
 * the standard deviation is about a sixth. Without it, revenue was red in 4 of 100 weeks of simulated games in which nothing changes.
 */
function levelVariance(month: readonly UncertainTotal[]): number {
  const capped = withCappedShares(month);
  const { predicted } = sumOf(capped);
  return predicted > 0 ? varianceOf(capped) / (predicted * predicted) : 0;
}

/** So many times what the number of new payers alone does: what they spend differs, too. */
const SPREAD_OF_SPENDING = 2;

function gradeOthers(
  model: ConversionModel,
  { horizon, converted, of, happened }: (typeof OTHERS)[keyof typeof OTHERS],
  { activity, nonPayers }: OriginCells,
): TotalMetrics | undefined {
  const weeks = model[horizon]?.weeks;
  if (weeks === undefined) return undefined;
  let predicted = 0;
  let expectedPayers = 0;
  let players = 0;
  for (const cell of activity) {
    if (cell.isPayer) continue;
    const { spend, [of]: each } = predictNonPayer(model, cell);
    if (each === null) return undefined;
    predicted += each * cell.players;
    expectedPayers += conversionInWeeks(spend, weeks) * cell.players;
    players += cell.players;
  }
  const observed = nonPayers[happened];
  // New payers who were expected count as those who came: where many were expected and none came, that is not chance.
  const newPayers = Math.max(1, expectedPayers, nonPayers[converted]);
  const deviation = (SPREAD_OF_SPENDING * Math.max(predicted, observed)) / Math.sqrt(newPayers);
  const totals = [{ players, predicted, observed }];
  return metricsOf(totals, totals, deviation > 0 ? Math.abs(predicted - observed) / deviation : 0, []);
}

/** `deviations`: how far the capped totals are apart. */
function metricsOf(
  totals: readonly Total[],
  capped: readonly Total[],
  deviations: number,
  deciles: readonly Decile[],
): TotalMetrics | undefined {
  const all = sumOf(totals);
  const counted = sumOf(capped);
  if (all.players === 0 || !Number.isFinite(all.predicted)) return undefined;
  return {
    ...all,
    deciles,
    totalRatio: ratioOf(all),
    cappedRatio: ratioOf(counted),
    medianRatio: medianRatioOf(deciles),
    deviations,
  };
}

function ratioOf({ predicted, observed }: Pick<Total, 'predicted' | 'observed'>): number | null {
  return observed > 0 ? predicted / observed : null;
}

function medianRatioOf(deciles: readonly Decile[]): number | null {
  const ratios = deciles
    .map((decile) => ratioOf(decile) ?? Number.POSITIVE_INFINITY)
    .sort((one, other) => one - other);
  const median = ratios[Math.floor(ratios.length / 2)];
  return median !== undefined && Number.isFinite(median) ? median : null;
}

/** Means of players, from those of whom least is expected to those of whom most is; a cell is not split. */
function tenths(totals: readonly Total[]): Decile[] {
  const sorted = [...totals].sort(
    (one, other) => one.predicted / one.players - other.predicted / other.players,
  );
  const size = totals.reduce((sum, { players }) => sum + players, 0) / 10;
  const sums: { players: number; predicted: number; observed: number }[] = [];
  let before = 0;
  for (const { players, predicted, observed } of sorted) {
    const tenth = Math.min(9, Math.floor(before / size));
    before += players;
    const sum = sums[tenth] ?? { players: 0, predicted: 0, observed: 0 };
    sums[tenth] = {
      players: sum.players + players,
      predicted: sum.predicted + predicted,
      observed: sum.observed + observed,
    };
  }
  return sums
    .filter((sum) => sum !== undefined)
    .map(({ players, predicted, observed }) => ({
      players,
      predicted: predicted / players,
      observed: observed / players,
    }));
}

/** As for weeks: trust is lost beyond the one and regained within the other, so that it does not flicker. */
const LOST_RATIO = 1.5;
const REGAINED_RATIO = 1.3;

export function totalHealthAfter(
  before: Health,
  { predicted, cappedRatio, deviations }: TotalMetrics,
): Health {
  const limit = before === 'red' ? REGAINED_RATIO : LOST_RATIO;
  // Nothing happened: as far off as can be, unless nothing was predicted.
  const ratio = cappedRatio ?? (predicted > 0 ? Number.POSITIVE_INFINITY : 1);
  const isOff = ratio > limit || ratio < 1 / limit;
  return isOff && isBeyondChance(deviations, before === 'green') ? 'red' : 'green';
}

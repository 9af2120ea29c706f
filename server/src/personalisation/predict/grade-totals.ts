import { conversionInWeeks, payerRevenueOfWeek, predictNonPayer, predictPayer } from './apply-models.js';
import type { Artefact, ConversionModel, PurchasesModel, TotalName } from './artefact.js';
import type { Health } from './grade.js';
import type { Decile } from './metrics.js';
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
  /** How far the capped totals are apart, in standard deviations of what chance does. */
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

const PAYERS = {
  'purchases.purchases': { of: 'purchases', happened: 'purchases28' },
  'purchases.revenue': { of: 'revenue', happened: 'revenue28' },
  'purchases.revenue90': { of: 'revenue90', happened: 'revenue90' },
} as const;

const MONTH = { horizon: 'month', converted: 'converted28' } as const;
const QUARTER = { horizon: 'quarter', converted: 'converted90' } as const;
const OTHERS = {
  'conversion.purchases': { ...MONTH, of: 'purchases', happened: 'purchases28' },
  'conversion.revenue': { ...MONTH, of: 'revenue', happened: 'revenue28' },
  'conversion.revenue90': { ...QUARTER, of: 'revenue90', happened: 'revenue90' },
} as const;

/** Over the players of a cell. */
type Total = Readonly<{ players: number; predicted: number; observed: number }>;

function gradePayers(
  model: PurchasesModel,
  { of, happened }: (typeof PAYERS)[keyof typeof PAYERS],
  { payers }: OriginCells,
): TotalMetrics | undefined {
  const totals = payers.flatMap((cell: PayerCell): Total[] => {
    const predicted = predictPayer(model, cell)[of];
    return predicted === null
      ? []
      : [{ players: cell.players, predicted: predicted * cell.players, observed: cell[happened] }];
  });
  return payerMetrics(totals);
}

/** What was expected of the payers of a week, compared with what they spent. A change of prices shows here weeks before it shows in a total of 28 days. */
export function gradeWeekOfRevenue(
  { models: { purchases } }: Artefact,
  { payers }: OriginCells,
): TotalMetrics | undefined {
  if (purchases.state !== 'ready') return undefined;
  const totals = payers.flatMap((cell): Total[] => {
    const each = payerRevenueOfWeek(purchases, cell);
    const { players, revenue7: observed } = cell;
    return each === null ? [] : [{ players, predicted: each * players, observed }];
  });
  return payerMetrics(totals);
}

function payerMetrics(totals: readonly Total[]): TotalMetrics | undefined {
  const capped = withCappedShares(totals);
  // Each cell is one draw: what it is off by, squared, is what chance does to it on average, whatever the distribution.
  const variance = capped.reduce((sum, { predicted, observed }) => sum + (predicted - observed) ** 2, 0);
  return metricsOf(totals, capped, Math.sqrt(variance), tenths(totals));
}

/**
 * No payer is more than this share of what is expected of all. The error of one whale would otherwise be all that chance is measured by:
 * with 12,331 expected of a game and nothing spent, the guard stayed green. Where nothing happens of what was expected of at least
 * 25 payers, the totals are at least 5 deviations apart.
 */
const MAX_SHARE = 1 / 25;

/** Predicted and observed amounts get the same weight. It depends on the prediction alone, so a model that is right stays right. */
function withCappedShares(totals: readonly Total[]): Total[] {
  const cap = capOf(totals);
  return totals.map(({ players, predicted, observed }) => {
    const weight = Math.min(1, (cap * players) / predicted);
    return predicted > 0
      ? { players, predicted: weight * predicted, observed: weight * observed }
      : { players, predicted, observed };
  });
}

/** The most that is counted of one payer: `MAX_SHARE` of the sum of what is counted. Infinite with too few payers for that. */
function capOf(totals: readonly Total[]): number {
  const sorted = [...totals].sort(
    (one, other) => other.predicted / other.players - one.predicted / one.players,
  );
  let rest = sorted.reduce((sum, { predicted }) => sum + predicted, 0);
  let above = 0;
  for (const { players, predicted } of sorted) {
    const cap = (MAX_SHARE * rest) / (1 - MAX_SHARE * above);
    if (predicted <= cap * players) return cap;
    rest -= predicted;
    above += players;
    if (MAX_SHARE * above >= 1) break;
  }
  return Number.POSITIVE_INFINITY;
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
  return metricsOf(totals, totals, deviation, []);
}

/** `deviation`: what chance does to the capped total. */
function metricsOf(
  totals: readonly Total[],
  capped: readonly Total[],
  deviation: number,
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
    deviations: deviation > 0 ? Math.abs(counted.predicted - counted.observed) / deviation : 0,
  };
}

function sumOf(totals: readonly Total[]): Total {
  const sum = (of: keyof Total) => totals.reduce((before, total) => before + total[of], 0);
  return { players: sum('players'), predicted: sum('predicted'), observed: sum('observed') };
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
const MIN_DEVIATIONS = 4;

export function totalHealthAfter(
  before: Health,
  { predicted, cappedRatio, deviations }: TotalMetrics,
): Health {
  const limit = before === 'red' ? REGAINED_RATIO : LOST_RATIO;
  // Nothing happened: as far off as can be, unless nothing was predicted.
  const ratio = cappedRatio ?? (predicted > 0 ? Number.POSITIVE_INFINITY : 1);
  const isOff = ratio > limit || ratio < 1 / limit;
  return isOff && deviations >= MIN_DEVIATIONS ? 'red' : 'green';
}

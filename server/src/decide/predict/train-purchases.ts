import {
  MONTH_DAYS,
  type PurchasesParts,
  payerDays,
  purchaseDayValue,
  QUARTER_DAYS,
  rawPayerSpend,
} from './apply-models.js';
import type { PurchasesModel, ValueModel } from './artefact.js';
import { payerSpendRate } from './base-rates.js';
import type { NbdParameters, PurchaseCell } from './beta-geometric-nbd.js';
import { countFactor } from './calibration.js';
import { fitGammaGamma, type SpendingCell } from './gamma-gamma.js';
import { fitPooledLogistic, type LogisticModel, tableOf } from './logistic.js';
import { fitMbgNbd } from './mbg-nbd.js';
import type { Calibrated, Fitted, ModelKind } from './model-kind.js';
import { payerFeaturesOf } from './payer-features.js';
import { regressionPrior } from './prior.js';
import { SHIPPED_PRIOR } from './shipped-prior.gen.js';
import type { BgBbFits } from './train-activity.js';
import { newestMatured, type PayerCell, type TrainingData } from './training-data.js';

/** Gamma-Gamma takes for granted that who buys often does not spend more or less each time. */
const MAX_CORRELATION = 0.3;

/** Each fit begins where the last one ended: a week makes little difference. */
export function purchasesKind(bgBbOf: BgBbFits): ModelKind<PurchasesParts> {
  let last: NbdParameters | undefined;
  let lastLogistic: LogisticModel | undefined;
  return {
    fit(train): Fitted<PurchasesParts> {
      const newest = train.at(-1);
      const bgBb = bgBbOf(newest);
      if (!bgBb.fitted) return bgBb;
      const payers = newest?.payers ?? [];
      const fit = fitMbgNbd(histories(payers), last, SHIPPED_PRIOR.mbgNbd);
      if (!fit.fitted) return fit;
      last = fit.parameters;
      const parameters = { bgBb: bgBb.parameters, mbgNbd: fit.parameters };
      const cells = train.flatMap(({ buyers }) =>
        buyers.map((cell) => ({
          features: payerFeaturesOf(cell, parameters),
          players: cell.players,
          positives: cell.spent7,
        })),
      );
      const { model, ownShare } = fitPooledLogistic(
        tableOf(cells),
        regressionPrior(SHIPPED_PRIOR.spend),
        lastLogistic,
      );
      lastLogistic = model;
      const regression = { bgBb: bgBb.parameters, logistic: model };
      return {
        fitted: true,
        players: sum(payers, () => 1),
        ownShare,
        parts: { mbgNbd: fit.parameters, regression },
      };
    },
    predict: (parts, { buyers }) =>
      buyers.map((cell) => ({
        predicted: rawPayerSpend(parts, cell),
        players: cell.players,
        positives: cell.spent7,
      })),
    simpler: ({ mbgNbd }) => ({ mbgNbd, regression: undefined }),
    average: payerSpendRate,
  };
}

/** Cells differ by value, too, which MBG/NBD does not look at. */
function histories(payers: readonly PayerCell[]): PurchaseCell[] {
  const cells = new Map<string, PurchaseCell>();
  for (const { x, tx, t, players } of payers) {
    const key = `${x},${tx},${t}`;
    cells.set(key, { x, tx, t, players: (cells.get(key)?.players ?? 0) + players });
  }
  return [...cells.values()];
}

/** What a purchase day is worth, and how the last outcomes that are known compare with what the model says of them. */
export function purchasesDetails(
  model: Calibrated<PurchasesParts>,
  data: TrainingData,
): Pick<PurchasesModel, 'value' | 'purchasesPerDay' | 'factors'> {
  const value = data.currency === null ? null : fitValue(data.origins.at(-1)?.payers ?? []);
  const month = newestMatured(data, MONTH_DAYS)?.payers ?? [];
  const quarter = newestMatured(data, QUARTER_DAYS)?.payers ?? [];
  const daysOf = (horizonDays: number) => (cell: PayerCell) => payerDays(model, cell, horizonDays);
  const worthOf = (horizonDays: number) => (cell: PayerCell) =>
    value === null ? 0 : daysOf(horizonDays)(cell) * purchaseDayValue(value, cell);
  const purchaseDays = total(month, ({ purchaseDays28 }) => purchaseDays28);
  const purchases = total(month, ({ purchases28 }) => purchases28);
  const revenue = countFactor(
    total(month, ({ revenue28 }) => revenue28),
    sum(month, worthOf(MONTH_DAYS)),
  );
  return {
    value,
    purchasesPerDay: purchaseDays > 0 ? Math.max(1, purchases / purchaseDays) : 1,
    factors: {
      purchases: countFactor(purchaseDays, sum(month, daysOf(MONTH_DAYS))),
      revenue,
      revenue90:
        quarter.length === 0
          ? revenue
          : countFactor(
              total(quarter, ({ revenue90 }) => revenue90),
              sum(quarter, worthOf(QUARTER_DAYS)),
            ),
    },
  };
}

/** Null where nobody has paid on a second day: then nothing is known of how values differ. */
function fitValue(payers: readonly PayerCell[]): ValueModel | null {
  const cells = payers.flatMap(({ x, meanValue, players }) =>
    x > 0 && meanValue !== null && meanValue > 0 ? [{ x, meanValue, players }] : [],
  );
  const players = sum(cells, () => 1);
  if (players === 0) return null;
  const mean = sum(cells, ({ meanValue }) => meanValue) / players;
  const shrunken = (reason: string): ValueModel => ({ kind: 'shrunken_mean', mean, reason });
  const correlation = correlationOf(cells, players);
  if (Math.abs(correlation) >= MAX_CORRELATION) {
    return shrunken(`number and value of purchases are correlated (${correlation.toFixed(2)})`);
  }
  const fit = fitGammaGamma(cells, SHIPPED_PRIOR.gammaGamma);
  if (!fit.fitted) return shrunken(fit.reason);
  if (!(fit.parameters.q > 1)) return shrunken('the values of purchases differ too much for a mean (q ≤ 1)');
  return { kind: 'gamma_gamma', ...fit.parameters };
}

/** Of number and mean value, over players; 0 where one of them does not vary. */
function correlationOf(cells: readonly SpendingCell[], players: number): number {
  const meanX = sum(cells, ({ x }) => x) / players;
  const meanValue = sum(cells, (cell) => cell.meanValue) / players;
  const varianceX = sum(cells, ({ x }) => (x - meanX) ** 2);
  const varianceValue = sum(cells, (cell) => (cell.meanValue - meanValue) ** 2);
  const covariance = sum(cells, (cell) => (cell.x - meanX) * (cell.meanValue - meanValue));
  const scale = Math.sqrt(varianceX * varianceValue);
  return scale > 0 ? covariance / scale : 0;
}

/** Over the players of all cells. */
function sum<Cell extends { players: number }>(cells: readonly Cell[], of: (cell: Cell) => number): number {
  return cells.reduce((before, cell) => before + cell.players * of(cell), 0);
}

/** Over all cells, of what is a sum over players already. */
function total(cells: readonly PayerCell[], of: (cell: PayerCell) => number): number {
  return cells.reduce((before, cell) => before + of(cell), 0);
}

import {
  type ConversionParts,
  conversionInWeeks,
  conversionOf,
  MONTH_DAYS,
  QUARTER_DAYS,
  rawConversion,
} from './apply-models.js';
import type { ConversionHorizon, ConversionModel } from './artefact.js';
import { spendRate } from './base-rates.js';
import type { ProbabilityCell } from './calibration.js';
import type { Calibrated, Fitted, ModelKind } from './model-kind.js';
import type { ActivityStatistics } from './player-statistics.js';
import { SHIPPED_PRIOR } from './shipped-prior.gen.js';
import { type BgBbFits, createOutcomeFits } from './train-activity.js';
import { newestMatured, type OriginCells, type TrainingData } from './training-data.js';

const MAX_WEEKS = 26;
const BISECTIONS = 60;

export function conversionKind(bgBbOf: BgBbFits): ModelKind<ConversionParts> {
  const fitOutcomes = createOutcomeFits(SHIPPED_PRIOR.conversion);
  return {
    fit(train): Fitted<ConversionParts> {
      const bgBb = bgBbOf(train.at(-1));
      if (!bgBb.fitted) return bgBb;
      const cells = train.flatMap(({ activity }) => activity.filter(({ isPayer }) => !isPayer));
      const { model: logistic, ownShare } = fitOutcomes(cells, bgBb.parameters, ({ spent7 }) => spent7);
      const players = cells.reduce((sum, cell) => sum + cell.players, 0);
      return { fitted: true, parts: { bgBb: bgBb.parameters, logistic }, players, ownShare };
    },
    predict: (parts, origin) => predictions(origin, (statistics) => rawConversion(parts, statistics)),
    average: spendRate,
  };
}

function predictions(
  { activity }: OriginCells,
  predict: (statistics: ActivityStatistics) => number,
): ProbabilityCell[] {
  return activity
    .filter(({ isPayer }) => !isPayer)
    .map((cell) => ({ predicted: predict(cell), players: cell.players, positives: cell.spent7 }));
}

/** What new payers do in 28 and 90 days, where such a time is over. */
export function conversionHorizons(
  model: Calibrated<ConversionParts>,
  data: TrainingData,
): Pick<ConversionModel, 'month' | 'quarter'> {
  const month = newestMatured(data, MONTH_DAYS);
  const quarter = newestMatured(data, QUARTER_DAYS);
  return {
    month:
      month === undefined
        ? null
        : horizonOf(model, month, month.nonPayers.converted28, {
            purchases: month.nonPayers.purchases28,
            revenue: month.nonPayers.revenue28,
          }),
    quarter:
      quarter === undefined
        ? null
        : horizonOf(model, quarter, quarter.nonPayers.converted90, {
            purchases: 0,
            revenue: quarter.nonPayers.revenue90,
          }),
  };
}

function horizonOf(
  model: Calibrated<ConversionParts>,
  origin: OriginCells,
  converted: number,
  totals: { purchases: number; revenue: number },
): ConversionHorizon | null {
  if (!(converted > 0)) return null;
  const cells = predictions(origin, (statistics) => conversionOf(model, statistics));
  const expected = (weeks: number): number =>
    cells.reduce((sum, { predicted, players }) => sum + players * conversionInWeeks(predicted, weeks), 0);
  let low = 0;
  let high = MAX_WEEKS;
  for (let step = 0; step < BISECTIONS; step += 1) {
    const middle = (low + high) / 2;
    if (expected(middle) < converted) low = middle;
    else high = middle;
  }
  return {
    weeks: (low + high) / 2,
    purchases: totals.purchases / converted,
    revenue: totals.revenue / converted,
  };
}

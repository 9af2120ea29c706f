import { type ActivityParts, rawChurn } from './apply-models.js';
import { churnRate } from './base-rates.js';
import { type ActivityCount, type BgBbParameters, fitBgBb } from './bg-bb.js';
import type { ProbabilityCell } from './calibration.js';
import { FEATURES, isPresent, writeFeatures } from './features.js';
import type { Fit } from './fit.js';
import { emptyTable, fitPooledLogistic, type LogisticModel, type PooledLogistic } from './logistic.js';
import type { Fitted, ModelKind } from './model-kind.js';
import type { ActivityStatistics } from './player-statistics.js';
import { regressionPrior } from './prior.js';
import { SHIPPED_PRIOR } from './shipped-prior.gen.js';
import type { ActivityCell, OriginCells } from './training-data.js';

/** BG/BB as of an origin; that of the prior without one. Three models and several splits want the same one, so it is remembered. */
export type BgBbFits = (
  origin: Pick<OriginCells, 'activity'> | undefined,
) => Fit<BgBbParameters> & Readonly<{ players: number }>;

/** Each fit begins where the last one ended: a week makes little difference. */
export function createBgBbFits(): BgBbFits {
  const known = new Map<OriginCells['activity'], ReturnType<BgBbFits>>();
  let last: BgBbParameters | undefined;
  return ({ activity } = NOBODY) => {
    const found = known.get(activity) ?? fitHistories(activity, last);
    known.set(activity, found);
    if (found.fitted) last = found.parameters;
    return found;
  };
}

const NOBODY: Pick<OriginCells, 'activity'> = { activity: [] };

function fitHistories(
  activity: OriginCells['activity'],
  start: BgBbParameters | undefined,
): ReturnType<BgBbFits> {
  const histories = new Map<number, ActivityCount>();
  let players = 0;
  for (const { n, x, tx, players: more } of activity) {
    // x and tx are at most the 180 days that are looked at.
    const key = (n * 1_000 + x) * 1_000 + tx;
    histories.set(key, { n, x, tx, players: (histories.get(key)?.players ?? 0) + more });
    players += more;
  }
  return { ...fitBgBb([...histories.values()], start, SHIPPED_PRIOR.bgBb), players };
}

export function activityKind(bgBbOf: BgBbFits): ModelKind<ActivityParts> {
  const fitOutcomes = createOutcomeFits(SHIPPED_PRIOR.churn);
  return {
    fit(train): Fitted<ActivityParts> {
      const bgBb = bgBbOf(train.at(-1));
      if (!bgBb.fitted) return bgBb;
      const cells = train.flatMap(({ activity }) => activity.filter(isPresent));
      const { model: logistic, ownShare } = fitOutcomes(
        cells,
        bgBb.parameters,
        ({ players, returned7 }) => players - returned7,
      );
      return { fitted: true, parts: { bgBb: bgBb.parameters, logistic }, players: bgBb.players, ownShare };
    },
    predict: (parts, origin) => predictions(origin, (statistics) => rawChurn(parts, statistics)),
    average: churnRate,
  };
}

function predictions(
  { activity }: OriginCells,
  predict: (statistics: ActivityStatistics) => number,
): ProbabilityCell[] {
  return activity.filter(isPresent).map((cell) => ({
    predicted: predict(cell),
    players: cell.players,
    positives: cell.players - cell.returned7,
  }));
}

type OutcomeFits = (
  cells: readonly ActivityCell[],
  bgBb: BgBbParameters,
  positivesOf: (cell: ActivityCell) => number,
) => PooledLogistic;

/** A logistic regression on all features, drawn to that of the prior. Each begins where the last one ended. */
export function createOutcomeFits(prior: LogisticModel): OutcomeFits {
  let last: LogisticModel | undefined;
  return (cells, bgBb, positivesOf) => {
    const table = emptyTable(FEATURES.length, cells.length);
    for (const [row, cell] of cells.entries()) {
      writeFeatures(cell, bgBb, table.features, row * FEATURES.length);
      table.players[row] = cell.players;
      table.positives[row] = positivesOf(cell);
    }
    const fitted = fitPooledLogistic(table, regressionPrior(prior), last);
    last = fitted.model;
    return fitted;
  };
}

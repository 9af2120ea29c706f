import { type ActivityParts, rawChurn } from './apply-models.js';
import type { ActivityModel } from './artefact.js';
import { type ActivityCount, type BgBbParameters, fitBgBb } from './bg-bb.js';
import type { ProbabilityCell } from './calibration.js';
import { FEATURES, isPresent, writeFeatures } from './features.js';
import type { Fit } from './fit.js';
import { emptyTable, fitLogisticTable, type LogisticModel } from './logistic.js';
import { MIN_OUTCOMES, MIN_PLAYERS, shortfall } from './minimum-data.js';
import type { Fitted, ModelKind } from './model-kind.js';
import type { ActivityStatistics } from './player-statistics.js';
import type { ActivityCell, OriginCells } from './training-data.js';

/** BG/BB as of an origin. Two models and several splits want the same one, so it is remembered. */
export type BgBbFits = (origin: OriginCells) => Fit<BgBbParameters> & Readonly<{ players: number }>;

/** Each fit begins where the last one ended: a week makes little difference. */
export function createBgBbFits(): BgBbFits {
  const known = new Map<OriginCells['activity'], ReturnType<BgBbFits>>();
  let last: BgBbParameters | undefined;
  return ({ activity }) => {
    const found = known.get(activity) ?? fitHistories(activity, last);
    known.set(activity, found);
    if (found.fitted) last = found.parameters;
    return found;
  };
}

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
  const missing = shortfall(players, MIN_PLAYERS, 'players');
  if (missing !== undefined) return { fitted: false, reason: missing, players };
  if (histories.size < 2) return { fitted: false, reason: 'all players have the same history', players };
  return { ...fitBgBb([...histories.values()], start), players };
}

export function activityKind(bgBbOf: BgBbFits): ModelKind<ActivityParts> {
  const fitOutcomes = createOutcomeFits();
  return {
    fit(train): Fitted<ActivityParts> {
      const bgBb = bgBbOf(train.at(-1) as OriginCells);
      if (!bgBb.fitted) return bgBb;
      const logistic = fitOutcomes(
        train.flatMap(({ activity }) => activity.filter(isPresent)),
        bgBb.parameters,
        ({ players, returned7 }) => players - returned7,
        { positives: 'players who left', negatives: 'players who stayed' },
      );
      const parts = { bgBb: bgBb.parameters, logistic: logistic.model };
      return { fitted: true, parts, players: bgBb.players, regressionLacks: logistic.reason };
    },
    predict: (parts, origin) => predictions(origin, (statistics) => rawChurn(parts, statistics)),
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
  /** For the reason: "412 of 1,000 players who left". */
  names: Readonly<{ positives: string; negatives: string }>,
) => { model: LogisticModel; reason: null } | { model: null; reason: string };

/** A logistic regression on all features, or what there is too little of. Each begins where the last one ended. */
export function createOutcomeFits(): OutcomeFits {
  let last: LogisticModel | undefined;
  return (cells, bgBb, positivesOf, names) => {
    const positives = cells.reduce((sum, cell) => sum + positivesOf(cell), 0);
    const players = cells.reduce((sum, cell) => sum + cell.players, 0);
    const reason =
      shortfall(positives, MIN_OUTCOMES, names.positives) ??
      shortfall(players - positives, MIN_OUTCOMES, names.negatives);
    if (reason !== undefined) return { model: null, reason };
    const table = emptyTable(FEATURES.length, cells.length);
    for (const [row, cell] of cells.entries()) {
      writeFeatures(cell, bgBb, table.features, row * FEATURES.length);
      table.players[row] = cell.players;
      table.positives[row] = positivesOf(cell);
    }
    const model = fitLogisticTable(table, last);
    if (model === undefined) return { model: null, reason: 'all players had the same outcome' };
    last = model;
    return { model, reason: null };
  };
}

export function activityAlgorithm({ logistic }: Pick<ActivityModel, 'logistic'>): string {
  return logistic === null ? 'BG/BB' : 'BG/BB and logistic regression';
}

import type { ModelCard, OriginMetrics } from './artefact.js';
import { calibrate, fitPlatt, type Platt, type ProbabilityCell } from './calibration.js';
import { measureProbabilities, type ProbabilityMetrics } from './metrics.js';
import type { Split } from './splits.js';
import type { OriginCells } from './training-data.js';

/**
 * What the three models have in common when they are trained: each gives a probability for the week after an origin, is
 * calibrated on the next week, tested on the one after, and promoted only if it does better there than the model in use.
 */
export type ModelKind<Parts> = Readonly<{
  /** Fits to the outcomes after the origins, of which the last is the newest. */
  fit: (train: readonly OriginCells[]) => Fitted<Parts>;
  /** Before calibration. */
  predict: (parts: Parts, origin: OriginCells) => ProbabilityCell[];
}>;

export type Fitted<Parts> =
  | Readonly<{
      fitted: true;
      parts: Parts;
      players: number;
      /** What a regression, which the model goes without for now, needs more of. */
      regressionLacks?: string | null;
    }>
  | Readonly<{ fitted: false; reason: string }>;

export type Calibrated<Parts> = Parts & Readonly<{ calibration: Platt }>;

/** What came out, and why it is used or not. */
export type Training<Parts> =
  | Readonly<{ outcome: 'cold_start'; reason: string }>
  | Readonly<{
      outcome: 'promoted' | 'refused';
      reason: string;
      model: Calibrated<Parts>;
      card: Omit<ModelCard, 'algorithm'>;
      regressionLacks: string | null;
    }>;

/** A model may be this far off beyond what chance does to a perfect one. */
const MAX_ECE = 0.02;

export function trainModel<Parts extends object>(
  kind: ModelKind<Parts>,
  splits: readonly Split[],
  trainedDay: number,
  present: Calibrated<Parts> | undefined,
): Training<Parts> {
  const newest = splits.at(-1);
  if (newest === undefined) {
    return { outcome: 'cold_start', reason: 'less than three weeks of history whose outcome is known' };
  }
  const fitted = kind.fit(newest.train);
  if (!fitted.fitted) return { outcome: 'cold_start', reason: fitted.reason };
  const week = kind.predict(fitted.parts, newest.calibrate);
  const test = kind.predict(fitted.parts, newest.test);
  const model = { ...fitted.parts, calibration: fitPlatt(week) };
  const tested = measure(model, newest.test, test);
  if (tested === undefined)
    return { outcome: 'cold_start', reason: 'there is nobody to test the model with' };

  const origins = [...splits.slice(0, -1).flatMap((split) => testEarlier(kind, split)), tested];
  const rival =
    present === undefined
      ? measureProbabilities(averageOf(week, test))
      : measure(present, newest.test, kind.predict(present, newest.test));
  const rivalName = present === undefined ? 'the average rate' : 'the present model';
  const card = {
    state: 'ready',
    trainedDay,
    window: { fromDay: (newest.train[0] as OriginCells).day + 1, toDay: newest.test.day },
    players: fitted.players,
    origins,
  } as const;
  const { regressionLacks = null } = fitted;
  const refusal = refusalOf(tested, rival, rivalName);
  if (refusal !== undefined) return { outcome: 'refused', reason: refusal, model, card, regressionLacks };
  const reason = `log-loss on the newest week ${tested.logLoss.toFixed(4)}, that of ${rivalName} ${rival?.logLoss.toFixed(4)}`;
  return { outcome: 'promoted', reason, model, card, regressionLacks };
}

/** `cells`: what the model predicts for the origin, before calibration. */
function measure(
  { calibration }: Readonly<{ calibration: Platt }>,
  origin: OriginCells,
  cells: readonly ProbabilityCell[],
): OriginMetrics | undefined {
  const metrics = measureProbabilities(
    cells.map((cell) => ({ ...cell, predicted: calibrate(calibration, cell.predicted) })),
  );
  return metrics && { originDay: origin.day, ...metrics };
}

function testEarlier<Parts extends object>(
  kind: ModelKind<Parts>,
  { train, ...split }: Split,
): OriginMetrics[] {
  const fitted = kind.fit(train);
  if (!fitted.fitted) return [];
  const calibration = fitPlatt(kind.predict(fitted.parts, split.calibrate));
  const metrics = measure({ calibration }, split.test, kind.predict(fitted.parts, split.test));
  return metrics === undefined ? [] : [metrics];
}

/** What to beat where there is no model yet: the rate of the week before, for everybody. */
function averageOf(week: readonly ProbabilityCell[], test: readonly ProbabilityCell[]): ProbabilityCell[] {
  const players = week.reduce((sum, cell) => sum + cell.players, 0);
  const positives = week.reduce((sum, cell) => sum + cell.positives, 0);
  const predicted = players === 0 ? 0.5 : positives / players;
  return test.map((cell) => ({ ...cell, predicted }));
}

function refusalOf(
  tested: ProbabilityMetrics,
  rival: ProbabilityMetrics | undefined,
  rivalName: string,
): string | undefined {
  if (tested.ece - tested.eceOfChance > MAX_ECE) {
    const [error, chance] = [tested.ece.toFixed(3), tested.eceOfChance.toFixed(3)];
    return `its calibration error on the newest week is ${error}; chance explains ${chance}, and ${MAX_ECE} more is allowed`;
  }
  if (rival !== undefined && !(tested.logLoss < rival.logLoss)) {
    const [own, other] = [tested.logLoss.toFixed(4), rival.logLoss.toFixed(4)];
    return `its log-loss on the newest week is ${own}, not below ${other}, that of ${rivalName}`;
  }
  return undefined;
}

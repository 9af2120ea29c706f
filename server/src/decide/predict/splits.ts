import type { OriginCells, TrainingData } from './training-data.js';

/**
 * Splits by time only: a model is fitted with outcomes that were known when its calibration week began, calibrated with those that
 * were known when its test week began, and tested on that week. (Where players are split at random, a model is tested on
 * weeks it has seen, and looks far better than it is.)
 */
export type Split = Readonly<{
  /** Oldest first. A game of two weeks has none: then the shipped prior is calibrated and tested. */
  train: readonly OriginCells[];
  calibrate: OriginCells;
  test: OriginCells;
}>;

const LABEL_DAYS = 7;
const MAX_TRAIN_ORIGINS = 4;
const ROLLING_ORIGINS = 6;

/** One for each of the last six origins whose outcome is known, oldest first; fewer for a young game. */
export function rollingSplits({ origins, day }: TrainingData): Split[] {
  const splits: Split[] = [];
  for (const test of origins.filter((origin) => origin.day + LABEL_DAYS <= day).slice(-ROLLING_ORIGINS)) {
    const calibrate = origins.findLast((origin) => origin.day + LABEL_DAYS <= test.day);
    if (calibrate === undefined) continue;
    const train = origins
      .filter((origin) => origin.day + LABEL_DAYS <= calibrate.day)
      .slice(-MAX_TRAIN_ORIGINS);
    splits.push({ train, calibrate, test });
  }
  return splits;
}

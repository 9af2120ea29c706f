import { MIN_PAYERS, MIN_PLAYERS, MIN_REPEATING_PAYERS } from '../../personalisation/predict/minimum-data.js';
import type { ModelReport } from '../../personalisation/predict/train.js';
import type { TrainingData } from '../../personalisation/predict/training-data.js';

/** The report of a training, stored beside its artefact. */
export type TrainingReport = Readonly<{
  models: readonly ModelReport[];
  progress: readonly DataProgress[];
  /** The number of groups of equal players, over all weeks. */
  cells: number;
}>;

/** How much of the data that a model needs is there: "412 of 2,000 players". */
export type DataProgress = Readonly<{ what: string; have: number; need: number }>;

/** Weeks of history whose outcome is known: for fitting, calibrating and testing. */
const MIN_WEEKS = 3;

export function dataProgress({ origins }: TrainingData): DataProgress[] {
  const newest = origins.at(-1);
  const payers = newest?.payers ?? [];
  return [
    { what: 'weeks of history', have: origins.length, need: MIN_WEEKS },
    { what: 'players', have: count(newest?.activity ?? []), need: MIN_PLAYERS },
    { what: 'payers', have: count(payers), need: MIN_PAYERS },
    {
      what: 'payers with a second day of purchase',
      have: count(payers.filter(({ x }) => x > 0)),
      need: MIN_REPEATING_PAYERS,
    },
  ];
}

function count(cells: readonly { players: number }[]): number {
  return cells.reduce((sum, { players }) => sum + players, 0);
}

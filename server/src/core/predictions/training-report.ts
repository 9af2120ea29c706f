import type { ModelReport } from '../../decide/predict/model-report.js';

/** The report of a training, stored beside its artefact. */
export type TrainingReport = Readonly<{
  models: readonly ModelReport[];
  progress: readonly DataProgress[];
  /** The number of groups of equal players, over all weeks. */
  cells: number;
}>;

/** How much of the data that a model needs is there: "1 of 2 weeks of history". */
export type DataProgress = Readonly<{ what: string; have: number; need: number }>;

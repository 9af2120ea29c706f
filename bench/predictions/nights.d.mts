import type { Artefact, GradedName } from '../../server/src/personalisation/predict/artefact.js';
import type { distrustedAfterGrading } from '../../server/src/personalisation/predict/distrust.js';
import type {
  gradePredictions,
  HORIZONS,
} from '../../server/src/personalisation/predict/grade-predictions.js';
import type { gradeWeekOfRevenue } from '../../server/src/personalisation/predict/grade-totals.js';
import type { ModelReport, train } from '../../server/src/personalisation/predict/train.js';
import type { OriginCells } from '../../server/src/personalisation/predict/training-data.js';

export type Predict = Readonly<{
  HORIZONS: typeof HORIZONS;
  WEEK_DAYS: number;
  train: typeof train;
  gradePredictions: typeof gradePredictions;
  gradeWeekOfRevenue: typeof gradeWeekOfRevenue;
  distrustedAfterGrading: typeof distrustedAfterGrading;
}>;

export type Night = Readonly<{
  /** What was not trusted after grading. */
  graded: readonly GradedName[];
  artefact: Artefact;
  distrusted: readonly GradedName[];
  report: readonly ModelReport[];
}>;

export function createNights(
  predict: Predict,
  originAt: (day: number) => OriginCells | undefined,
  currency: string,
): { work: (day: number) => Night };

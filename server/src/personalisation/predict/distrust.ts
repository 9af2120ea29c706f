import { GRADED_NAMES, type GradedName, modelOf } from './artefact.js';
import type { PredictionGrade } from './grade-predictions.js';
import type { TrainingResult } from './train.js';

/** What is not trusted after the predictions of the models in force were graded. What was not graded stays as it was. */
export function distrustedAfterGrading(
  before: readonly GradedName[],
  grades: readonly PredictionGrade[],
): GradedName[] {
  const health = new Map(grades.map((grade) => [grade.model, grade.health]));
  return GRADED_NAMES.filter((name) =>
    health.has(name) ? health.get(name) === 'red' : before.includes(name),
  );
}

/** A new model has passed its test on the newest week, so it is trusted. A model that was kept keeps its state. */
export function distrustedAfterTraining(
  before: readonly GradedName[],
  { report }: Pick<TrainingResult, 'report'>,
): GradedName[] {
  const isNew = new Set(report.filter(({ outcome }) => outcome === 'promoted').map(({ model }) => model));
  return GRADED_NAMES.filter((name) => before.includes(name) && !isNew.has(modelOf(name)));
}

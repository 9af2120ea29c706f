import { GRADED_NAMES, type GradedName, isModelName } from './artefact.js';
import type { PredictionGrade } from './grade-predictions.js';
import type { TrainingResult } from './train.js';

/**
 * What is not trusted after the predictions in force were graded. What was not graded stays as it was. A total that has lost trust (purchases
 * and revenue of 28 or 90 days) returns only when two models are right about it: the one in force, and the one that was in force a week ago,
 * which has not seen the newest week. `weekAgo` are the grades of the latter. A model of last night has been fitted to totals of which the newest days
 * are a part, so that it looks right about them before it has met a day.
 */
export function distrustedAfterGrading(
  before: readonly GradedName[],
  grades: readonly PredictionGrade[],
  weekAgo: readonly PredictionGrade[],
): GradedName[] {
  const healthOf = (of: readonly PredictionGrade[], name: GradedName) =>
    of.find(({ model }) => model === name)?.health;
  return GRADED_NAMES.filter((name) => {
    const wasRed = before.includes(name);
    const health = healthOf(grades, name);
    if (health === undefined) return wasRed;
    return health === 'red' || (wasRed && !isModelName(name) && healthOf(weekAgo, name) !== 'green');
  });
}

/** The totals that have to be graded for a model of a week ago, too. */
export function distrustedTotals(before: readonly GradedName[]): GradedName[] {
  return before.filter((name) => !isModelName(name));
}

/**
 * A new model has passed its test on the newest weeks, so it is trusted. That test is about the week: what the model says of 28 and 90 days is
 * graded first. A model that was kept keeps its state.
 */
export function distrustedAfterTraining(
  before: readonly GradedName[],
  { report }: Pick<TrainingResult, 'report'>,
): GradedName[] {
  const isNew = new Set<GradedName>(
    report.filter(({ outcome }) => outcome === 'promoted').map(({ model }) => model),
  );
  return before.filter((name) => !isNew.has(name));
}

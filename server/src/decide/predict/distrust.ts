import { GRADED_NAMES, type GradedName } from './artefact.js';
import type { PredictionGrade } from './grade-predictions.js';

/**
 * What is not trusted after the predictions in force were graded. What was not graded stays as it was. What has lost trust returns only when two models
 * are right about it: the one in force, and the one that was in force a week ago, which has not seen the newest week. `weekAgo` are the grades of the
 * latter. So a new model is not trusted where its predecessor was not, before it has met a week: what it was tested with is older than the change.
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
    return health === 'red' || (wasRed && healthOf(weekAgo, name) !== 'green');
  });
}

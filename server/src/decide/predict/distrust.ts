import { GRADED_NAMES, type GradedName, isModelName } from './artefact.js';
import type { Health } from './grade.js';
import type { PredictionGrade } from './grade-predictions.js';

/**
 * What is not trusted after the predictions in force were graded. What was not graded stays as it was. What has lost trust returns only when two models
 * are right about it: the one in force, and the one that was in force a week ago, which has not seen the newest week. `weekAgo` are the grades of the
 * latter. So a new model is not trusted where its predecessor was not, before it has met a week: what it was tested with is older than the change.
 * Where a training has withdrawn the model, what players were told a week ago is still compared.
 *
 * All models look at activity, and churn shows first that it has changed: each player either returns or does not, but few buy. So no model is
 * trusted while `activity` is not.
 */
export function distrustedAfterGrading(
  before: readonly GradedName[],
  grades: readonly PredictionGrade[],
  weekAgo: readonly PredictionGrade[],
): GradedName[] {
  const isWrong = (name: GradedName): boolean => {
    const wasRed = before.includes(name);
    const [health, former] = [healthOf(grades, name), healthOf(weekAgo, name)];
    if (health === undefined) return wasRed || former === 'red';
    return health === 'red' || (wasRed && former !== 'green');
  };
  const isInDoubt = (name: GradedName) =>
    isModelName(name) && healthOf(grades, name) !== undefined && isWrong('activity');
  return GRADED_NAMES.filter((name) => isWrong(name) || isInDoubt(name));
}

function healthOf(grades: readonly PredictionGrade[], name: GradedName): Health | undefined {
  return grades.find(({ model }) => model === name)?.health;
}

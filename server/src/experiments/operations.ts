import { MINUTE_MS } from '../platform/lib/day.js';
import { done, doneIf, type MaintenanceStep } from '../platform/lifecycle/maintenance-step.js';
import type { OperationsContext, OperationsPart } from '../studio/module-type.js';
import { experimentRoutes } from './experiment-routes.js';
import { experimentExploreRoutes } from './explore-routes.js';
import { gradeExperiments } from './grading/grade-experiments.js';
import { createGradeMetrics } from './grading/grade-metrics.js';
import { experimentGradeRoutes } from './grading/grade-routes.js';
import { deleteEndedHoldouts } from './holdout-expiry.js';
import { offerHoldoutRoutes } from './offer-holdout-routes.js';
import { experimentPlanRoutes } from './plan-routes.js';
import { sumExperiments } from './sum-experiments.js';

export function openExperiments({ pool }: OperationsContext): OperationsPart {
  return {
    adminRoutes: [
      experimentRoutes,
      experimentPlanRoutes,
      offerHoldoutRoutes,
      experimentGradeRoutes,
      experimentExploreRoutes,
    ],
    steps: [SUMS, ENDED_HOLDOUTS, GRADES],
    frequent: [SUMS.name],
    metrics: [createGradeMetrics(pool)],
  };
}

const SUMS: MaintenanceStep = {
  name: 'experiments',
  maxMs: 15 * MINUTE_MS,
  async run({ pool, connection, nowMs, signal }) {
    const { isDone, experimentsSummed } = await sumExperiments(connection, { pool, nowMs, signal });
    return doneIf(isDone, { experimentsSummed });
  },
};

const ENDED_HOLDOUTS: MaintenanceStep = {
  name: 'holdout_exposures',
  // What is left of a large hold-out goes on an hour later.
  maxMs: 10 * MINUTE_MS,
  run: async ({ pool, connection, nowMs, signal }) =>
    done({ exposuresDeleted: await deleteEndedHoldouts(connection, { pool, nowMs, signal }) }),
};

const GRADES: MaintenanceStep = {
  name: 'experiment_grades',
  // Once a night. What is left of a large installation goes on an hour later.
  maxMs: 15 * MINUTE_MS,
  async run({ connection, nowMs, signal }) {
    const { isDone, gamesGraded } = await gradeExperiments(connection, { nowMs, signal });
    return doneIf(isDone, { gamesGraded });
  },
};

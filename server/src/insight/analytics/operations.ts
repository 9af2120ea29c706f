import { MINUTE_MS } from '../../platform/lib/day.js';
import { done, doneIf, type MaintenanceStep } from '../../platform/lifecycle/maintenance-step.js';
import type { OperationsPart } from '../../studio/module-type.js';
import { breakdownRoutes } from './breakdowns/breakdown-routes.js';
import { sumBreakdowns } from './breakdowns/sum-breakdowns.js';
import { compactRollups } from './compact-rollups.js';
import { dashboardRoutes } from './dashboard-routes.js';
import { installRoutes } from './installs/install-routes.js';
import { recountRoutes } from './recount-routes.js';

export function openAnalytics(): OperationsPart {
  return {
    adminRoutes: [dashboardRoutes, breakdownRoutes, installRoutes, recountRoutes],
    steps: [ROLLUPS, BREAKDOWNS],
    frequent: [BREAKDOWNS.name],
  };
}

const ROLLUPS: MaintenanceStep = {
  name: 'rollups',
  maxMs: 15 * MINUTE_MS,
  run: async ({ connection, nowMs, signal }) =>
    done({ shardsAddedUp: await compactRollups(connection, nowMs, signal) }),
};

const BREAKDOWNS: MaintenanceStep = {
  name: 'breakdowns',
  // 31 changed days of 200,000 players took 20 s.
  maxMs: 15 * MINUTE_MS,
  async run({ connection, nowMs, signal }) {
    const { isDone, daysSummed, rowsDeleted } = await sumBreakdowns(connection, { nowMs, signal });
    return doneIf(isDone, { daysSummed, rowsDeleted });
  },
};

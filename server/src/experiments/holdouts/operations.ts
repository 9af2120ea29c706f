import { MINUTE_MS } from '../../platform/lib/day.js';
import { doneIf, type MaintenanceStep } from '../../platform/lifecycle/maintenance-step.js';
import type { OperationsPart } from '../../studio/module-type.js';
import { compareHoldouts } from './compare-holdouts.js';
import { holdoutRoutes } from './holdout-routes.js';

export function openHoldouts(): OperationsPart {
  return { adminRoutes: [holdoutRoutes], steps: [COMPARISON] };
}

const COMPARISON: MaintenanceStep = {
  name: 'holdouts',
  maxMs: 15 * MINUTE_MS,
  async run({ connection, nowMs, signal }) {
    const { isDone, gamesCompared } = await compareHoldouts(connection, { nowMs, signal });
    return doneIf(isDone, { gamesCompared });
  },
};

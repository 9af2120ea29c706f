import { serviceActor } from '../../platform/admin-api/audit-log.js';
import { MINUTE_MS } from '../../platform/lib/day.js';
import { type MaintenanceStep, outcomeOf } from '../../platform/lifecycle/maintenance-step.js';
import type { OperationsPart } from '../../studio/module.js';
import { installationRoutes } from './installation-routes.js';
import { runRetention } from './retention.js';

export function openLifecycle(): OperationsPart {
  return { adminRoutes: [installationRoutes], steps: [RETENTION] };
}

const RETENTION: MaintenanceStep = {
  name: 'retention',
  // Deleting the events of a large game for the first time takes hours, in several runs.
  maxMs: 45 * MINUTE_MS,
  async run({ pool, nowMs, signal }) {
    const actor = serviceActor(nowMs);
    const { state, droppedPartitions, deletedEvents } = await runRetention(pool, { actor, signal });
    return {
      outcome: outcomeOf(state),
      did: { eventsDeleted: deletedEvents, partitionsDropped: droppedPartitions.length },
    };
  },
};

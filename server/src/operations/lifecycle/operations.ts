import { deleteExpiredStays } from '../../core/players/stay-expiry.js';
import { serviceActor } from '../../platform/admin-api/audit-log.js';
import { MINUTE_MS } from '../../platform/lib/day.js';
import { done, type MaintenanceStep, outcomeOf } from '../../platform/lifecycle/maintenance-step.js';
import type { OperationsPart } from '../../studio/module-type.js';
import { installationRoutes } from './installation-routes.js';
import { runRetention } from './retention.js';

export function openLifecycle(): OperationsPart {
  return { adminRoutes: [installationRoutes], steps: [RETENTION, STAYS] };
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

/** After retention, which marks from which day on each game keeps its events. */
const STAYS: MaintenanceStep = {
  name: 'segment_stays',
  maxMs: 15 * MINUTE_MS,
  run: async ({ connection, signal }) => done({ staysDeleted: await deleteExpiredStays(connection, signal) }),
};

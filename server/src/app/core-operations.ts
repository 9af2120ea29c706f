import { dropOldIdentities, ensureEventPartitions } from '../core/events/storage/event-partitions.js';
import { forgetDevices } from '../core/sessions/forget-devices.js';
import type { DeviceHashes } from '../core/sessions/forgotten-devices.js';
import { deleteExpiredSessions } from '../core/sessions/session-expiry.js';
import { MINUTE_MS } from '../platform/lib/day.js';
import { done, type MaintenanceStep } from '../platform/lifecycle/maintenance-step.js';
import type { OperationsContext, OperationsPart } from '../studio/module-type.js';
import { adminLimitsRoutes } from './admin-limits-routes.js';

export function openCore({ deviceHashes, settings }: OperationsContext): OperationsPart {
  return {
    adminRoutes: [adminLimitsRoutes],
    steps: [
      PARTITIONS,
      SESSIONS,
      ...forgetDevicesSteps(deviceHashes, settings.forgetDevicesAfterDays),
      IDENTITIES,
    ],
  };
}

const PARTITIONS: MaintenanceStep = {
  name: 'event_partitions',
  maxMs: 2 * MINUTE_MS,
  run: async ({ pool, nowMs }) => done({ partitionsMade: await ensureEventPartitions(pool, nowMs) }),
};

const SESSIONS: MaintenanceStep = {
  name: 'sessions',
  maxMs: 15 * MINUTE_MS,
  run: async ({ connection, nowMs, signal }) =>
    done({ sessionsDeleted: await deleteExpiredSessions(connection, nowMs, signal) }),
};

const IDENTITIES: MaintenanceStep = {
  name: 'event_identities',
  maxMs: 2 * MINUTE_MS,
  run: async ({ pool, nowMs }) =>
    done({ generationsForgotten: (await dropOldIdentities(pool, nowMs)).length }),
};

/** Forgets device ids; no step where they are not to be forgotten. */
export function forgetDevicesSteps(hashes: DeviceHashes, afterDays: number): MaintenanceStep[] {
  if (afterDays === 0) return [];
  const run: MaintenanceStep['run'] = async ({ connection, nowMs, signal }) =>
    done({ devicesForgotten: await forgetDevices(connection, { hashes, afterDays, nowMs, signal }) });
  return [{ name: 'devices', maxMs: 10 * MINUTE_MS, run }];
}

import { MINUTE_MS } from '../../platform/lib/day.js';
import { type MaintenanceStep, outcomeOf } from '../../platform/lifecycle/maintenance-step.js';
import type { OperationsContext, OperationsPart } from '../../studio/module-type.js';
import { compactEvents } from './compact-events.js';
import { createEventStoreMetrics } from './event-store-metrics.js';

export function openEventStorage({ pool, clock }: OperationsContext): OperationsPart {
  return { steps: [COMPACTION], metrics: [createEventStoreMetrics(pool, clock)] };
}

export const COMPACTION: MaintenanceStep = {
  name: 'event_compaction',
  // A day of fifty million single events takes about an hour beside traffic.
  maxMs: 50 * MINUTE_MS,
  async run({ pool, nowMs, signal }) {
    const { state, pagesLeft, bytesFreed } = await compactEvents(pool, { nowMs, signal });
    const did = { daysCompacted: state === 'done' ? 1 : 0, pagesLeft, bytesFreed };
    return { outcome: outcomeOf(state), did };
  },
};

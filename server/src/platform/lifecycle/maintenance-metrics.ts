import { Counter, Gauge, Registry } from 'prom-client';

/**
 * How a step of maintenance ended. `busy`: another node was running it. `unfinished`: the next run continues. `refused`: the clock
 * of this node is off.
 */
export type StepOutcome = 'done' | 'unfinished' | 'busy' | 'refused' | 'failed';

export type MaintenanceMetrics = ReturnType<typeof createMaintenanceMetrics>;

export function createMaintenanceMetrics() {
  const registry = new Registry();
  const registers = [registry];
  const labelNames = ['step'] as const;
  return {
    registry,
    runs: new Counter({
      name: 'savepoint_maintenance_runs_total',
      help: 'Runs of each step of maintenance by outcome: done, unfinished (out of time, the next run continues), busy (another node was running it), refused (the clock of this node is off) or failed.',
      labelNames: ['step', 'outcome'] as const,
      registers,
    }),
    lastSuccess: new Gauge({
      name: 'savepoint_maintenance_last_success_timestamp_seconds',
      help: 'When this node last finished each step of maintenance; the latest time of all nodes counts.',
      labelNames,
      registers,
    }),
    duration: new Gauge({
      name: 'savepoint_maintenance_duration_seconds',
      help: 'How long the last run of each step of maintenance took on this node.',
      labelNames,
      registers,
    }),
  };
}

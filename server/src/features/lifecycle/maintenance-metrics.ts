import { Counter, Gauge, Registry } from 'prom-client';

/** How a step of maintenance ended. `busy`: another node was at it. `unfinished`: the next run goes on. */
export type StepOutcome = 'done' | 'unfinished' | 'busy' | 'failed';

export type MaintenanceMetrics = ReturnType<typeof createMaintenanceMetrics>;

export function createMaintenanceMetrics() {
  const registry = new Registry();
  const registers = [registry];
  const labelNames = ['step'] as const;
  return {
    registry,
    runs: new Counter({
      name: 'savepoint_maintenance_runs_total',
      help: 'Runs of each step of maintenance by outcome: done, unfinished (out of time, the next run goes on), busy (another node was at it) or failed.',
      labelNames: ['step', 'outcome'] as const,
      registers,
    }),
    lastSuccess: new Gauge({
      name: 'savepoint_maintenance_last_success_timestamp_seconds',
      help: 'When each step of maintenance was last done by this node; the latest of all nodes counts.',
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

import { Counter, Gauge, Registry } from 'prom-client';
import type { ServiceStatus } from './service-status.js';
import type { ProcessState } from './supervised-process.js';

const STATES: readonly ProcessState[] = ['starting', 'serving', 'silent', 'ended'];

/** What the primary sees of the processes that it watches. It counts, because the operations process may be replaced itself. */
export function createProcessMetrics() {
  const registry = new Registry();
  const registers = [registry];
  const workers = new Gauge({
    name: 'savepoint_api_workers',
    help: 'API workers by state: starting, serving, silent (the event loop has not turned for two seconds) or ended (to be started again).',
    labelNames: ['state'] as const,
    registers,
  });
  const replaced = new Counter({
    name: 'savepoint_processes_replaced_total',
    help: 'Processes (worker or operations) that were replaced, by reason: stuck (the event loop did not turn) or ended.',
    labelNames: ['process', 'reason'] as const,
    registers,
  });
  return {
    /** None of them if the primary did not respond: 0 would be wrong. */
    async read(status: ServiceStatus | undefined): Promise<string> {
      workers.reset();
      replaced.reset();
      if (status === undefined) return registry.metrics();
      for (const state of STATES) {
        workers.set({ state }, status.workers.filter((worker) => worker.state === state).length);
      }
      for (const [process, counts] of Object.entries(status.replacements)) {
        for (const [reason, count] of Object.entries(counts)) replaced.inc({ process, reason }, count);
      }
      return registry.metrics();
    },
  };
}

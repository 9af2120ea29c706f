import { ask } from './questions.js';
import type { WorkersMetrics } from './service-status.js';
import type { SupervisedProcess } from './supervised-process.js';

/** Many times the lag of an event loop under full load. */
const TIMEOUT_MS = 2_000;

/**
 * Asks all workers for their metrics. A worker that does not respond now counts as it did last: without it the sums would fall
 * and rise again, which Prometheus takes for a restart and for new requests.
 */
export function createMetricsReader(workers: readonly SupervisedProcess[]): () => Promise<WorkersMetrics> {
  const last = new Map<SupervisedProcess, { pid: number | undefined; metrics: object }>();
  const read = async (worker: SupervisedProcess): Promise<object[]> => {
    const child = worker.child();
    if (child === undefined) return [];
    const { state } = worker.status();
    const metrics = state === 'serving' ? await ask<object>(child, 'metrics', TIMEOUT_MS) : undefined;
    if (metrics !== undefined) last.set(worker, { pid: child.pid, metrics });
    const known = last.get(worker);
    return known?.pid === child.pid && known !== undefined ? [known.metrics] : [];
  };
  return async () => (await Promise.all(workers.map(read))).flat();
}

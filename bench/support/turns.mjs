import { closedLoop } from './closed-loop.mjs';
import { cpuSplitOf } from './processes.mjs';

const CONNECTIONS = 32;

/**
 * Requests a second, and the CPU time that the service took for each: on a shared machine that varies less than the rate. `target` has the
 * address and the process of a service, and whatever `requestOf` makes requests from.
 */
export async function measureTurn(target, { prepare, requestOf, onResponse }, seconds) {
  prepare?.();
  const cpuBefore = cpuSplitOf(target.pid).serviceMs;
  const { requests } = await closedLoop({
    url: target.api,
    requestOf: (n) => requestOf(target, n),
    onResponse: (n, response) => onResponse?.(target, n, response),
    connections: CONNECTIONS,
    seconds,
  });
  const cpuMs = (cpuSplitOf(target.pid).serviceMs - cpuBefore) / requests;
  return { rate: requests / seconds, cpuMs };
}

/** The geometric mean, and the interval that contains the true one in 95 of 100 cases. */
export function ratioCells(ratios) {
  const logs = ratios.map(Math.log);
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  const variance = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / (logs.length - 1);
  const margin = 1.96 * Math.sqrt(variance / logs.length);
  const text = (log) => Math.exp(log).toFixed(2);
  return [text(mean), `${text(mean - margin)}–${text(mean + margin)}`];
}

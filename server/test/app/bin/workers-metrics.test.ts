import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { afterEach, expect, it } from 'vitest';
import { type SupervisedProcess, supervise } from '../../../src/app/bin/supervised-process.js';
import { createMetricsReader } from '../../../src/app/bin/workers-metrics.js';

const SCRIPT = fileURLToPath(new URL('watched-process.mjs', import.meta.url));

let workers: SupervisedProcess[] = [];
afterEach(() => Promise.all(workers.map((worker) => worker.stop())));

it('counts a worker that does not respond as it did last, until it is replaced', async () => {
  const logger = pino({ level: 'silent' });
  workers = [1, 2].map(() => supervise({ name: 'a worker', fork: () => fork(SCRIPT), logger }));
  const [first, second] = workers;
  await Promise.all(workers.map(({ listening }) => listening));
  const read = createMetricsReader(workers);
  const metricsOf = (pid: number | null | undefined) => [{ name: `of ${pid}` }];
  const [stuck, healthy] = workers.map((worker) => worker.status().pid);
  // A worker that has not responded yet, on a busy machine, is left out.
  await expect.poll(read).toEqual([metricsOf(stuck), metricsOf(healthy)]);

  first?.child()?.send({ type: 'hang' });
  // Before it is known to be silent, and after.
  expect(await read()).toEqual([metricsOf(stuck), metricsOf(healthy)]);
  await expect.poll(() => first?.status().state).toBe('silent');
  expect(await read()).toEqual([metricsOf(stuck), metricsOf(healthy)]);

  await expect.poll(() => first?.status().state).toBe('ended');
  expect(await read()).toEqual([metricsOf(healthy)]);
  await expect.poll(() => first?.status().state).toBe('serving');
  await expect.poll(read).toEqual([metricsOf(first?.status().pid), metricsOf(healthy)]);
  expect(second?.replacements()).toEqual({ stuck: 0, ended: 0 });
});

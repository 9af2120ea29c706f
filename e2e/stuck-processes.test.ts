/** @module-tag full */
import { getPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { childrenOf, isRunning, signal } from './faults/processes.js';
import { newInstallation, removeInstallations } from './support/installation.js';
import { get, login, post, type Service, startService } from './support/service.js';

/** SIGSTOP is what a hanging process looks like from outside: its event loop does not turn, and it obeys nothing but SIGKILL. */

let service: Service;
beforeAll(async () => {
  service = await startService({ ...(await newInstallation()), SAVEPOINT_WORKERS: '2' });
});
afterAll(removeInstallations);

const workers = () => childrenOf(service.pid, 'worker.js');
const operations = () => childrenOf(service.pid, 'operations.js');
const ready = () => get(`${service.ops}/readyz`);
const workersCheck = async () => ((await ready()).body as { checks: { workers: string } }).checks.workers;
/** Not a number where the primary, on a busy machine, does not say in time. */
const replaced = async (process: string) => {
  const metrics = String((await get(`${service.ops}/metrics`)).body);
  const line = new RegExp(`savepoint_processes_replaced_total{process="${process}",reason="stuck"} (\\d+)`);
  return Number(line.exec(metrics)?.[1]);
};
const told = async (process: string) => {
  let count = Number.NaN;
  while (Number.isNaN(count)) count = await replaced(process);
  return count;
};

it.runIf(process.platform === 'linux')(
  'lets players go before operators where both want a core',
  async () => {
    const [worker = 0] = await workers();
    const [editing = 0] = await operations();
    expect(getPriority(editing)).toBe(Math.min(19, getPriority(worker) + 5));
  },
);

describe('a process that does not turn its event loop', () => {
  it('is replaced when it is a worker, and /readyz tells', async () => {
    const player = await login(service.api, 'phone-1');
    const event = { eventType: 'levelUp', timestamp: new Date().toISOString(), payload: { level: 2 } };
    expect((await post(`${service.api}/v1/events`, player.headers, [event])).status).toBe(202);
    const [victim = 0, other] = await workers();

    signal(victim, 'SIGSTOP');
    await expect.poll(workersCheck).toContain('1 of 2 API workers serve players');
    await expect.poll(() => isRunning(victim)).toBe(false);
    await expect.poll(workersCheck).toBe('ok');

    const now = await workers();
    expect(now).toHaveLength(2);
    expect(now).toContain(other);
    await expect.poll(() => replaced('worker')).toBe(1);
    expect(service.output()).toContain('an API worker does not turn its event loop; killing it');
    expect((await login(service.api, 'phone-1')).userId).toBe(player.userId);
  });

  it('makes the node unready when it is every worker', async () => {
    const before = await told('worker');
    for (const pid of await workers()) signal(pid, 'SIGSTOP');
    await expect.poll(async () => (await ready()).status).toBe(503);
    expect((await get(`${service.ops}/healthz`)).status).toBe(200);
    await expect.poll(async () => (await ready()).status).toBe(200);
    await expect.poll(workersCheck).toBe('ok');
    await expect.poll(() => replaced('worker')).toBe(before + 2);
  });

  it('is replaced when it is the operations process, which comes back at the same address', async () => {
    const [victim = 0] = await operations();
    signal(victim, 'SIGSTOP');
    await expect.poll(() => isRunning(victim)).toBe(false);
    const health = () => get(`${service.ops}/healthz`).catch(() => ({ status: 0 }));
    await expect.poll(async () => (await health()).status).toBe(200);
    await expect.poll(workersCheck).toBe('ok');
    await expect.poll(() => replaced('operations')).toBe(1);
  });

  it('is not replaced when the whole service was paused, the primary included', async () => {
    const before = [...(await workers()), ...(await operations())];
    process.kill(-service.pid, 'SIGSTOP');
    // Longer than a process may be silent.
    await sleep(8_000);
    process.kill(-service.pid, 'SIGCONT');
    await expect.poll(workersCheck).toBe('ok');
    expect([...(await workers()), ...(await operations())]).toEqual(before);
  });

  it('does not keep the service from stopping', async () => {
    for (const pid of [...(await workers()), ...(await operations())]) signal(pid, 'SIGSTOP');
    expect(await service.interrupt()).toBe(0);
  });
});

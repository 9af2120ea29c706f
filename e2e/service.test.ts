import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommandWith } from '../server/test/support/command.js';
import { newInstallation, removeInstallations } from './support/installation.js';
import { runHere } from './support/run-here.js';
import {
  freePort,
  get,
  login,
  post,
  type Service,
  startService,
  temporaryFolder,
  until,
} from './support/service.js';

const run = promisify(execFile);

afterAll(removeInstallations);

const purchase = (transactionId: string) => ({
  eventType: 'Purchase',
  timestamp: new Date().toISOString(),
  payload: { transactionId, skuId: 'gems_80', price: 0.99, currency: 'USD' },
});

describe('savepoint start', () => {
  it('keeps every player, session and event through kill -9 and through a clean restart', async () => {
    const settings = { SAVEPOINT_DATA_DIR: await temporaryFolder(), SAVEPOINT_WORKERS: '1' };
    const first = await startService(settings);
    const player = await login(first.api, 'phone-1');
    expect((await post(`${first.api}/v1/events`, player.headers, [purchase('t-1')])).status).toBe(202);
    await first.kill();

    const second = await startService(settings);
    expect(second.output()).toContain('Took over PostgreSQL');
    expect((await login(second.api, 'phone-1')).userId).toBe(player.userId);
    // An access token from before the crash still works, and the acknowledged purchase is there.
    expect(await get(`${second.api}/v1/player/status`, player.headers)).toMatchObject({
      status: 200,
      body: { isPayer: { value: true } },
    });
    expect(await post(`${second.api}/v1/events`, player.headers, [purchase('t-1')])).toMatchObject({
      status: 202,
    });
    const refreshed = await post(`${second.api}/auth/refresh`, {}, { refreshToken: player.refreshToken });
    expect(refreshed).toMatchObject({ status: 200, body: { userId: player.userId } });
    expect((await post(`${second.api}/auth/logout`, player.headers)).status).toBe(200);
    expect(await second.interrupt()).toBe(0);

    const third = await startService(settings);
    expect((await get(`${third.api}/v1/player/status`, player.headers)).status).toBe(401);
    await third.interrupt();
    const data = await readFile(join(settings.SAVEPOINT_DATA_DIR, 'postgres.log'), 'utf8');
    expect(data).toContain('database system is shut down');
  });

  describe('with two workers', () => {
    let service: Service;
    beforeAll(async () => {
      service = await startService({ ...(await newInstallation()), SAVEPOINT_WORKERS: '2' });
    });

    it('prints a login that works when pasted into a shell', async () => {
      // What a start prints is for people: Fastify's lines of each process are not among it.
      expect(service.output()).not.toContain('Server listening');
      const script = /(TS=[\s\S]*?'"\$SIG"'"\}')/.exec(service.output())?.[1] ?? '';
      const { stdout } = await run('sh', ['-c', script]);
      expect(JSON.parse(stdout)).toMatchObject({
        tokenType: 'Bearer',
        tenantId: 'demo-studio',
        gameId: 'demo-game',
      });
    });

    it('serves the client as a package that npm installs, and as one module', {
      tags: ['full'],
    }, async () => {
      const cwd = await temporaryFolder();
      const npm = ['install', '--no-audit', '--no-fund', '--prefix', cwd];
      await run('npm', [...npm, `${service.ops}/client/savepoint-client.tgz`], { cwd });
      await writeFile(
        join(cwd, 'use.mjs'),
        `import { Savepoint } from '@savepoint/client';
       import { signLogin } from '@savepoint/client/server';
       console.log(typeof Savepoint, typeof signLogin);`,
      );
      expect((await run(process.execPath, ['use.mjs'], { cwd })).stdout).toBe('function function\n');
      const module = await fetch(`${service.ops}/client/savepoint-client.js`);
      expect(module.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
      await writeFile(join(cwd, 'savepoint-client.mjs'), await module.text());
      const names = "import('./savepoint-client.mjs').then(({ Savepoint }) => console.log(typeof Savepoint))";
      expect((await run(process.execPath, ['-e', names], { cwd })).stdout).toBe('function\n');
    });

    it('obeys a logout on every worker, replaces a killed worker and adds up the metrics of all', async () => {
      // A request is counted after its response was sent.
      const metrics = async () => String((await get(`${service.ops}/metrics`)).body);
      const logins = async () =>
        Number(/savepoint_logins_total\{outcome="ok"\} (\d+)/.exec(await metrics())?.[1] ?? 0);
      const loginsBefore = await logins();
      const player = await login(service.api, 'phone-2');
      const statuses = () =>
        Promise.all(Array.from({ length: 12 }, () => get(`${service.api}/v1/player/status`, player.headers)));
      expect(new Set((await statuses()).map(({ status }) => status))).toEqual(new Set([200]));
      await post(`${service.api}/auth/logout`, player.headers);
      expect(new Set((await statuses()).map(({ status }) => status))).toEqual(new Set([401]));

      await expect
        .poll(metrics)
        .toMatch(
          /savepoint_http_request_duration_seconds_count\{.*route="\/v1\/player\/status".*status="401".*\} 12/,
        );
      await expect.poll(logins).toBeGreaterThan(loginsBefore);

      const workers = await workersOf(service.pid);
      expect(workers).toHaveLength(2);
      process.kill(workers[0] ?? 0, 'SIGKILL');
      await until(
        async () => (await workersOf(service.pid)).filter((pid) => !workers.includes(pid)).length === 1,
        300_000,
      );
      await until(async () => (await get(`${service.ops}/readyz`)).status === 200, 300_000);
      expect((await login(service.api, 'phone-2')).userId).toBe(player.userId);

      // Maintenance runs soon after the start, not an hour later.
      const isDone = async () =>
        /savepoint_maintenance_last_success_timestamp_seconds\{step="retention"\} \d/.test(await metrics());
      await until(isDone, 300_000);
    });
  });

  it('names the setting when a port is taken', { tags: ['full'] }, async () => {
    const taken = await freePort();
    const { code, output } = await runHere(['start'], {
      ...(await newInstallation()),
      SAVEPOINT_ENV: 'development',
      SAVEPOINT_PORT: String(taken.port),
    });
    expect(code).toBe(1);
    expect(output).toContain(`Port ${taken.port}`);
    expect(output).toContain('SAVEPOINT_PORT');
    await taken.release();
  });

  it('refuses to start in production without secrets and lists every problem at once', {
    tags: ['full'],
  }, async () => {
    const { code, output } = await runHere(['start'], {
      SAVEPOINT_DATA_DIR: await temporaryFolder(),
      SAVEPOINT_ENV: 'production',
      SAVEPOINT_WORKERS: 'many',
      DATABASE_URL: 'mysql://nope',
    });
    expect(code).toBe(1);
    for (const name of ['SAVEPOINT_MASTER_KEY', 'SAVEPOINT_WORKERS', 'DATABASE_URL'])
      expect(output).toContain(name);
    expect(output).not.toContain('    at ');
  });

  it('runs in production with a created key, and refuses the development key there', {
    tags: ['full'],
  }, async () => {
    const settings = {
      ...(await newInstallation()),
      SAVEPOINT_ENV: 'production',
      SAVEPOINT_HOST: '127.0.0.1',
      SAVEPOINT_WORKERS: '1',
      SAVEPOINT_MASTER_KEY: 'Yk0hN7vQ2xS9mR4tW8zB1cE5gJ6kL3pA0dF7uH2iO9s=',
    };
    const service = await startService(settings);
    expect(service.output()).not.toContain('dev-secret');
    await expect(login(service.api, 'phone')).rejects.toThrow('401');
    const savepoint = (...args: string[]) => runCommandWith(settings, ...args);
    await savepoint('tenant', 'create', 'acme');
    await savepoint('game', 'create', 'rocket', '--tenant', 'acme');
    const { out } = await savepoint('key', 'create', '--tenant', 'acme', '--game', 'rocket');
    const key = {
      id: /API key\s+(\S+)/.exec(out)?.[1] ?? '',
      secret: /API secret\s+(\S+)/.exec(out)?.[1] ?? '',
    };
    await login(service.api, 'phone', key);
    await savepoint('key', 'revoke', key.id);
    await expect(login(service.api, 'phone', key)).rejects.toThrow('401');
    await service.interrupt();
  });

  it('goes on serving while balancers notice that it is about to stop; a second signal ends the wait', {
    tags: ['full'],
  }, async () => {
    const service = await startService({
      ...(await newInstallation()),
      SAVEPOINT_ENV: 'development',
      SAVEPOINT_WORKERS: '1',
      SAVEPOINT_DRAIN_SECONDS: '300',
    });
    const { headers } = await login(service.api, 'phone');
    const stopped = service.interrupt();
    await until(() => service.output().includes('serving for 300 s more'), 300_000);
    await expect
      .poll(() => get(`${service.ops}/readyz`))
      .toMatchObject({
        status: 503,
        body: { checks: { workers: 'the node is stopping: send players elsewhere' } },
      });
    expect((await get(`${service.api}/v1/player/status`, headers)).status).toBe(200);
    await service.interrupt();
    expect(await stopped).toBe(0);
  });
});

async function workersOf(pid: number): Promise<number[]> {
  const { stdout } = await run('pgrep', ['-P', String(pid), '-f', 'worker.js']).catch(() => ({ stdout: '' }));
  return stdout.split('\n').filter(Boolean).map(Number);
}

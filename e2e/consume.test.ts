/** @module-tag full */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attachToEmbeddedPostgres } from '../server/src/platform/embedded-postgres/attach.js';
import {
  NATS_SERVER,
  type NatsServer,
  NEEDS_NATS,
  startNatsServer,
} from '../server/test/support/nats-server.js';
import { startNatsVersionProxy } from '../server/test/support/nats-version-proxy.js';
import { runHere } from './support/run-here.js';
import {
  cleanUp,
  launch,
  login,
  post,
  runSavepoint,
  type Service,
  type Settings,
  startService,
  temporaryFolder,
  until,
} from './support/service.js';

const TIMEOUT_MS = 300_000;

type Consumer = { ops: string; kill(signal: NodeJS.Signals): Promise<number | null> };

describe.skipIf(NATS_SERVER === undefined)(`savepoint consume${NEEDS_NATS}`, () => {
  let nats: NatsServer;
  let settings: Settings;
  let service: Service;

  beforeAll(async () => {
    nats = await startNatsServer();
    settings = {
      NATS_URL: nats.url,
      SAVEPOINT_DATA_DIR: await temporaryFolder(),
      SAVEPOINT_WORKERS: '1',
      SAVEPOINT_CONSUME: 'off',
      SAVEPOINT_LOG_LEVEL: 'warn',
    };
    service = await startService(settings);
  });
  afterAll(async () => {
    await cleanUp();
    await nats?.dispose();
  });

  async function startConsumer(): Promise<Consumer> {
    const { child, output, exit } = launch(settings, 'consume');
    await until(
      () => output().includes('Operations:'),
      TIMEOUT_MS,
      () => {
        if (child.exitCode !== null) throw new Error(`the consumer ended: ${output()}`);
      },
    );
    const ops = /http:\S+(?=\/readyz)/.exec(output())?.[0] ?? '';
    await until(async () => (await readyz(ops)).status === 200, TIMEOUT_MS);
    return {
      ops,
      kill(signal) {
        child.kill(signal);
        return exit;
      },
    };
  }

  async function readyz(ops: string): Promise<{ status: number; checks: Record<string, string> }> {
    const response = await fetch(`${ops}/readyz`);
    return {
      status: response.status,
      checks: ((await response.json()) as { checks: Record<string, string> }).checks,
    };
  }

  const sendSome = async (from: number): Promise<void> => {
    const player = await login(service.api, 'consumed');
    const events = Array.from({ length: 10 }, (_, n) => ({
      eventType: 'Level_Start',
      timestamp: new Date().toISOString(),
      payload: { level: from + n },
    }));
    const response = await post(`${service.api}/v1/events`, player.headers, events);
    expect(response).toEqual({
      status: 202,
      body: { data: { accepted: 10, rejected: [] }, status: 'success' },
    });
  };
  const untilApplied = () =>
    until(
      async () => (await readyz(service.ops)).checks.queue?.startsWith('ok: 0 messages') ?? false,
      TIMEOUT_MS,
    );

  it('applies what the API only queues, and another takes over when it is killed', async () => {
    await sendSome(0);
    await expect
      .poll(async () => (await readyz(service.ops)).checks)
      .toMatchObject({
        queue: expect.stringMatching(/^ok: 1 messages to apply/),
        consumers: expect.stringContaining('nobody consumes'),
      });

    const [first, second] = await Promise.all([startConsumer(), startConsumer()]);
    await untilApplied();
    await until(async () => {
      const { partitions, consumers } = (await readyz(first.ops)).checks;
      return (
        partitions === 'this process works on 8 of 16' &&
        consumers === '2 consumers work on 16 of 16 partitions'
      );
    }, TIMEOUT_MS);

    await first.kill('SIGKILL');
    await until(
      async () => (await readyz(second.ops)).checks.partitions === 'this process works on 16 of 16',
      TIMEOUT_MS,
    );
    await sendSome(100);
    await untilApplied();
    const readMetrics = async () => (await fetch(`${second.ops}/metrics`)).text();
    expect(await readMetrics()).toMatch(/savepoint_queue_applied_messages_total\{outcome="applied"\} [1-9]/);
    // The lag is left out while NATS takes longer than a second to tell it.
    await expect.poll(readMetrics).toContain('savepoint_queue_lag_messages{of="stream"} 0');
    expect((await fetch(`${second.ops}/healthz`)).status).toBe(200);
    expect(await second.kill('SIGTERM')).toBe(0);
  });

  it('and start refuse an old NATS server in production; in development they warn', async () => {
    const old = await startNatsVersionProxy(nats.url, '2.9.10');
    try {
      const url = await attachToEmbeddedPostgres(settings.SAVEPOINT_DATA_DIR ?? '');
      const production = {
        NATS_URL: old.url,
        DATABASE_URL: String(url),
        SAVEPOINT_ENV: 'production',
        SAVEPOINT_MASTER_KEY: randomBytes(32).toString('base64'),
        SAVEPOINT_PORT: '0',
        SAVEPOINT_OPS_PORT: '0',
      };
      const refusal = 'is version 2.9.10, and versions before 2.10.23 can lose events';
      const { SAVEPOINT_MASTER_KEY: _, ...withoutMasterKey } = production;
      const refused = await Promise.all([
        runSavepoint(['start'], production),
        // The consumer seals and opens no secrets, so it needs no master key.
        runHere(['consume'], withoutMasterKey),
      ]);
      for (const one of refused) {
        expect(one).toMatchObject({ code: 1, output: expect.stringContaining(refusal) });
      }

      const { child, output, exit } = launch({ ...settings, NATS_URL: old.url }, 'consume');
      await until(() => output().includes('Operations:') || child.exitCode !== null, TIMEOUT_MS);
      expect(output()).toMatch(/^Warning: NATS at .* is version 2\.9\.10/m);
      child.kill('SIGTERM');
      expect(await exit).toBe(0);
    } finally {
      await old.close();
    }
  });

  it('says what is missing when it cannot start', async () => {
    const { NATS_URL: _, ...others } = settings;
    const withoutQueue = {
      ...others,
      SAVEPOINT_ENV: 'development',
      SAVEPOINT_OPS_PORT: '0',
    };
    const alone = await runHere(['consume'], withoutQueue);
    expect(alone).toMatchObject({
      code: 1,
      output: expect.stringContaining('nothing to consume without NATS_URL'),
    });

    const noServer = await runHere(['consume'], { ...withoutQueue, NATS_URL: '127.0.0.1:1' });
    expect(noServer).toMatchObject({
      code: 1,
      output: expect.stringContaining('Cannot connect to NATS at 127.0.0.1:1'),
    });

    const elsewhere = { ...withoutQueue, NATS_URL: nats.url, SAVEPOINT_DATA_DIR: await temporaryFolder() };
    const noDatabase = await runHere(['consume'], elsewhere);
    expect(noDatabase).toMatchObject({ code: 1, output: expect.stringContaining('set DATABASE_URL') });
  });
});

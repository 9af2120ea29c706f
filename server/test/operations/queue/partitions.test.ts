import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { MessageApplier } from '../../../src/operations/queue/apply-messages.js';
import { type QueueConsumer, startConsumer } from '../../../src/operations/queue/consumer.js';
import { findOwners } from '../../../src/operations/queue/partition-locks.js';
import { openQueue, type Queue } from '../../../src/operations/queue/queue.js';
import { subjectOf } from '../../../src/operations/queue/stream.js';
import { createPool, type Pool } from '../../../src/platform/db/pool.js';
import type { NatsSettings } from '../../../src/platform/settings/settings.js';
import { createMetrics } from '../../../src/platform/telemetry/metrics.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { type DatabaseProxy, startDatabaseProxy } from '../../support/database-proxy.js';
import { NATS_SERVER, type NatsServer, NEEDS_NATS, startNatsServer } from '../../support/nats-server.js';
import { expectDrained, withSession } from '../../support/queue-harness.js';

const logger = pino({ level: 'silent' });
const PARTITIONS = 8;
const ALL = Array.from({ length: PARTITIONS }, (_, n) => n);
const SOON = { interval: 20 };

describe.skipIf(NATS_SERVER === undefined)(`partitions of several consumers${NEEDS_NATS}`, () => {
  let server: NatsServer;
  let database: TestDatabase;
  let pool: Pool;
  let proxy: DatabaseProxy;
  let queue: Queue;
  let nats: NatsSettings;
  const metrics = createMetrics();
  const started: QueueConsumer[] = [];

  beforeAll(async () => {
    server = await startNatsServer();
    database = await createTestDatabase();
    proxy = await startDatabaseProxy(database.url);
    pool = createPool({ url: database.url, size: 4, timeoutMs: 60_000, onError: () => {} });
    nats = server.config('PARTITIONS', { partitions: PARTITIONS });
    queue = await openQueue(nats, metrics, logger);
  });
  afterEach(async () => {
    await proxy.restore();
    await Promise.all(started.splice(0).map((consumer) => consumer.stop()));
  });
  afterAll(async () => {
    await queue?.close();
    await pool?.end();
    await proxy?.close();
    await database?.drop();
    await server?.dispose();
    metrics.stop();
  });

  const start = (
    applier: MessageApplier = { apply: async () => {} },
    databaseUrl = database.url,
  ): QueueConsumer => {
    const consumer = startConsumer({
      link: queue.link,
      nats,
      databaseUrl,
      pool,
      applier,
      metrics: queue.metrics,
      logger,
    });
    started.push(consumer);
    return consumer;
  };
  const ownedBy = (...consumers: QueueConsumer[]) => consumers.flatMap((consumer) => consumer.owned());
  const expectShares = (consumers: QueueConsumer[], sizes: number[]) =>
    expect
      .poll(() => {
        const shares = consumers.map((consumer) => consumer.owned().length);
        return { shares: shares.sort(), all: ownedBy(...consumers).sort((a, b) => a - b) };
      }, SOON)
      .toEqual({ shares: sizes, all: ALL });

  it('are spread evenly, to the last one, as consumers come and go', { tags: ['full'] }, async () => {
    const first = start();
    await expectShares([first], [8]);
    const second = start();
    await expectShares([first, second], [4, 4]);
    const third = start();
    await expectShares([first, second, third], [2, 3, 3]);
    expect(await findOwners(pool, nats.stream)).toEqual({ consumers: 3, partitions: 8 });
    await first.stop();
    await expectShares([second, third], [4, 4]);
  });

  it('of a process that died are taken over within seconds', { tags: ['full'] }, async () => {
    const dying = start(undefined, proxy.url);
    const other = start();
    await expectShares([dying, other], [4, 4]);
    // As kill -9 does: the sockets are gone, and nobody said goodbye.
    await proxy.cut();
    await expect.poll(() => other.owned(), SOON).toEqual(ALL);
    expect(dying.owned()).toEqual([]);
    expect(dying.isMember()).toBe(false);
    await proxy.restore();
    await expectShares([dying, other], [4, 4]);
  });

  it('are given up at once by a process whose locks are gone', async () => {
    const consumer = start();
    await expectShares([consumer], [8]);
    await pool.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'savepoint consumer' and datname = current_database()",
    );
    await expect.poll(() => consumer.isMember(), { interval: 5 }).toBe(false);
    await expectShares([consumer], [8]);
  });

  it('are given up by a process that does not hear from its database', { tags: ['full'] }, async () => {
    const deaf = start(undefined, proxy.url);
    await expectShares([deaf], [8]);
    proxy.silence();
    await expect.poll(() => deaf.owned(), SOON).toEqual([]);
    // PostgreSQL has not noticed yet, and keeps its locks: better nobody than two.
    const other = start();
    await expect.poll(() => other.isMember(), SOON).toBe(true);
    expect(other.owned()).toEqual([]);
    await proxy.restore();
    await expectShares([deaf, other], [4, 4]);
  });

  it('are never worked on in two places at once, also while they change hands', async () => {
    const busy = new Set<number>();
    const handled = new Map<string, number>();
    const overlaps: number[] = [];
    /** Notes when a partition is at work here while it is in another consumer's hands. */
    const watching = (): MessageApplier => {
      const active = new Map<number, number>();
      return {
        async apply(message) {
          const { partition } = message;
          const mine = active.get(partition) ?? 0;
          if (mine === 0 && busy.has(partition)) overlaps.push(partition);
          active.set(partition, mine + 1);
          busy.add(partition);
          try {
            await new Promise((resolve) => setTimeout(resolve, 5));
            const text = Buffer.from(message.body).toString();
            handled.set(text, (handled.get(text) ?? 0) + 1);
          } finally {
            const left = (active.get(partition) ?? 1) - 1;
            active.set(partition, left);
            if (left === 0) busy.delete(partition);
          }
        },
      };
    };
    let sending = true;
    let sent = 0;
    const sender = withSession(nats, async ({ js }) => {
      while (sending) {
        await Promise.all(
          ALL.map((partition) => js.publish(subjectOf(nats.stream, partition), `message ${sent++}`)),
        );
      }
    });
    const first = start(watching());
    await expect.poll(() => first.owned(), SOON).toEqual(ALL);
    const second = start(watching());
    await expectShares([first, second], [4, 4]);
    const third = start(watching());
    await expectShares([first, second, third], [2, 3, 3]);
    await second.stop();
    await expectShares([first, third], [4, 4]);
    sending = false;
    await sender;
    await expectDrained(nats);
    expect(overlaps).toEqual([]);
    expect(handled.size).toBe(sent);
    expect([...handled.values()].every((times) => times === 1)).toBe(true);
  });
});

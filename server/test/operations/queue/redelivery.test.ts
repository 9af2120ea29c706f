import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createInbox } from '../../../src/core/events/failed/inbox.js';
import {
  createMessageApplier,
  type IncomingMessage,
  type MessageApplier,
} from '../../../src/operations/queue/apply-messages.js';
import { PartitionWorker } from '../../../src/operations/queue/partition-worker.js';
import { openQueue, type Queue } from '../../../src/operations/queue/queue.js';
import { partitionOf } from '../../../src/operations/queue/stream.js';
import { createMetrics } from '../../../src/platform/telemetry/metrics.js';
import { playerAggregates } from '../../support/data-calls.js';
import { adImpression, createHarness, type Harness, postEvents } from '../../support/harness.js';
import { NATS_SERVER, type NatsServer, NEEDS_NATS, startNatsServer } from '../../support/nats-server.js';
import { addQueuedNode, expectApplied, type QueuedNode } from '../../support/queue-harness.js';

const logger = pino({ level: 'silent' });

describe.skipIf(NATS_SERVER === undefined)(`a message that comes again${NEEDS_NATS}`, () => {
  let server: NatsServer;
  let harness: Harness;
  let node: QueuedNode;
  let queue: Queue;
  let applier: MessageApplier;
  const metrics = createMetrics();
  const nats = () => server.config('REDELIVERY', { consume: false, partitions: 2 });

  beforeAll(async () => {
    server = await startNatsServer();
    harness = await createHarness();
    node = await addQueuedNode(harness, nats());
    queue = await openQueue(nats(), metrics, logger);
    const { pool } = harness;
    const inbox = createInbox({ pool, metrics, logger });
    applier = createMessageApplier({
      pool,
      inbox,
      hashes: harness.ctx.erasureHashes,
      metrics,
      queueMetrics: queue.metrics,
      logger,
    });
  });
  afterAll(async () => {
    await queue?.close();
    await node?.close();
    await harness?.close();
    await server?.dispose();
    metrics.stop();
  });

  /** Pumps a player's partition until the stream is empty, with something happening to each message. */
  async function workThrough(userId: string, apply: MessageApplier['apply'], events: number): Promise<void> {
    const { stream, partitions } = nats();
    const partition = partitionOf(userId, partitions);
    const running = new PartitionWorker({
      link: queue.link,
      stream,
      partition,
      applier: { apply },
      metrics: queue.metrics,
      logger,
    });
    await expectApplied(harness.pool, nats(), userId, events);
    await running.stop();
  }

  it('because its consumer died between the commit and the acknowledgement, changes nothing', async () => {
    const session = await harness.login('died');
    const events = Array.from({ length: 10 }, (_, n) => adImpression(n, harness.clock.now() - n * 1000));
    await postEvents(node.app, session, events);

    const deliveries: number[] = [];
    const dieTwice = async (message: IncomingMessage): Promise<void> => {
      deliveries.push(message.deliveries);
      await applier.apply(message);
      if (message.deliveries < 3) throw new Error('died after the commit');
    };
    await workThrough(session.userId, dieTwice, 10);
    expect(deliveries).toEqual([1, 2, 3]);
    expect(await playerAggregates(harness.pool, session.userId)).toMatchObject({
      event_count: '10',
      event_counts: { Ad_Impression: 10 },
    });
  });

  it('because the database was not there is applied when it is', async () => {
    const session = await harness.login('not-there');
    for (let n = 0; n < 5; n++) {
      await postEvents(node.app, session, [adImpression(n, harness.clock.now() - n * 1000)]);
    }
    let failures = 0;
    const failFirst = async (message: IncomingMessage): Promise<void> => {
      if (failures++ < 3) throw Object.assign(new Error('connection refused'), { code: 'ECONNREFUSED' });
      await applier.apply(message);
    };
    await workThrough(session.userId, failFirst, 5);
    expect(failures).toBeGreaterThanOrEqual(8);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepareQueue } from '../../src/queue/queue.js';
import { adImpression, createHarness, type Harness, postEvents } from '../support/harness.js';
import { NATS_SERVER, type NatsCluster, NEEDS_NATS, startNatsCluster } from '../support/nats-server.js';
import { addQueuedNode, expectApplied, type QueuedNode, withSession } from '../support/queue-harness.js';

describe.skipIf(NATS_SERVER === undefined)(`a stream with three replicas${NEEDS_NATS}`, () => {
  let cluster: NatsCluster;
  let harness: Harness;
  let node: QueuedNode;
  const nats = () => cluster.config('CLUSTER', { partitions: 2 });

  beforeAll(async () => {
    cluster = await startNatsCluster();
    harness = await createHarness();
    await prepareQueue(nats());
    node = await addQueuedNode(harness, nats());
  });
  afterAll(async () => {
    await node?.close();
    await harness?.close();
    await cluster?.dispose();
  });

  it('is made once the servers have elected a leader', async () => {
    const replicas = await withSession(
      nats(),
      async ({ jsm }) => (await jsm.streams.info('CLUSTER')).config.num_replicas,
    );
    expect(replicas).toBe(3);
  });

  it('loses nothing that was acknowledged when one server after the other is killed', async () => {
    const session = await harness.login('cluster');
    let acknowledged = 0;
    let sending = true;
    const sender = (async () => {
      for (let n = 0; sending; n++) {
        const event = adImpression(n, harness.clock.now() - n);
        // As a client does: the same batch again, until it is acknowledged.
        while ((await postEvents(node.app, session, [event])).statusCode !== 202) {
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
        acknowledged++;
      }
    })();
    for (const server of cluster.servers) {
      const before = acknowledged;
      await expect.poll(() => acknowledged, { timeout: 20_000 }).toBeGreaterThan(before + 20);
      await server.kill();
      await expect.poll(() => acknowledged, { timeout: 30_000 }).toBeGreaterThan(before + 60);
      await server.start();
      await allCurrent();
    }
    sending = false;
    await sender;
    await expectApplied(harness.pool, nats(), session.userId, acknowledged);
  }, 150_000);

  /** Two of three must agree: the next server may only die when the last one has caught up. */
  const allCurrent = () =>
    expect
      .poll(
        () =>
          withSession(nats(), async ({ jsm }) => {
            const { cluster: state } = await jsm.streams.info('CLUSTER');
            return state?.replicas?.filter(({ current }) => current).length;
          }).catch(() => undefined),
        { timeout: 30_000 },
      )
      .toBe(2);
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepareQueue } from '../../src/queue/queue.js';
import { adImpression, createHarness, type Harness, postEvents } from '../support/harness.js';
import { type NatsCluster, startNatsCluster } from '../support/nats-server.js';
import { addQueuedNode, eventCount, type QueuedNode, withSession } from '../support/queue-harness.js';

describe('debug', () => {
  let cluster: NatsCluster; let harness: Harness; let node: QueuedNode;
  const nats = () => cluster.config('CLUSTER', { partitions: 2 });
  beforeAll(async () => { cluster = await startNatsCluster(); harness = await createHarness(); await prepareQueue(nats()); node = await addQueuedNode(harness, nats()); });
  afterAll(async () => { await node?.close(); await harness?.close(); await cluster?.dispose(); });
  const show = async (label: string) => withSession(nats(), async ({ jsm }) => {
    const s = await jsm.streams.info('CLUSTER');
    const out: unknown[] = [label, 'stream', s.state.messages, s.state.first_seq, s.state.last_seq, s.cluster?.leader];
    for await (const c of jsm.consumers.list('CLUSTER')) out.push([c.name, c.num_pending, c.num_ack_pending, c.num_redelivered, c.ack_floor, c.cluster?.leader]);
    console.log(JSON.stringify(out));
  }).catch((e) => console.log(label, String(e)));
  it('x', async () => {
    const session = await harness.login('cluster');
    let acknowledged = 0, sending = true;
    const sender = (async () => {
      for (let n = 0; sending; n++) {
        const event = adImpression(n, harness.clock.now() - n);
        while ((await postEvents(node.app, session, [event])).statusCode !== 202) await new Promise((r) => setTimeout(r, 100));
        acknowledged++;
      }
    })();
    for (const [i, server] of cluster.servers.entries()) {
      const before = acknowledged;
      await expect.poll(() => acknowledged, { timeout: 20_000 }).toBeGreaterThan(before + 20);
      await show(`before kill ${i}`);
      const t = performance.now();
      await server.kill();
      await expect.poll(() => acknowledged, { timeout: 30_000 }).toBeGreaterThan(before + 60);
      console.log('went on after', performance.now() - t);
      await server.start();
      await expect.poll(() => withSession(nats(), async ({ jsm }) => (await jsm.streams.info('CLUSTER')).cluster?.replicas?.filter(({ current }) => current).length).catch(() => 0), { timeout: 30_000 }).toBe(2);
      await show(`after ${i}`);
    }
    sending = false; await sender;
    for (let k = 0; k < 12; k++) { await show(`end ${k * 5} acked ${acknowledged} counted ${await eventCount(harness.pool, session.userId)}`); await new Promise((r) => setTimeout(r, 5000)); }
  }, 200_000);
});

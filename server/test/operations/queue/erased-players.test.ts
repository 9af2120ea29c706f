import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { erase, playerIdOf, requestDeletion, tablesNaming } from '../../support/erasure-calls.js';
import { adImpression, createHarness, type Harness, postEvents } from '../../support/harness.js';
import { NATS_SERVER, type NatsServer, NEEDS_NATS, startNatsServer } from '../../support/nats-server.js';
import { addQueuedNode, expectApplied, expectDrained, type QueuedNode } from '../../support/queue-harness.js';

describe.skipIf(NATS_SERVER === undefined)(`queued events of an erased player${NEEDS_NATS}`, () => {
  let server: NatsServer;
  let harness: Harness;
  let node: QueuedNode | undefined;
  const nats = () => server.config('ERASED', { partitions: 1 });
  beforeAll(async () => {
    server = await startNatsServer();
    harness = await createHarness();
  });
  afterAll(async () => {
    await node?.close();
    await harness?.close();
    await server?.dispose();
  });

  it('are dropped, and kept nowhere; those of others are applied', async () => {
    const sender = await addQueuedNode(harness, { ...nats(), consume: false });
    const [erased, waiting, other] = [
      await harness.login('queued-erased'),
      await harness.login('queued-waiting'),
      await harness.login('queued-other'),
    ];
    const now = harness.clock.now();
    for (const session of [erased, waiting, other]) {
      const events = [adImpression(1, now), adImpression(2, now, { metadata: { about: session.userId } })];
      expect((await postEvents(sender.app, session, [...events, { eventType: 'Broken' }])).statusCode).toBe(
        202,
      );
    }
    const [playerId, waitingId] = [await playerIdOf(harness, erased), await playerIdOf(harness, waiting)];
    await requestDeletion(harness, erased);
    await erase(harness);
    await harness.pool.query('update games set erasure_wait_days = 7');
    await requestDeletion(harness, waiting);

    node = await addQueuedNode(harness, nats());
    await expectApplied(harness.pool, nats(), other.userId, 2);
    await expectDrained(nats());
    expect(await tablesNaming(harness, [erased.userId, 'queued-erased'], playerId)).toEqual([]);
    const { rows } = await harness.pool.query('select from event_blocks where player_id = $1', [waitingId]);
    expect(rows).toEqual([]);
    expect((await harness.pool.query('select from failed_events where game_id = 0')).rows).toEqual([]);
    await sender.close();
  });
});

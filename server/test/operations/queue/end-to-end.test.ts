import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { storedEvents } from '../../support/data-calls.js';
import { adImpression, createHarness, type Harness, postEvents } from '../../support/harness.js';
import { NATS_SERVER, type NatsServer, NEEDS_NATS, startNatsServer } from '../../support/nats-server.js';
import { addQueuedNode, expectApplied, type QueuedNode, withSession } from '../../support/queue-harness.js';

describe.skipIf(NATS_SERVER === undefined)(`events through JetStream${NEEDS_NATS}`, () => {
  let server: NatsServer;
  let harness: Harness;
  let nodes: [QueuedNode, QueuedNode];
  const nats = () => server.config('END_TO_END');

  beforeAll(async () => {
    server = await startNatsServer();
    harness = await createHarness();
    nodes = [await addQueuedNode(harness, nats()), await addQueuedNode(harness, nats())];
  });
  afterAll(async () => {
    for (const node of nodes ?? []) await node.close();
    await harness?.close();
    await server?.dispose();
  });

  const batch = (size: number, label: string, filler = '') =>
    Array.from({ length: size }, (_, n) => {
      const event = adImpression(n, harness.clock.now() - n * 1000);
      return { ...event, payload: { ...event.payload, campaignId: label, filler } };
    });

  it('get a response without `duplicates`, whichever node took them, and appear in the row', async () => {
    const session = await harness.login('two-nodes');
    for (const [n, { app }] of nodes.entries()) {
      const response = await postEvents(app, session, batch(20, `node ${n}`));
      expect(response.statusCode).toBe(202);
      expect(response.json()).toEqual({ data: { accepted: 20, rejected: [] }, status: 'success' });
    }
    await expectApplied(harness.pool, nats(), session.userId, 40);
  });

  it('count once, however often a batch is sent: whole, in parts, reversed, to either node', async () => {
    const session = await harness.login('again');
    const events = batch(30, 'again');
    for (let round = 0; round < 3; round++) {
      for (const { app } of nodes) {
        // The whole batch again is dropped by the stream; its parts are other messages, known to the database only.
        for (const sent of [events, events.slice(round * 5), events.toReversed()]) {
          const response = await postEvents(app, session, sent);
          expect(response.json().data).toEqual({ accepted: sent.length, rejected: [] });
        }
      }
    }
    await expectApplied(harness.pool, nats(), session.userId, 30);
  });

  it('read back as they were sent', async () => {
    const session = await harness.login('exact');
    const sent = {
      eventType: 'Ünïcödé "quoted" \\ \u2028',
      timestamp: '2026-03-01T12:00:00.123456789+02:00',
      payload: { text: 'a"b\\c\n\u0001😀', number: 1e-7, list: [1, [2, { deep: null }]], 7: 'x' },
      metadata: { country: 'DE', locale: 'de-DE' },
      eventId: 'n"1\\',
    };
    await postEvents(nodes[0].app, session, [sent]);
    await expectApplied(harness.pool, nats(), session.userId, 1);
    expect(await storedEvents(harness.pool, session.userId)).toEqual([
      {
        eventType: sent.eventType,
        payload: sent.payload,
        metadata: sent.metadata,
        eventId: sent.eventId,
        occurredAt: '2026-03-01 10:00:00.123456+00',
        timestampText: sent.timestamp,
        clockSuspect: expect.any(Boolean),
      },
    ]);
  });

  it('of a batch larger than a message are split, and all there before the response', async () => {
    const session = await harness.login('large');
    const events = batch(100, 'large', '"'.repeat(4_500));
    expect(JSON.stringify(events).length).toBeGreaterThan(900_000);
    const before = await publishedMessages();
    const response = await postEvents(nodes[0].app, session, events);
    expect(response.json().data).toEqual({ accepted: 100, rejected: [] });
    expect((await publishedMessages()) - before).toBeGreaterThan(3);
    await expectApplied(harness.pool, nats(), session.userId, 100);
  });

  it('that are bad go the same way, to the inbox', async () => {
    const session = await harness.login('mixed');
    const good = adImpression(1, harness.clock.now());
    const bad = { ...good, timestamp: 'yesterday' };
    const mixed = await postEvents(nodes[0].app, session, [good, bad]);
    expect(mixed.statusCode).toBe(202);
    expect(mixed.json().data).toMatchObject({
      accepted: 1,
      rejected: [{ index: 1, code: 'timestamp_malformed' }],
    });
    const onlyBad = await postEvents(nodes[1].app, session, [{ ...bad, timestamp: 'tomorrow' }]);
    expect(onlyBad.statusCode).toBe(400);

    await expectApplied(harness.pool, nats(), session.userId, 1);
    await expect
      .poll(() => inboxOf(session.userId))
      .toEqual([
        { code: 'timestamp_malformed', raw: JSON.stringify({ ...bad, timestamp: 'tomorrow' }) },
        { code: 'timestamp_malformed', raw: JSON.stringify(bad) },
      ]);
  });

  it('are all gone from the stream: a message stays until it is applied, and no longer', async () => {
    await withSession(nats(), async ({ jsm }) => {
      const { config, state } = await jsm.streams.info('END_TO_END');
      expect(state.messages).toBe(0);
      expect(config).toMatchObject({
        retention: 'workqueue',
        storage: 'file',
        discard: 'new',
        max_age: 0,
        duplicate_window: 120e9,
      });
    });
  });

  async function publishedMessages(): Promise<number> {
    const { values } = (await nodes[0].ctx.metrics.registry
      .getSingleMetric('savepoint_queue_published_messages_total')
      ?.get()) ?? { values: [] };
    return values[0]?.value ?? 0;
  }

  /** Sorted: two nodes sent them, so the queue has them in either order. */
  async function inboxOf(userId: string): Promise<unknown[]> {
    const { rows } = await harness.pool.query(
      `select f.code, f.raw from failed_events f join players p on p.id = f.player_id
       where p.user_id = $1 order by f.raw collate "C"`,
      [userId],
    );
    return rows;
  }
});

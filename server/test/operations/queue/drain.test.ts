import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  adImpression,
  createHarness,
  type Harness,
  postEvents,
  type Session,
} from '../../support/harness.js';
import { NATS_SERVER, type NatsServer, NEEDS_NATS, startNatsServer } from '../../support/nats-server.js';
import { addQueuedNode, expectDrained, type QueuedNode } from '../../support/queue-harness.js';

const PLAYERS = 30;
const BATCHES = 12;
const BATCH_SIZE = 20;

describe.skipIf(NATS_SERVER === undefined)(`a full stream${NEEDS_NATS}`, () => {
  let server: NatsServer;
  let harness: Harness;
  const nodes: QueuedNode[] = [];
  const nats = () => server.config('DRAIN', { partitions: 16 });

  beforeAll(async () => {
    server = await startNatsServer();
    harness = await createHarness();
  });
  afterAll(async () => {
    for (const node of nodes) await node.close();
    await harness?.close();
    await server?.dispose();
  });

  it('is drained by two consumers to the right totals, with every batch sent twice', async () => {
    const { pool, clock } = harness;
    const intake = await addQueuedNode(harness, { ...nats(), consume: false });
    nodes.push(intake);
    const players = await Promise.all(Array.from({ length: PLAYERS }, (_, n) => harness.login(`drain-${n}`)));
    const purchase = (player: number, n: number) => ({
      eventType: 'Purchase',
      timestamp: new Date(clock.now() - n * 1000).toISOString(),
      payload: { transactionId: `t-${player}-${n}`, price: 0.1, currency: 'EUR', skuId: 's' },
    });
    const batch = (player: number, b: number) => [
      purchase(player, b),
      ...Array.from({ length: BATCH_SIZE - 1 }, (_, n) =>
        adImpression(b * 100 + n, clock.now() - n * 60_000),
      ),
    ];
    for (let b = 0; b < BATCHES; b++) {
      const sent = await Promise.all(
        players.flatMap((session: Session, player) => [
          postEvents(intake.app, session, batch(player, b)),
          // The same events as another message.
          postEvents(intake.app, session, batch(player, b).slice(1)),
        ]),
      );
      for (const response of sent) expect(response.statusCode, response.body).toBe(202);
    }
    const untouched = await pool.query('select sum(event_count)::int as n from players');
    expect(untouched.rows[0].n).toBe(0);

    nodes.push(...(await Promise.all([addQueuedNode(harness, nats()), addQueuedNode(harness, nats())])));
    await expectDrained(nats());

    const { rows } = await pool.query(
      'select event_count, purchase_count, spend, event_counts from players order by id',
    );
    expect(rows).toHaveLength(PLAYERS);
    for (const row of rows) {
      expect(row).toEqual({
        event_count: String(BATCHES * BATCH_SIZE),
        purchase_count: BATCHES,
        spend: { EUR: 1.2 },
        event_counts: { Ad_Impression: BATCHES * (BATCH_SIZE - 1), Purchase: BATCHES },
      });
    }
    const stored = await pool.query('select count(*)::int as n from events');
    expect(stored.rows[0].n).toBe(PLAYERS * BATCHES * BATCH_SIZE);
    const rollup = await pool.query('select sum(events)::int as n from game_days');
    expect(rollup.rows[0].n).toBe(PLAYERS * BATCHES * BATCH_SIZE);
  });
});

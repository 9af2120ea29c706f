import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectCounts, get, playerAggregates, storedEvents } from '../../../support/data-calls.js';
import {
  adImpression,
  createHarness,
  type Harness,
  postEvents,
  type Session,
} from '../../../support/harness.js';

describe('an eventId names an event within its player', () => {
  let harness: Harness;
  let second: FastifyInstance;
  let session: Session;
  let devices = 0;
  beforeAll(async () => {
    harness = await createHarness();
    second = (await harness.addNode()).app;
  });
  afterAll(() => harness.close());

  const newPlayer = async () => {
    session = await harness.login(`named-${++devices}`);
    return session;
  };
  const named = (eventId: string, overrides: Record<string, unknown> = {}) =>
    adImpression(1, harness.clock.now(), { eventId, ...overrides });
  const send = (events: unknown[], app = harness.app) => postEvents(app, session, events);
  const purchase = (eventId: string | undefined, transactionId: string) =>
    named(eventId as string, {
      eventId,
      eventType: 'Purchase',
      payload: { transactionId, price: '1.00', currency: 'USD' },
    });

  it('the first with a name counts, whatever payload, metadata or type comes later', async () => {
    await newPlayer();
    expectCounts(await send([named('a')]), { accepted: 1, duplicates: 0 });
    for (const other of [{ payload: {} }, { metadata: {} }, { eventType: 'Other' }]) {
      expectCounts(await send([named('a', other)], second), { accepted: 0, duplicates: 1 });
    }
    expect(await storedEvents(harness.pool, session.userId)).toMatchObject([
      { eventType: 'Ad_Impression', eventId: 'a', payload: { adId: 'ad-1' } },
    ]);
  });

  it('also with another timestamp, which would lie in another partition', async () => {
    await newPlayer();
    expectCounts(await send([named('a')]), { accepted: 1, duplicates: 0 });
    for (const timestamp of [
      '2026-01-01T00:00:00.000Z',
      '1970-01-01T00:00:00Z',
      '9999-12-31T23:59:59.999Z',
    ]) {
      expectCounts(await send([named('a', { timestamp })], second), { accepted: 0, duplicates: 1 });
    }
    expect(await storedEvents(harness.pool, session.userId)).toHaveLength(1);
  });

  it('of a whole batch with one name the first counts', async () => {
    await newPlayer();
    const at = (n: number) => new Date(harness.clock.now() - n).toISOString();
    const batch = Array.from({ length: 500 }, (_, n) => named('a', { timestamp: at(n), payload: { n } }));
    expectCounts(await send(batch), { accepted: 1, duplicates: 499 });
    expect(await storedEvents(harness.pool, session.userId)).toMatchObject([{ payload: { n: 0 } }]);
    const { event_count } = await playerAggregates(harness.pool, session.userId);
    expect(event_count).toBe('1');
  });

  it('what does not count says nothing about the player either', async () => {
    await newPlayer();
    const told = (country: string, timestamp: string) => named('a', { metadata: { country }, timestamp });
    const now = new Date(harness.clock.now()).toISOString();
    const before = new Date(harness.clock.now() - 1000).toISOString();
    expectCounts(await send([told('DE', before), told('FR', now), told('AT', before)]), {
      accepted: 1,
      duplicates: 2,
    });
    const { rows } = await harness.pool.query('select profile from players where user_id = $1', [
      session.userId,
    ]);
    expect(rows[0].profile.country.v).toBe('DE');
  });

  it('within one batch the first counts', async () => {
    await newPlayer();
    const events = [
      named('a', { payload: { adId: 'first' }, timestamp: '2026-03-01T00:00:00.000Z' }),
      named('a', { payload: { adId: 'second' }, timestamp: '2026-02-01T00:00:00.000Z' }),
      named('b'),
      named('a'),
    ];
    expectCounts(await send(events), { accepted: 2, duplicates: 2 });
    const stored = await storedEvents(harness.pool, session.userId);
    expect(stored.filter(({ eventId }) => eventId === 'a')).toMatchObject([{ payload: { adId: 'first' } }]);
  });

  it('when 20 arrive at once with different timestamps, at two nodes', async () => {
    await newPlayer();
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        send(
          [named('race', { timestamp: new Date(harness.clock.now() - n * 86_400_000).toISOString() })],
          n % 2 === 0 ? harness.app : second,
        ),
      ),
    );
    const accepted = responses.map((response) => response.json().data.accepted);
    expect(accepted.filter((each) => each === 1)).toHaveLength(1);
    expect(await playerAggregates(harness.pool, session.userId)).toMatchObject({ event_count: '1' });
  });

  it('different names make two of otherwise identical events', async () => {
    await newPlayer();
    expectCounts(await send([named('a'), named('b'), named('A'), named(' a')]), {
      accepted: 4,
      duplicates: 0,
    });
  });

  it('two players may use the same name', async () => {
    await newPlayer();
    expectCounts(await send([named('shared')]), { accepted: 1, duplicates: 0 });
    await newPlayer();
    expectCounts(await send([named('shared')]), { accepted: 1, duplicates: 0 });
  });

  it('a repeated name makes no second purchase of another transaction', async () => {
    await newPlayer();
    const first = await newTransaction();
    const another = await newTransaction();
    expectCounts(await send([purchase('p', first)]), { accepted: 1, duplicates: 0 });
    expectCounts(await send([purchase('p', another)]), { accepted: 0, duplicates: 1 });
    expectCounts(await send([purchase('q', another), purchase('q', await newTransaction())]), {
      accepted: 1,
      duplicates: 1,
    });
    expect(await playerAggregates(harness.pool, session.userId)).toMatchObject({
      purchase_count: 2,
      spend: '{"USD": 2}',
    });
  });

  it('a repeated name turns no other event into a purchase, nor a purchase into a refund', async () => {
    await newPlayer();
    const transactionId = await newTransaction();
    await send([named('a')]);
    expectCounts(await send([purchase('a', transactionId)]), { accepted: 0, duplicates: 1 });
    expect((await get(second, '/v1/player/status', session)).json().isPayer.value).toBe(false);

    await send([purchase('b', transactionId)]);
    const refund = named('b', { eventType: 'Refund', payload: { transactionId } });
    expectCounts(await send([refund]), { accepted: 0, duplicates: 1 });
    expect((await get(second, '/v1/player/status', session)).json().isPayer.value).toBe(true);
  });

  let transactions = 0;
  const newTransaction = async () => `named-transaction-${++transactions}`;
});

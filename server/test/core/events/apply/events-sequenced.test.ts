import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EVENT_LIMITS } from '../../../../src/core/events/intake/limits.js';
import {
  expectCounts,
  expectGeneralError,
  playerAggregates,
  storedEvents,
} from '../../../support/data-calls.js';
import { createHarness, type Harness, type Session } from '../../../support/harness.js';

describe('numbered events', () => {
  let harness: Harness;
  let second: FastifyInstance;
  let session: Session;
  let installId: string;
  let devices = 0;
  beforeAll(async () => {
    harness = await createHarness();
    second = (await harness.addNode()).app;
  });
  afterAll(() => harness.close());

  const newPlayer = async () => {
    session = await harness.login(`numbered-${++devices}`);
    installId = randomUUID();
  };
  const event = (seq: unknown, more: Record<string, unknown> = {}) => ({
    eventType: 'Custom',
    timestamp: new Date(harness.clock.now() - 1_000).toISOString(),
    payload: { n: 1 },
    seq,
    ...more,
  });
  const events = (first: number, last: number) =>
    Array.from({ length: last - first + 1 }, (_, n) => event(first + n));
  const send = (
    batch: readonly unknown[],
    { app = harness.app, install = installId, headers = {} as Record<string, string> } = {},
  ) =>
    app.inject({
      method: 'POST',
      url: '/v1/events',
      headers: {
        ...session.headers,
        'x-install-id': install,
        'content-type': 'application/json',
        ...headers,
      },
      payload: JSON.stringify(batch),
    });
  const count = async () => Number((await playerAggregates(harness.pool, session.userId)).event_count);
  const gaps = async () => {
    const { rows } = await harness.pool.query(
      `select g.first_seq::int as first, g.last_seq::int as last, g.client_build as build, g.platform
       from event_gaps g join players p on p.id = g.player_id where p.user_id = $1 order by 1`,
      [session.userId],
    );
    return rows;
  };

  it('count once by their number, whatever they hold and however they come', async () => {
    await newPlayer();
    expectCounts(await send(events(1, 10)), { accepted: 10, duplicates: 0 });
    expectCounts(await send(events(1, 10), { app: second }), { accepted: 0, duplicates: 10 });
    expectCounts(await send(events(6, 15).toReversed()), { accepted: 5, duplicates: 5 });
    const other = [event(3, { eventType: 'Other' }), event(16, { eventType: 'Other' }), event(16)];
    expectCounts(await send(other), { accepted: 1, duplicates: 2 });
    harness.clock.advance(300 * 86_400_000);
    session = await harness.login(session.deviceId);
    expectCounts(await send(events(1, 16)), { accepted: 0, duplicates: 16 });
    expect(await count()).toBe(16);
    expect(await gaps()).toEqual([]);
    expect((await storedEvents(harness.pool, session.userId)).length).toBe(16);
  });

  it('count once when 20 copies arrive at once, at two nodes', async () => {
    await newPlayer();
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, n) => send(events(1, 5), { app: n % 2 === 0 ? harness.app : second })),
    );
    expect(responses.map(({ statusCode }) => statusCode)).toEqual(responses.map(() => 202));
    expect(responses.reduce((sum, response) => sum + response.json().data.accepted, 0)).toBe(5);
    expect(await count()).toBe(5);
  });

  it('are told apart by installation and by player', async () => {
    await newPlayer();
    const first = installId;
    expectCounts(await send(events(1, 3)), { accepted: 3, duplicates: 0 });
    expectCounts(await send(events(1, 3), { install: 'another' }), { accepted: 3, duplicates: 0 });
    await newPlayer();
    expectCounts(await send(events(1, 3), { install: first }), { accepted: 3, duplicates: 0 });
  });

  it('keep name and number; without the header the number is ignored', async () => {
    await newPlayer();
    expectCounts(await send([event(1, { eventId: 'a' }), event(2, { eventId: 'a' })]), {
      accepted: 2,
      duplicates: 0,
    });
    expect((await storedEvents(harness.pool, session.userId)).map(({ eventId }) => eventId)).toEqual([
      'a',
      'a',
    ]);
    const plain = await harness.app.inject({
      method: 'POST',
      url: '/v1/events',
      headers: { ...session.headers, 'content-type': 'application/json' },
      payload: JSON.stringify([event('x', { payload: { plain: true } })]),
    });
    expectCounts(plain, { accepted: 1, duplicates: 0 });
  });

  it('stand beside events without a number, which are named as before', async () => {
    await newPlayer();
    const mixed = [event(1), event(undefined, { eventId: 'b' }), event(undefined, { payload: { c: 1 } })];
    expectCounts(await send(mixed), { accepted: 3, duplicates: 0 });
    expectCounts(await send(mixed, { app: second }), { accepted: 0, duplicates: 3 });
    expect(await count()).toBe(3);
  });

  it.each([0, -1, 1.5, '1', true, {}, 2 ** 53])('the number %j is rejected', async (seq) => {
    await newPlayer();
    const response = await send([event(1), event(seq)]);
    expect(response.json().data).toMatchObject({
      accepted: 1,
      rejected: [{ index: 1, code: 'sequence_invalid' }],
    });
  });

  it('refuses an install id that is empty, too long, or sent twice', async () => {
    await newPlayer();
    for (const install of ['', 'x'.repeat(65), 'a, b', 'ä']) {
      expectGeneralError(await send(events(1, 1), { install }), 400, 'header_invalid');
    }
    expectCounts(await send(events(1, 1), { install: 'x'.repeat(64) }), { accepted: 1, duplicates: 0 });
  });

  it('remember what is missing, and forget it when it comes', async () => {
    await newPlayer();
    const headers = { 'x-client-build': '1.42' };
    const onPhone = { metadata: { osName: 'Android' } };
    await send([event(5, onPhone)], { headers });
    expect(await gaps()).toEqual([{ first: 1, last: 4, build: '1.42', platform: 'Android' }]);
    await send([event(2), event(9)], { headers: { 'x-client-build': '1.43' } });
    expect(await gaps()).toMatchObject([
      { first: 1, last: 1, build: '1.42' },
      { first: 3, last: 4, build: '1.42' },
      { first: 6, last: 8, build: '1.43' },
    ]);
    await send(events(1, 8), { app: second });
    expect(await gaps()).toEqual([]);
    expect(await count()).toBe(9);
  });

  it('are not missing any more when exactly the missing ones come', async () => {
    await newPlayer();
    await send(events(4, 6));
    expect(await gaps()).toMatchObject([{ first: 1, last: 3 }]);
    expectCounts(await send(events(1, 3), { app: second }), { accepted: 3, duplicates: 0 });
    expect(await gaps()).toEqual([]);
    expectCounts(await send(events(7, 8)), { accepted: 2, duplicates: 0 });
    expect(await gaps()).toEqual([]);
  });

  it('an event that arrived and was rejected is not missing', async () => {
    await newPlayer();
    const response = await send([event(1), event(2, { timestamp: 'never' }), event(3)]);
    expect(response.json().data).toMatchObject({ accepted: 2, rejected: [{ index: 1 }] });
    expectGeneralError(await send([event(4, { payload: 1 })]), 400, 'events_rejected');
    expectCounts(await send([event(5)]), { accepted: 1, duplicates: 0 });
    expect(await gaps()).toEqual([]);
    expectCounts(await send([event(2)]), { accepted: 0, duplicates: 1 });
  });

  it('a number that leaves one gap too many is rejected, and says so; others are taken', async () => {
    await newPlayer();
    const { maxSequenceGaps } = EVENT_LIMITS;
    const sparse = Array.from({ length: maxSequenceGaps }, (_, n) => event(2 * n + 2));
    expectCounts(await send(sparse), { accepted: maxSequenceGaps, duplicates: 0 });
    const next = 2 * maxSequenceGaps + 1;
    const tooFar = event(next + 10);
    const response = await send([tooFar, event(next)]);
    expect(response.json().data).toMatchObject({
      accepted: 1,
      rejected: [{ index: 0, code: 'sequence_too_sparse' }],
    });
    const { rows } = await harness.pool.query(
      `select f.code, f.raw from failed_events f join players p on p.id = f.player_id where p.user_id = $1`,
      [session.userId],
    );
    expect(rows).toEqual([{ code: 'sequence_too_sparse', raw: JSON.stringify(tooFar) }]);
    // What was lost arrives after all: then there is room again.
    expectCounts(await send([event(1), event(next + 10)]), { accepted: 2, duplicates: 0 });
    expect((await gaps()).length).toBe(maxSequenceGaps);
    expect(await count()).toBe(maxSequenceGaps + 3);
  });

  it('a player with too many installations cannot add another', async () => {
    await newPlayer();
    await send(events(1, 1));
    await harness.pool.query(
      `insert into event_installs (player_id, install_id, seen)
       select id, 'made-' || n, '{[1,2)}' from players, generate_series(1, $2::int) n where user_id = $1`,
      [session.userId, EVENT_LIMITS.maxInstalls - 1],
    );
    expectCounts(await send(events(2, 2)), { accepted: 1, duplicates: 0 });
    expectGeneralError(await send(events(1, 1), { install: 'one-more' }), 400, 'events_rejected');
  });

  it('a purchase counts by its number, also without a transactionId', async () => {
    await newPlayer();
    const buy = (seq: number) =>
      event(seq, { eventType: 'Purchase', payload: { price: 1, currency: 'USD' } });
    await send([buy(1), buy(2)]);
    await send([buy(1), buy(2)], { app: second });
    const { purchase_count, spend } = await playerAggregates(harness.pool, session.userId);
    expect({ purchase_count, spend }).toEqual({ purchase_count: 2, spend: '{"USD": 2}' });
  });
});

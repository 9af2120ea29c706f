import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectCounts, playerAggregates, storedEvents } from '../../../support/data-calls.js';
import {
  adImpression,
  createHarness,
  type Harness,
  postEvents,
  type Session,
} from '../../../support/harness.js';
import { addStudio } from '../../../support/session-calls.js';

const DAY_MS = 86_400_000;

describe('each event counts once', () => {
  let harness: Harness;
  let second: FastifyInstance;
  beforeAll(async () => {
    harness = await createHarness();
    second = (await harness.addNode()).app;
  });
  afterAll(() => harness.close());

  const batch = (length: number) =>
    Array.from({ length }, (_, n) => adImpression(n, harness.clock.now() - n * 1_000));
  const countOf = async ({ userId }: Session) => {
    const { event_count, event_counts } = await playerAggregates(harness.pool, userId);
    const stored = await storedEvents(harness.pool, userId);
    expect(Number(event_count)).toBe(stored.length);
    return event_counts;
  };

  it('however often a batch is sent', async () => {
    const session = await harness.login('often');
    const events = batch(20);
    expectCounts(await postEvents(harness.app, session, events), { accepted: 20, duplicates: 0 });
    for (let n = 0; n < 25; n++) {
      expectCounts(await postEvents(harness.app, session, events), { accepted: 0, duplicates: 20 });
    }
    expect(await countOf(session)).toEqual({ Ad_Impression: 20 });
  });

  it('when 20 copies arrive at once, in any order, at two nodes: exactly one of them is new', async () => {
    const session = await harness.login('at-once');
    const events = batch(20);
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        postEvents(
          n % 2 === 0 ? harness.app : second,
          session,
          rotate(n % 3 === 0 ? events.toReversed() : events, n),
        ),
      ),
    );
    for (const response of responses) expect(response.statusCode, response.body).toBe(202);
    const accepted = responses.map((response) => response.json().data.accepted);
    expect(accepted.reduce((sum, each) => sum + each, 0)).toBe(20);
    expect(await countOf(session)).toEqual({ Ad_Impression: 20 });
  });

  it('when crossing batches of several players arrive at two nodes at once', async () => {
    const sessions = await Promise.all(['cross-1', 'cross-2', 'cross-3'].map((id) => harness.login(id)));
    const events = batch(30);
    const sends = sessions.flatMap((session, n) =>
      [harness.app, second, harness.app, second].map((app, m) =>
        postEvents(app, session, rotate(events, 7 * n + m)),
      ),
    );
    for (const response of await Promise.all(sends)) expect(response.statusCode, response.body).toBe(202);
    for (const session of sessions) expect(await countOf(session)).toEqual({ Ad_Impression: 30 });
  });

  it('when a part of a batch is sent again, with new events around it', async () => {
    const session = await harness.login('partial');
    const events = batch(10);
    await postEvents(harness.app, session, events.slice(0, 6));
    expectCounts(await postEvents(second, session, events.slice(3)), { accepted: 4, duplicates: 3 });
    expectCounts(await postEvents(harness.app, session, events), { accepted: 0, duplicates: 10 });
    expect(await countOf(session)).toEqual({ Ad_Impression: 10 });
  });

  it('identical events within one batch are two events, and stay two', async () => {
    const session = await harness.login('twins');
    const [event] = batch(1);
    expectCounts(await postEvents(harness.app, session, [event, event, event]), {
      accepted: 3,
      duplicates: 0,
    });
    expectCounts(await postEvents(second, session, [event, event, event]), { accepted: 0, duplicates: 3 });
    expectCounts(await postEvents(second, session, [event]), { accepted: 0, duplicates: 1 });
    expectCounts(await postEvents(second, session, [event, event, event, event]), {
      accepted: 1,
      duplicates: 3,
    });
    expect(await countOf(session)).toEqual({ Ad_Impression: 4 });
  });

  it('next week, too, and in a month', async () => {
    const device = 'next-week';
    const events = batch(5);
    await postEvents(harness.app, await harness.login(device), events);
    const start = harness.clock.now();
    try {
      for (const days of [7, 30, 200]) {
        harness.clock.set(start + days * DAY_MS);
        const later = await harness.login(device);
        const before = await playerAggregates(harness.pool, later.userId);
        expectCounts(await postEvents(second, later, events), { accepted: 0, duplicates: 5 });
        expect(await playerAggregates(harness.pool, later.userId)).toEqual(before);
      }
    } finally {
      harness.clock.set(start);
    }
  });

  it('the order of members and the spelling of an instant or a number do not matter', async () => {
    const session = await harness.login('spelling');
    const spellings = [
      '{"eventType":"S","timestamp":"2026-01-01T00:00:00Z","payload":{"a":1,"b":{"c":"é","d":2}},"metadata":{}}',
      '{"payload":{"b":{"d":2.0,"c":"\\u00e9"},"a":1e0},"timestamp":"2026-01-01T00:00:00+00:00","eventType":"S"}',
      '{"eventType":"S","timestamp":"2026-01-01T00:00:00.000Z","payload":{"a":1,"a":1,"b":{"c":"\\u00E9","d":2}}}',
      '{"eventType":"S","timestamp":"2026-01-01T05:30:00.000000000+05:30","payload":{ "a":1, "b":{"c":"é","d":20e-1} }}',
    ];
    const events = spellings.map((text) => JSON.parse(text));
    expectCounts(await postEvents(harness.app, session, [events[0]]), { accepted: 1, duplicates: 0 });
    for (const event of events) {
      expectCounts(await postEvents(harness.app, session, [event]), { accepted: 0, duplicates: 1 });
    }
  });

  it('any difference makes another event', async () => {
    const session = await harness.login('differences');
    const event = { eventType: 'D', timestamp: '2026-01-01T00:00:00.000Z', payload: { a: 1 }, metadata: {} };
    const others = [
      event,
      { ...event, eventType: 'd' },
      { ...event, timestamp: '2026-01-01T00:00:00.000000001Z' },
      { ...event, timestamp: '2026-01-01T00:00:00.001Z' },
      { ...event, payload: { a: '1' } },
      { ...event, payload: { a: [1] } },
      { ...event, payload: {}, metadata: { a: 1 } },
      { ...event, metadata: { a: null } },
    ];
    expectCounts(await postEvents(harness.app, session, others), { accepted: others.length, duplicates: 0 });
  });

  it('a player of another studio with the same device and the same events is another player', async () => {
    const studio = await addStudio(harness, 'twin-studio', 'demo-game');
    const [ours, theirs] = [await harness.login('shared-device'), await studio.login('shared-device')];
    const events = batch(5).map((event, n) => ({ ...event, ...(n > 2 ? { eventId: `id-${n}` } : {}) }));
    expectCounts(await postEvents(harness.app, ours, events), { accepted: 5, duplicates: 0 });
    expectCounts(await postEvents(harness.app, theirs, events), { accepted: 5, duplicates: 0 });
    for (const session of [ours, theirs]) expect(await countOf(session)).toEqual({ Ad_Impression: 5 });
  });
});

function rotate<T>(items: readonly T[], by: number): T[] {
  const at = by % items.length;
  return [...items.slice(at), ...items.slice(0, at)];
}

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { NO_STORES } from '../../../src/core/events/receipts/store-settings.js';
import {
  type FailedGroup,
  findFailedEvent,
  listFailedEvents,
} from '../../../src/insight/failed-events/failed-event-queries.js';
import {
  type ReplayProgress,
  type ReplayTools,
  replayFailedEvent,
  replayFailedGroup,
} from '../../../src/insight/failed-events/replay.js';
import { saveStores } from '../../../src/trust/stores/store-settings-queries.js';
import { playerAggregates, postBytes, storedEvents, withoutRateLimits } from '../../support/data-calls.js';
import { createHarness, type Harness, postEvents, type Session, testActor } from '../../support/harness.js';
import {
  demoGameId,
  gameEvent,
  registerPayload,
  registerSchema,
  rejectedCodes,
} from '../../support/registry-calls.js';
import { addServerKey, call } from '../../support/server-calls.js';

describe('replaying failed events', () => {
  let harness: Harness;
  let tools: ReplayTools;
  let gameId: number;
  beforeAll(async () => {
    harness = await createHarness({ settings: withoutRateLimits() });
    const { pool, registries, receipts, erasureHashes: hashes } = harness.ctx;
    tools = { pool, registries, receipts, hashes };
    gameId = await demoGameId(harness.pool);
  });
  afterAll(() => harness.close());

  const group = (eventType: string, code = 'schema_mismatch'): FailedGroup => ({ gameId, code, eventType });
  const replay = (id: string, edited?: string) =>
    replayFailedEvent(tools, id, {
      actor: testActor(harness.clock.now()),
      ...(edited === undefined ? {} : { edited }),
    });
  const replayAll = (which: FailedGroup, onProgress: (progress: ReplayProgress) => void = () => {}) =>
    replayFailedGroup(tools, which, { actor: testActor(harness.clock.now()), onProgress });
  const idsOf = async ({ userId }: Session): Promise<string[]> => {
    const { rows } = await harness.pool.query<{ id: string }>(
      'select f.id from failed_events f join players p on p.id = f.player_id where p.user_id = $1 order by f.id',
      [userId],
    );
    return rows.map(({ id }) => id);
  };
  const onlyIdOf = async (session: Session): Promise<string> => (await idsOf(session))[0] ?? 'none';
  const openTotal = async () => {
    const { rows } = await harness.pool.query(
      `select (select sum(entries)::int from failed_event_totals) as kept,
         (select count(*)::int from failed_events where replayed_at is null) as counted`,
    );
    expect(rows[0].kept).toBe(rows[0].counted);
    return rows[0].kept;
  };

  it('takes purchases of a server of the studio as proved, as the intake does', async () => {
    const { app, pool, clock } = harness;
    await saveStores(pool, gameId, { ...NO_STORES, counts: 'verified' }, testActor(clock.now()));
    const keys = [
      { scopes: ['events:write', 'purchases:write'], counted: 1 },
      { scopes: ['events:write'], counted: 0 },
    ] as const;
    for (const { scopes, counted } of keys) {
      await registerPayload(pool, 'Purchase', false);
      const player = await harness.login(`server-purchase-${counted}`);
      const { userId } = player;
      const { headers } = await addServerKey(harness, { scopes });
      const payload = { transactionId: `of-server-${counted}`, price: 5, currency: 'USD' };
      const bought = {
        eventType: 'Purchase',
        timestamp: new Date(clock.now()).toISOString(),
        payload,
        userId,
      };
      const sent = await call(app, { method: 'POST', url: '/v1/server/events', headers, payload: [bought] });
      expect(rejectedCodes(sent)).toEqual(['schema_mismatch']);
      await registerPayload(pool, 'Purchase', true);
      expect(await replay(await onlyIdOf(player))).toMatchObject({ outcome: 'replayed' });
      expect(await playerAggregates(pool, userId)).toMatchObject({ purchase_count: counted });
    }
    await saveStores(pool, gameId, NO_STORES, testActor(clock.now()));
  });

  it('after a schema fix all of a group count, for their players and with the time of receipt', async () => {
    const { app, pool, clock } = harness;
    await registerPayload(pool, 'Boss', false);
    const sessions = await Promise.all(['a', 'b', 'c'].map((name) => harness.login(`boss-${name}`)));
    const receivedAt = clock.now();
    for (const session of sessions) {
      const events = Array.from({ length: 150 }, (_, n) => gameEvent('Boss', n, clock.now()));
      await postEvents(app, session, [...events, ...events.slice(0, 2)]);
    }
    clock.advance(60_000);
    expect(await replayAll(group('Boss'))).toEqual({ total: 456, replayed: 0, duplicates: 0, failed: 456 });
    await registerPayload(pool, 'Boss', true);
    const progress: ReplayProgress[] = [];
    expect(await replayAll(group('Boss'), (step) => progress.push(step))).toEqual({
      total: 456,
      replayed: 456,
      duplicates: 0,
      failed: 0,
    });
    expect(progress.map(({ replayed }) => replayed)).toEqual([200, 400, 456]);
    for (const { userId } of sessions) {
      // The two duplicates within the batch are events of their own, as they would have been at intake.
      expect(await playerAggregates(pool, userId)).toMatchObject({
        event_count: '152',
        event_counts: { Boss: 152 },
      });
      const { rows } = await pool.query(
        'select distinct received_at from events e join players p on p.id = e.player_id where p.user_id = $1',
        [userId],
      );
      expect(rows).toEqual([{ received_at: receivedAt }]);
    }
    expect(await replayAll(group('Boss'))).toEqual({ total: 0, replayed: 0, duplicates: 0, failed: 0 });
    expect(await openTotal()).toBe(0);

    // Sent again by clients that never got their response, now that they pass: known already, duplicates included.
    for (const session of sessions) {
      const events = Array.from({ length: 150 }, (_, n) => gameEvent('Boss', n, receivedAt));
      const again = await postEvents(app, session, [...events, ...events.slice(0, 2)]);
      expect(again.json().data).toMatchObject({ accepted: 0, duplicates: 152 });
    }
  });

  it('counts once when replays of one and of all race with each other and with the client', async () => {
    const { app, pool, clock } = harness;
    await registerPayload(pool, 'Race', false);
    const session = await harness.login('race');
    const events = Array.from({ length: 60 }, (_, n) => gameEvent('Race', n, clock.now()));
    await postEvents(app, session, events);
    const ids = await idsOf(session);
    expect(ids).toHaveLength(60);
    await registerPayload(pool, 'Race', true);
    const results = await Promise.all([
      replayAll(group('Race')),
      replayAll(group('Race')),
      ...ids.slice(0, 10).map((id) => replay(id)),
      ...ids.slice(0, 10).map((id) => replay(id)),
      postEvents(app, session, events.slice(20)),
      postEvents(app, session, events.toReversed()),
    ]);
    expect(results).toHaveLength(24);
    expect(await playerAggregates(pool, session.userId)).toMatchObject({ event_count: '60' });
    expect(await storedEvents(pool, session.userId)).toHaveLength(60);
    await replayAll(group('Race'));
    expect(await openTotal()).toBe(0);
    expect(await playerAggregates(pool, session.userId)).toMatchObject({ event_count: '60' });
  });

  it('an edited event is applied in place of the entry, once, whatever the edits', async () => {
    const { app, pool, clock } = harness;
    const session = await harness.login('edit');
    const bad = gameEvent('Purchase', 1, clock.now(), { transactionId: 't-1', price: -1, currency: 'USD' });
    await postEvents(app, session, [bad]);
    const id = await onlyIdOf(session);
    const edit = (price: number) => JSON.stringify({ ...bad, payload: { ...bad.payload, price } });

    expect(await replay(id, '{')).toMatchObject({ outcome: 'failed', reason: { code: 'event_invalid' } });
    expect(await replay(id, edit(-2))).toMatchObject({
      outcome: 'failed',
      reason: { path: '/payload/price' },
    });
    const results = await Promise.all([3, 4, 5, 3].map((price) => replay(id, edit(price))));
    expect(results.map(({ outcome }) => outcome).sort()).toEqual([
      'not_open',
      'not_open',
      'not_open',
      'replayed',
    ]);
    expect(await playerAggregates(pool, session.userId)).toMatchObject({
      event_count: '1',
      purchase_count: 1,
    });
    const entry = await findFailedEvent(pool, id);
    expect(entry).toMatchObject({
      replayedAt: clock.now(),
      code: 'payload_invalid',
      raw: JSON.stringify(bad),
    });
    expect([3, 4, 5].map(edit)).toContain(entry?.replayedAs);
    // The client sends the batch again: it is in the inbox already, and stays replayed.
    await postEvents(app, session, [bad]);
    expect(await idsOf(session)).toEqual([id]);
    expect(await replay(id)).toEqual({ outcome: 'not_open' });
  });

  it('one that still fails keeps its place with the new reason', async () => {
    const { app, pool, clock } = harness;
    await registerPayload(pool, 'Still', { required: ['a'] });
    const session = await harness.login('still');
    await postEvents(app, session, [gameEvent('Still', 1, clock.now())]);
    const id = await onlyIdOf(session);
    const before = await findFailedEvent(pool, id);
    await registerPayload(pool, 'Still', { required: ['b'] });
    clock.advance(1_000);
    expect(await replay(id)).toMatchObject({ outcome: 'failed', reason: { code: 'schema_mismatch' } });
    const message = "/payload must have required property 'b' (rule #/properties/payload/required).";
    expect(await findFailedEvent(pool, id)).toEqual({ ...before, message });
    expect(await playerAggregates(pool, session.userId)).toMatchObject({ event_count: '0' });
  });

  it('one that arrived another way is a duplicate, and done', async () => {
    const { app, pool, clock } = harness;
    await registerPayload(pool, 'Late', false);
    const session = await harness.login('late');
    const events = [gameEvent('Late', 1, clock.now())];
    await postEvents(app, session, events);
    await registerPayload(pool, 'Late', true);
    expect((await postEvents(app, session, events)).json().data).toMatchObject({ accepted: 1 });
    expect(await replay(await onlyIdOf(session))).toEqual({ outcome: 'replayed', wasNew: false });
    expect(await playerAggregates(pool, session.userId)).toMatchObject({ event_count: '1' });
  });

  it('of duplicates within a batch of which some pass, each keeps its identity', async () => {
    const { app, pool, clock } = harness;
    await registerSchema(pool, 'Extra', { properties: { extra: false } });
    const session = await harness.login('extra');
    const duplicate = gameEvent('Extra', 1, clock.now());
    const batch = [{ ...duplicate, extra: 1 }, duplicate, { ...duplicate, extra: 2 }];
    expect((await postEvents(app, session, batch)).json().data).toMatchObject({ accepted: 1 });
    await registerPayload(pool, 'Extra', {});
    expect(await replayAll(group('Extra'))).toMatchObject({ total: 2, replayed: 2, duplicates: 0 });
    expect((await postEvents(app, session, batch)).json().data).toMatchObject({ accepted: 0, duplicates: 3 });
    expect(await playerAggregates(pool, session.userId)).toMatchObject({ event_count: '3' });
  });

  it('a cut entry takes an edited event', async () => {
    const session = await harness.login('cut');
    const { app, pool, clock } = harness;
    const large = JSON.stringify(gameEvent('Large', 1, clock.now(), { x: 'x'.repeat(70_000) }));
    await postBytes(app, session, `[${large}]`);
    const id = await onlyIdOf(session);
    expect(await replay(id)).toEqual({ outcome: 'cut' });
    expect(await replayAll(group('Large', 'event_too_large'))).toMatchObject({ total: 1, failed: 1 });
    expect(await replay(id, JSON.stringify(gameEvent('Large', 1, clock.now())))).toMatchObject({
      wasNew: true,
    });
    expect(await playerAggregates(pool, session.userId)).toMatchObject({ event_counts: { Large: 1 } });
  });

  it('an event that the database refuses does not hold up its group', async () => {
    const { app, pool, clock } = harness;
    await registerPayload(pool, 'Poison', false);
    const session = await harness.login('poison');
    await postEvents(
      app,
      session,
      Array.from({ length: 5 }, (_, n) => gameEvent('Poison', n, clock.now())),
    );
    await registerPayload(pool, 'Poison', true);
    await pool.query(
      `alter table event_blocks add constraint no_poison check (not events @> '[["Poison", {"n": 2}]]')`,
    );
    expect(await replayAll(group('Poison'))).toEqual({ total: 5, replayed: 4, duplicates: 0, failed: 1 });
    const [left] = await listFailedEvents(pool, group('Poison', 'apply_failed'), { limit: 9 });
    expect(left).toMatchObject({
      raw: expect.stringContaining('"n":2'),
      message: expect.stringContaining('no_poison'),
    });
    await pool.query('alter table event_blocks drop constraint no_poison');
    expect(await replayAll(group('Poison', 'apply_failed'))).toMatchObject({ replayed: 1 });
    expect(await playerAggregates(pool, session.userId)).toMatchObject({ event_count: '5' });
  });

  it('an interrupted replay of a group goes on where it stopped', async () => {
    const { app, pool, clock } = harness;
    await registerPayload(pool, 'Stopped', false);
    const session = await harness.login('stopped');
    await postEvents(
      app,
      session,
      Array.from({ length: 450 }, (_, n) => gameEvent('Stopped', n, clock.now())),
    );
    await registerPayload(pool, 'Stopped', true);
    const stop = vi.fn(() => {
      throw new Error('interrupted');
    });
    await expect(replayAll(group('Stopped'), stop)).rejects.toThrow('interrupted');
    expect(await playerAggregates(pool, session.userId)).toMatchObject({ event_count: '200' });
    expect(await replayAll(group('Stopped'))).toMatchObject({ total: 250, replayed: 250 });
    expect(await playerAggregates(pool, session.userId)).toMatchObject({ event_count: '450' });
  });

  it('an entry of another game, or of no game, is not open', async () => {
    const session = await harness.login('elsewhere');
    await postBytes(harness.app, session, '[1]');
    const nowMs = harness.clock.now();
    const id = await onlyIdOf(session);
    expect(await replayFailedEvent(tools, id, { actor: testActor(nowMs), gameId: gameId + 1 })).toEqual({
      outcome: 'not_open',
    });
    expect(await replay('987654321')).toEqual({ outcome: 'not_open' });
  });
});

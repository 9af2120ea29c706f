import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { updateRetentionDays } from '../../../src/admin/tenants.js';
import { withOwnConnection } from '../../../src/db/own-connection.js';
import { sendAll } from '../../../src/db/pool.js';
import { recountGame } from '../../../src/features/analytics/recount.js';
import { applyEvents, countEvents } from '../../../src/features/events/apply-events.js';
import type { EventRecord } from '../../../src/features/events/event-record.js';
import { generationOf } from '../../../src/features/events/identity-generations.js';
import { moveOldEvents } from '../../../src/features/events/move-old-events.js';
import {
  estimateOldEvents,
  listOldPartitions,
  moveOldPages,
} from '../../../src/features/events/move-old-queries.js';
import { hasOldEvents } from '../../../src/features/events/old-events.js';
import { exportEvents } from '../../../src/features/exports/export-events.js';
import { streamTarget } from '../../../src/features/exports/export-target.js';
import { findFacts } from '../../../src/features/players/facts-queries.js';
import {
  adImpressionAt,
  createGameWorld,
  DAY_MS,
  type GameWorld,
  type TestEvent,
  type TestPlayer,
  toRecords,
} from '../../support/game-world.js';
import { isWaitedFor } from '../../support/locks.js';
import { rebuildOnce } from '../../support/rebuild-once.js';

const NOW = Date.parse(`${new Date().toISOString().slice(0, 10)}T12:00:00.000Z`);
const ago = (days: number) => NOW - days * DAY_MS;
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
const compactDay = (ms: number) => dayOf(ms).replaceAll('-', '');

describe('moving events of the former layout into blocks', () => {
  let world: GameWorld;
  let player: TestPlayer;
  let games = 0;
  beforeAll(async () => {
    world = await createGameWorld();
  });
  afterAll(() => world.close());
  beforeEach(async () => {
    const gameId = await world.addGame(`game-${++games}`);
    [player] = (await world.addPlayers(gameId, [ago(300)])) as [TestPlayer];
    for (const days of [3, 4, 5]) {
      const name = `old_events_${compactDay(ago(days))}`;
      await world.pool.query(
        `create table if not exists ${name} partition of old_events for values from ('${dayOf(ago(days))}Z') to ('${dayOf(ago(days - 1))}Z')`,
      );
    }
    await world.pool.query('create table if not exists old_events_default partition of old_events default');
  });

  /** As the former version stored them. */
  const storeOld = async (events: readonly TestEvent[], receivedAtMs: number) => {
    const records = toRecords(player, events, receivedAtMs);
    await world.pool.query(
      `insert into old_events (occurred_at, player_id, received_at, identity, game_id, clock_suspect, event_type, payload, metadata, event_id, timestamp_text)
       select * from unnest($1::timestamptz[], $2::bigint[], $3::timestamptz[], $4::uuid[], $5::int[], $6::bool[], $7::text[], $8::jsonb[], $9::jsonb[], $10::text[], $11::text[])`,
      [
        records.map(({ occurredAt }) => occurredAt),
        records.map(({ playerId }) => playerId),
        records.map(() => new Date(receivedAtMs)),
        records.map(({ identity }) => identity),
        records.map(({ gameId }) => gameId),
        records.map(({ clockSuspect }) => clockSuspect),
        records.map(({ eventType }) => eventType),
        records.map(({ payloadJson }) => payloadJson),
        records.map(({ metadataJson }) => metadataJson),
        records.map(({ eventId }) => eventId),
        records.map(({ timestampText }) => timestampText),
      ],
    );
    await world.pool.query(
      `insert into old_event_names select player_id, identity, occurred_at from old_events where event_id is not null
       on conflict do nothing`,
    );
    await count(records);
  };
  const count = async (records: readonly EventRecord[]) => {
    const client = await world.pool.connect();
    try {
      await sendAll(client, countEvents(records));
    } finally {
      client.release();
    }
  };
  const history = (): TestEvent[] => [
    ...Array.from({ length: 40 }, (_, n) => adImpressionAt(ago(3 + (n % 3)) + n, n)),
    { ...adImpressionAt(ago(4), 100), eventId: 'named', metadata: { country: 'DE', currency: 'EUR' } },
    {
      eventType: 'Odd "type"',
      timestamp: '2001-01-01T01:02:03.123456+02:00',
      payload: { a: [1e21, null, 'é'] },
    },
    { eventType: 'Ancient', timestamp: '0001-06-01T00:00:00.000Z', payload: {} },
    // Identical, without a transactionId: two purchases.
    purchase(ago(5)),
    purchase(ago(5)),
    purchase(ago(3), 'tx'),
    { eventType: 'Session_End', timestamp: new Date(ago(3)).toISOString(), payload: { durationMs: 1_500 } },
  ];
  const rebuilt = async (atMs: number) => {
    const { facts } = await rebuildOnce(world.url, player, atMs);
    return { ...facts, days: [...facts.days].sort((a, b) => a.epochDay - b.epochDay) };
  };
  const live = async () => {
    const [reading] = await findFacts(world.pool, [player.playerId], NOW);
    if (reading === undefined) throw new Error('there is no such player');
    const { facts } = reading;
    return { ...facts, days: [...facts.days].sort((a, b) => a.epochDay - b.epochDay) };
  };
  const stored = async () => {
    const { rows } = await world.pool.query(
      `select occurred_at, received_at, event_type, payload, metadata, event_id, timestamp_text, clock_suspect
       from events where player_id = $1 order by occurred_at, event_type, payload::text`,
      [player.playerId],
    );
    return rows;
  };
  const exported = async () => {
    const stream = new PassThrough();
    const reading = text(stream);
    const span = { from: '0001-01-01T00:00:00.000000Z', to: '9999-01-01T00:00:00.000000Z' };
    const target = streamTarget(stream);
    await exportEvents(world.pool, { gameId: player.gameId, span, format: 'ndjson', target, after: null });
    stream.end();
    const lines = (await reading).split('\n').slice(0, -1);
    return lines.map((line) => JSON.stringify(JSON.parse(line).payload)).sort();
  };
  const move = (options: { signal?: AbortSignal; onProgress?: () => void } = {}) =>
    moveOldEvents(world.pool, { nowMs: NOW, rests: false, ...options });

  it('changes no result of a read, before, in the middle and after', async () => {
    const sent = history();
    await storeOld(sent, ago(2));
    const facts = await live();
    const events = await stored();
    const check = async (oldEvents: boolean) => {
      const again = await applyEvents(world.pool, toRecords(player, sent, NOW), { oldEvents });
      expect(again).toEqual(sent.map(() => 'duplicate'));
      expect(await live()).toEqual(facts);
      expect(await rebuilt(NOW - 1)).toEqual(facts);
      expect(await stored()).toEqual(events);
      expect(await exported()).toEqual(events.map(({ payload }) => JSON.stringify(payload)).sort());
      expect((await recountGame(world.pool, player.gameId)).differences).toEqual([]);
    };
    await check(true);
    const stop = new AbortController();
    expect(await move({ signal: stop.signal, onProgress: () => stop.abort() })).toMatchObject({
      state: 'interrupted',
    });
    expect(await hasOldEvents(world.pool)).toBe(true);
    await check(true);
    expect(await move()).toMatchObject({ state: 'done' });
    expect(await hasOldEvents(world.pool)).toBe(false);
    await check(false);
    expect((await world.pool.query('select from old_event_names')).rowCount).toBe(0);
    expect(await move()).toEqual({ state: 'nothing', movedEvents: 0 });
    // An earlier moment: each event kept its own time of receipt.
    expect((await rebuilt(ago(2) - 1)).eventCount).toBe(0);
  });

  it('counts nothing twice while old events are sent again and again', async () => {
    const sent = Array.from({ length: 600 }, (_, n) => ({
      ...adImpressionAt(ago(3) + n, n),
      ...(n % 2 ? { eventId: `n-${n}` } : {}),
    }));
    await storeOld(sent, ago(3));
    let sending = true;
    const resend = async (from: number) => {
      while (sending) {
        const records = toRecords(player, sent.slice(from, from + 200), NOW);
        expect(await applyEvents(world.pool, records, { oldEvents: true })).not.toContain('new');
      }
    };
    const senders = [resend(0), resend(200), resend(400)];
    const moved = await move();
    sending = false;
    await Promise.all(senders);
    expect(moved).toEqual({ state: 'done', movedEvents: 600 });
    expect((await live()).eventCount).toBe(600);
    expect((await stored()).length).toBe(600);
  });

  it('recognises an event that is moved while intake looks for it', async () => {
    const sent = [{ ...adImpressionAt(ago(3), 1), eventId: 'named' }, adImpressionAt(ago(3), 2)];
    await storeOld(sent, ago(3));
    await withOwnConnection(world.pool, async (connection) => {
      // Keeps intake between the statements that look into the two layouts, whichever comes first, until the move has committed.
      await connection.query('begin');
      await connection.query('lock table old_event_names in access exclusive mode');
      const outcomes = applyEvents(world.pool, toRecords(player, sent, NOW), { oldEvents: true });
      await expect.poll(() => isWaitedFor(world.pool, 'old_event_names'), { timeout: 60_000 }).toBe(true);
      const partition = `old_events_${compactDay(ago(3))}`;
      expect(await moveOldPages(connection, partition, 0, 1_000, NOW)).toBe(2);
      expect(await outcomes).toEqual(['duplicate', 'duplicate']);
    });
    expect((await stored()).length).toBe(2);
  });

  it('deletes what the retention of a game no longer keeps, and still knows it', async () => {
    const sent = [adImpressionAt(ago(5), 1), adImpressionAt(ago(3), 2)];
    await storeOld(sent.slice(0, 1), ago(5));
    await storeOld(sent.slice(1), ago(3));
    await updateRetentionDays(world.pool, player.gameId, 4);
    expect(await move()).toEqual({ state: 'done', movedEvents: 2 });
    expect((await stored()).length).toBe(1);
    expect(await applyEvents(world.pool, toRecords(player, sent, NOW))).toEqual(['duplicate', 'duplicate']);
  });

  it('stores events in the partitions of their receipt, also when they were received days after they happened', async () => {
    await world.pool.query(
      `create table old_events_${compactDay(ago(200))} partition of old_events for values from ('${dayOf(ago(200))}Z') to ('${dayOf(ago(199))}Z')`,
    );
    await storeOld([adImpressionAt(ago(200), 1)], ago(150));
    await storeOld([adImpressionAt(ago(5), 2)], ago(3));
    await storeOld([adImpressionAt(ago(3), 3)], ago(3));
    expect(await move()).toEqual({ state: 'done', movedEvents: 3 });
    const { rows } = await world.pool.query(
      `select tableoid::regclass::text as name from event_blocks where player_id = $1
       union select tableoid::regclass::text from event_identities where player_id = $1 order by name`,
      [player.playerId],
    );
    const days = [ago(150), ago(3)].map((ms) => `event_blocks_${compactDay(ms)}`);
    const generations = [ago(150), ago(3)].map(
      (ms) => `event_identities_${compactDay(Date.parse(generationOf(ms)))}`,
    );
    expect(rows.map(({ name }) => name)).toEqual([...days, ...new Set(generations)]);
  });

  it('forgets the names that an interrupted move has left', async () => {
    await storeOld([{ ...adImpressionAt(ago(3)), eventId: 'named' }], ago(3));
    expect(await move()).toMatchObject({ state: 'done' });
    // As if it had been killed after its last partition.
    await world.pool.query('insert into old_event_names select 0, gen_random_uuid(), now()');
    expect(await move()).toEqual({ state: 'done', movedEvents: 0 });
    expect((await world.pool.query('select from old_event_names')).rowCount).toBe(0);
    expect(await move()).toEqual({ state: 'nothing', movedEvents: 0 });
  });

  it('moves everything else while a session reads a partition, and drops that one the next time', async () => {
    await storeOld([adImpressionAt(ago(5), 1)], ago(5));
    await storeOld([adImpressionAt(ago(3), 2)], ago(3));
    const partition = `old_events_${compactDay(ago(5))}`;
    await withOwnConnection(world.pool, async (reader) => {
      await reader.query('begin');
      await reader.query(`select from ${partition}`);
      expect(await move()).toEqual({ state: 'waiting', movedEvents: 2 });
      expect((await listOldPartitions(world.pool)).map(({ name }) => name)).toEqual([partition]);
    });
    expect(await move()).toEqual({ state: 'done', movedEvents: 0 });
    expect((await stored()).length).toBe(2);
  });

  it('tells how many events are left after each step', async () => {
    await storeOld(
      Array.from({ length: 2_000 }, (_, n) => adImpressionAt(ago(3) + n, n)),
      ago(3),
    );
    const left = () => estimateOldEvents(world.pool);
    await expect.poll(left, { timeout: 60_000 }).toBe(2_000);
    const stop = new AbortController();
    const { movedEvents } = await move({ signal: stop.signal, onProgress: () => stop.abort() });
    expect(movedEvents).toBeGreaterThan(0);
    expect(movedEvents).toBeLessThan(2_000);
    await expect.poll(left, { timeout: 60_000 }).toBe(2_000 - movedEvents);
    await move();
    expect(await left()).toBe(0);
  });

  it('is done by one node at a time', async () => {
    await storeOld([adImpressionAt(ago(3))], ago(3));
    const results = await Promise.all([move(), move(), move()]);
    expect(results.filter(({ state }) => state === 'done').length).toBeGreaterThan(0);
    expect(results.reduce((sum, { movedEvents }) => sum + movedEvents, 0)).toBe(1);
  });
});

function purchase(ms: number, transactionId?: string): TestEvent {
  const payload = { skuId: 'gems', price: '4.99', currency: 'USD', ...(transactionId && { transactionId }) };
  return { eventType: 'Purchase', timestamp: new Date(ms).toISOString(), payload };
}

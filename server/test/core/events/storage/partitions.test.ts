import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { applyEvents } from '../../../../src/core/events/apply/apply-events.js';
import type { EventRecord } from '../../../../src/core/events/intake/event-record.js';
import {
  dropOldIdentities,
  ensureEventPartitions,
  listEventPartitions,
} from '../../../../src/core/events/storage/event-partitions.js';
import { isLockTimeout } from '../../../../src/platform/db/dedicated-connection.js';
import {
  adImpressionAt,
  createGameWorld,
  DAY_MS,
  type GameWorld,
  type TestPlayer,
  toRecords,
} from '../../../support/game-world.js';
import { isWaitedFor } from '../../../support/locks.js';

const NOW = inject('partitionsMadeAtMs');
const day = (offset: number) => new Date(NOW + offset * DAY_MS).toISOString().slice(0, 10);
const tableOf = (offset: number) => `event_blocks_${day(offset).replaceAll('-', '')}`;

describe('partitions of events', () => {
  let world: GameWorld;
  let player: TestPlayer;
  beforeAll(async () => {
    world = await createGameWorld();
    [player] = (await world.addPlayers(await world.addGame('game'), [NOW])) as [TestPlayer];
  });
  afterAll(() => world.close());

  const storedIn = async (n: number) => {
    const { rows } = await world.pool.query<{ table: string }>(
      `select tableoid::regclass::text as "table" from event_blocks where events @> $1`,
      [JSON.stringify([[{ adId: `ad-${n}` }]])],
    );
    return rows.map(({ table }) => table);
  };
  const send = (ms: number, n: number, receivedAt = NOW) =>
    applyEvents(world.pool, toRecords(player, [adImpressionAt(ms, n)], receivedAt));

  it('reach from two days back to two weeks ahead, and have the indexes of event_blocks', async () => {
    const days = (await listEventPartitions(world.pool)).map((partition) => partition.day);
    expect(days).toEqual(Array.from({ length: 17 }, (_, n) => day(n - 2)));
    for (const index of ['event_blocks_pkey', 'event_blocks_game']) {
      const { rows } = await world.pool.query(
        'select count(*)::int as n from pg_inherits where inhparent = $1::regclass',
        [index],
      );
      expect(rows).toEqual([{ n: 18 }]);
    }
  });

  it('are made for the days that come', async () => {
    await ensureEventPartitions(world.pool, NOW + 2 * DAY_MS);
    expect((await listEventPartitions(world.pool)).at(-1)?.day).toBe(day(16));
    await send(NOW, 1);
    expect(await storedIn(1)).toEqual([tableOf(0)]);
  });

  it('are made once when several nodes make them at the same time', async () => {
    await Promise.all(Array.from({ length: 4 }, () => ensureEventPartitions(world.pool, NOW + 4 * DAY_MS)));
    expect((await listEventPartitions(world.pool)).at(-1)?.day).toBe(day(18));
  });

  it('go by the time of receipt, so no timestamp of a client keeps a day from being made', async () => {
    for (const [n, ahead] of [15, 30, 400].entries())
      expect(await send(NOW + ahead * DAY_MS, 10 + n)).toEqual(['new']);
    expect(await send(NOW - 400 * DAY_MS, 20)).toEqual(['new']);
    for (const n of [10, 11, 12, 20]) expect(await storedIn(n)).toEqual([tableOf(0)]);
    await ensureEventPartitions(world.pool, NOW + 20 * DAY_MS);
    const days = (await listEventPartitions(world.pool)).map((partition) => partition.day);
    expect(days).toContain(day(30));
    expect(days.at(-1)).toBe(day(34));
    expect(await send(NOW + 30 * DAY_MS, 11)).toEqual(['duplicate']);
    expect(await send(NOW - 400 * DAY_MS, 20)).toEqual(['duplicate']);
  });

  it('leave a day in the default partition whose blocks are there already', async () => {
    expect(await send(NOW, 30, NOW + 60 * DAY_MS)).toEqual(['new']);
    expect(await storedIn(30)).toEqual(['event_blocks_default']);
    await ensureEventPartitions(world.pool, NOW + 50 * DAY_MS);
    const days = (await listEventPartitions(world.pool)).map((partition) => partition.day);
    expect(days).not.toContain(day(60));
    expect(days.at(-1)).toBe(day(64));
    expect(await send(NOW, 30, NOW + 61 * DAY_MS)).toEqual(['duplicate']);
  });

  it('are made beside a transaction that has stored events and stays open', async () => {
    const other = new pg.Client({ connectionString: world.url });
    await other.connect();
    try {
      await other.query('begin');
      await other.query(
        `insert into event_blocks (player_id, received_at, game_id, event_count, first_at, last_at, events)
         values ($1, $3, $2, 0, $3, $3, '[]')`,
        [player.playerId, player.gameId, new Date(NOW)],
      );
      await ensureEventPartitions(world.pool, NOW + 70 * DAY_MS);
      expect((await listEventPartitions(world.pool)).at(-1)?.day).toBe(day(84));
    } finally {
      await other.end();
    }
  });

  it('are made later if a session locks the default partition; intake goes on', async () => {
    const other = new pg.Client({ connectionString: world.url });
    await other.connect();
    try {
      await other.query('begin');
      await other.query('select from event_blocks_default limit 1');
      let hasGivenUp = false;
      const make = () => ensureEventPartitions(world.pool, NOW + 71 * DAY_MS);
      const making = make().catch((error: unknown) => {
        if (!isLockTimeout(error)) throw error;
        hasGivenUp = true;
      });
      let n = 100;
      while (!hasGivenUp && !(await isWaitedFor(world.pool, 'event_blocks_default'))) {
        expect(await send(NOW, ++n)).toEqual(['new']);
      }
      for (let more = 0; more < 3; more++) expect(await send(NOW, ++n)).toEqual(['new']);
      await other.query('commit');
      await making;
      // Only a machine that is too busy to let go within seconds.
      if (hasGivenUp) await make();
      expect((await listEventPartitions(world.pool)).at(-1)?.day).toBe(day(85));
    } finally {
      await other.end();
    }
  });

  it('of identities are quarters; an identity is known in the next ones, and forgotten after more than a year', async () => {
    const spring = Date.parse('2031-05-10T12:00:00Z');
    const at = (days: number) => spring + days * DAY_MS;
    for (const days of [0, 90, 180, 270, 360]) await ensureEventPartitions(world.pool, at(days));
    const named = { ...adImpressionAt(spring, 500), eventId: 'spring' };
    const sendNamed = (ms: number, receivedAt: number) =>
      applyEvents(
        world.pool,
        toRecords(player, [{ ...named, timestamp: new Date(ms).toISOString() }], receivedAt),
      );
    expect(await sendNamed(spring, spring)).toEqual(['new']);
    const { rows } = await world.pool.query(
      'select tableoid::regclass::text as "table" from event_identities where generation >= $1',
      ['2031-01-01'],
    );
    expect(rows).toEqual([{ table: 'event_identities_20310401' }]);
    // With another time of its own in the next quarter, with its own time in any later one.
    expect(await sendNamed(at(80), at(80))).toEqual(['duplicate']);
    for (const days of [100, 250, 330]) expect(await sendNamed(spring, at(days))).toEqual(['duplicate']);
    expect(await dropOldIdentities(world.pool, at(330))).not.toContain('event_identities_20310401');
    expect(await dropOldIdentities(world.pool, at(460))).toContain('event_identities_20310401');
    expect(await sendNamed(spring, at(461))).toEqual(['new']);
  });

  it('of identities: copies received on both sides of the end of a quarter count once', async () => {
    const end = Date.parse('2026-10-01T00:00:00.000Z');
    for (const ms of [end - 1, end]) await ensureEventPartitions(world.pool, ms);
    let n = 600;
    /** The same event as it is received just before the end, and at the end. */
    const copies = () => {
      const event = adImpressionAt(end - 1_000, ++n);
      return [end - 1, end].map((receivedAt) => toRecords(player, [event], receivedAt)[0] as EventRecord);
    };
    for (const inOrder of [true, false]) {
      const together = inOrder ? copies() : copies().toReversed();
      expect(await applyEvents(world.pool, together)).toEqual(['new', 'duplicate']);
      const apart = inOrder ? copies() : copies().toReversed();
      const outcomes = [];
      for (const copy of [...apart, ...apart]) outcomes.push(...(await applyEvents(world.pool, [copy])));
      expect(outcomes).toEqual(['new', 'duplicate', 'duplicate', 'duplicate']);
    }
  });
});

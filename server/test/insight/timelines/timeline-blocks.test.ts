/** @module-tag full */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { applyEvents } from '../../../src/core/events/apply/apply-events.js';
import { type TimelinePosition, timelinePage } from '../../../src/insight/timelines/timeline.js';
import type { TimelineFilter } from '../../../src/insight/timelines/timeline-items.js';
import { findTimelinePlayer } from '../../../src/insight/timelines/timeline-queries.js';
import { TIMELINE_KINDS, type TimelineItem } from '../../../src/insight/timelines/timeline-schemas.js';
import { compact, countBlocks, DAY, DAY_START, fillClosedDay, NOW, send } from '../../support/closed-day.js';
import { ensureDays } from '../../support/event-days.js';
import {
  adImpressionAt,
  createGameWorld,
  DAY_MS,
  type GameWorld,
  type TestPlayer,
  toRecords,
} from '../../support/game-world.js';

let world: GameWorld;
beforeEach(async () => {
  world = await createGameWorld();
});
afterEach(() => world.close());

const EVENTS: TimelineFilter = { kinds: new Set(['event', 'purchase', 'refund']), eventType: null };
const PURCHASES: TimelineFilter = { kinds: new Set(['purchase']), eventType: null };
const START: TimelinePosition = { ms: NOW + 10 * DAY_MS, shown: 0 };

async function pageOf(
  { gameId, userId }: TestPlayer,
  from: TimelinePosition,
  filter: TimelineFilter,
  limit: number,
  sinceMs?: number,
) {
  const player = await findTimelinePlayer(world.pool, gameId, userId);
  if (player === undefined) throw new Error(`there is no player ${userId}`);
  return timelinePage(world.pool, { player, filter, from, sinceMs, limit, nowMs: NOW });
}

type Reading = {
  from?: TimelinePosition;
  filter?: TimelineFilter;
  limit?: number;
  sinceMs?: number;
  between?: (pages: number) => Promise<void>;
};

/** All pages, one after the other. */
async function readAll(
  player: TestPlayer,
  { from: start = START, filter = EVENTS, limit = 7, sinceMs, between }: Reading = {},
) {
  const items: TimelineItem[] = [];
  let pages = 0;
  for (let from: TimelinePosition | null = start; from !== null; pages++) {
    const page: Awaited<ReturnType<typeof pageOf>> = await pageOf(player, from, filter, limit, sinceMs);
    expect(page.items.length).toBeLessThanOrEqual(limit);
    items.push(...page.items);
    await between?.(pages);
    from = page.next;
  }
  return { items, pages };
}

type Stored = { received: string; type: string; payload: string };

/** Every event of a player as the view shows it, sorted as text. */
async function storedOf({ playerId }: TestPlayer): Promise<Stored[]> {
  const { rows } = await world.pool.query<Stored>(
    `select to_char(received_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as received, event_type as type,
       payload::text as payload
     from events where player_id = $1 order by 1, 2, 3`,
    [playerId],
  );
  return rows;
}

async function shownAsStored(items: readonly TimelineItem[]): Promise<Stored[]> {
  const { rows } = await world.pool.query<Stored>(
    `select e ->> 'receivedAt' as received, e ->> 'eventType' as type, (e -> 'payload')::text as payload
     from jsonb_array_elements($1::jsonb) e order by 1, 2, 3`,
    [JSON.stringify(items)],
  );
  return rows;
}

const timesOf = (items: readonly TimelineItem[]) => items.map(({ at }) => at);
const newestFirst = (items: readonly TimelineItem[]) => timesOf(items).toSorted().reverse();

describe('the events of a timeline', () => {
  it('are all that are stored, newest first, before compaction and after it', async () => {
    const players = await fillClosedDay(world);
    const before = [];
    for (const player of players) {
      const { items } = await readAll(player);
      expect(timesOf(items)).toEqual(newestFirst(items));
      expect(await shownAsStored(items)).toEqual(await storedOf(player));
      before.push(items);
    }
    const blocks = await countBlocks(world);
    expect((await compact(world)).state).toBe('done');
    expect(await countBlocks(world)).toBeLessThan(blocks);
    for (const [index, player] of players.entries()) {
      expect((await readAll(player)).items).toEqual(before[index]);
      expect((await readAll(player, { limit: 200 })).items).toEqual(before[index]);
    }
  });

  it('are found also where a look for them begins in the middle of a compacted block', async () => {
    const players = await fillClosedDay(world);
    expect((await compact(world)).state).toBe('done');
    for (const hour of [1, 7, 13, 19]) {
      // The first look reaches back four days.
      const from = { ms: DAY_START + hour * 3_600_000 + 4 * DAY_MS, shown: 0 };
      for (const player of players) {
        const { items } = await readAll(player, { from, limit: 200 });
        expect(await shownAsStored(items), `${hour} o'clock`).toEqual(await storedOf(player));
      }
    }
  });

  it('from a time on are all that happened then or later, also where it lies in a compacted block', async () => {
    const players = await fillClosedDay(world);
    expect((await compact(world)).state).toBe('done');
    for (const player of players) {
      const { items: all } = await readAll(player, { limit: 200 });
      for (const hour of [1, 7, 13, 19, 25]) {
        const sinceMs = DAY_START + hour * 3_600_000;
        const { items } = await readAll(player, { sinceMs });
        expect(items, `${hour} o'clock`).toEqual(all.filter(({ at }) => Date.parse(at) >= sinceMs));
      }
    }
  });

  it('are shown once though the day is compacted between two pages', async () => {
    const players = await fillClosedDay(world);
    const [, second] = players as [TestPlayer, TestPlayer];
    const { items: expected } = await readAll(second);
    const { items } = await readAll(second, {
      between: async (pages) => {
        if (pages === 4) expect((await compact(world)).state).toBe('done');
      },
    });
    expect(items).toEqual(expected);
  });

  it('of one millisecond are shown once, over several pages', async () => {
    const gameId = await world.addGame('game');
    const [player] = (await world.addPlayers(gameId, [NOW - 9 * DAY_MS])) as [TestPlayer];
    await ensureDays(world.pool, [DAY]);
    const batch = Array.from({ length: 40 }, (_, n) => adImpressionAt(DAY_START, n));
    await send(world, player, batch, DAY_START + 5);
    await send(world, player, [adImpressionAt(DAY_START, 100)], DAY_START + 5);
    await send(world, player, [adImpressionAt(DAY_START, 101)], DAY_START + 4);
    const { items, pages } = await readAll(player);
    expect(pages).toBe(6);
    expect(await shownAsStored(items)).toEqual(await storedOf(player));
    expect(items.at(-1)).toMatchObject({ receivedAt: new Date(DAY_START + 4).toISOString() });
  });

  it('are in the order in which they happened, whenever they were received, also once they are compacted', async () => {
    const players = await fillClosedDay(world);
    const [player] = players as [TestPlayer];
    await ensureDays(world.pool, [new Date(NOW).toISOString().slice(0, 10)]);
    // Two weeks offline, sent in three requests, one of them days after the others.
    const offline = (n: number) => adImpressionAt(DAY_START - 14 * DAY_MS + n * 3_600_000, 5_000 + n);
    const hours = Array.from({ length: 14 * 24 + 30 }, (_, n) => n);
    for (const [rest, receivedMs] of [DAY_START + 600_000, DAY_START + DAY_MS / 2, NOW].entries()) {
      const sent = hours.filter(
        (n) => n % 3 === rest && DAY_START - 14 * DAY_MS + n * 3_600_000 < receivedMs,
      );
      await send(world, player, sent.map(offline), receivedMs);
    }
    const expectOrder = async () => {
      const { items: all } = await readAll(player, { limit: 200 });
      expect(timesOf(all)).toEqual(newestFirst(all));
      expect(await shownAsStored(all)).toEqual(await storedOf(player));
      expect((await readAll(player, { limit: 7 })).items).toEqual(all);
      expect(all.at(-1)).toMatchObject({ at: new Date(DAY_START - 14 * DAY_MS).toISOString() });
      const sinceMs = DAY_START - 7 * DAY_MS;
      const since = await readAll(player, { sinceMs, limit: 50 });
      expect(since.items).toEqual(all.filter(({ at }) => Date.parse(at) >= sinceMs));
      return all;
    };
    const before = await expectOrder();
    expect((await compact(world)).state).toBe('done');
    expect(await expectOrder()).toEqual(before);
  });

  it('are found however long the player has been away', async () => {
    const gameId = await world.addGame('game');
    const [player] = (await world.addPlayers(gameId, [NOW - 900 * DAY_MS])) as [TestPlayer];
    const days = [800, 300, 299, 40, 1];
    await ensureDays(
      world.pool,
      days.map((day) => new Date(NOW - day * DAY_MS).toISOString().slice(0, 10)),
    );
    for (const day of days) {
      const at = NOW - day * DAY_MS;
      await applyEvents(world.pool, toRecords(player, [adImpressionAt(at, day)], at));
    }
    const { items } = await readAll(player, { limit: 2 });
    expect(timesOf(items)).toEqual(days.map((day) => new Date(NOW - day * DAY_MS).toISOString()).reverse());
  });

  it('are looked at some thousands at a time where a filter matches none of them', async () => {
    const gameId = await world.addGame('game');
    const [player] = (await world.addPlayers(gameId, [NOW - 9 * DAY_MS])) as [TestPlayer];
    await ensureDays(world.pool, [DAY]);
    const bought = { eventType: 'Purchase', timestamp: new Date(DAY_START).toISOString(), payload: {} };
    await send(world, player, [bought], DAY_START);
    for (let batch = 0; batch < 24; batch++) {
      const at = DAY_START + 1 + batch;
      const events = Array.from({ length: 500 }, (_, n) => adImpressionAt(at, batch * 500 + n));
      await send(world, player, events, at);
    }
    const first = await pageOf(player, START, PURCHASES, 50);
    expect(first.items).toEqual([]);
    expect(first.next).not.toBeNull();
    const { items, pages } = await readAll(player, { filter: PURCHASES, limit: 50 });
    expect(items).toMatchObject([{ kind: 'purchase', at: new Date(DAY_START).toISOString() }]);
    expect(pages).toBeGreaterThan(2);
    expect(pages).toBeLessThan(8);
    // What there is plenty of fills its page.
    const { items: page } = await pageOf(player, START, { ...EVENTS, eventType: 'Ad_Impression' }, 50);
    expect(page).toHaveLength(50);
  });

  it('are mixed with all else', async () => {
    const [player] = (await fillClosedDay(world)) as [TestPlayer];
    const all = { kinds: new Set(TIMELINE_KINDS), eventType: null };
    const { items } = await readAll(player, { filter: all, limit: 3 });
    expect(timesOf(items)).toEqual(newestFirst(items));
    expect(items.filter(({ kind }) => kind === 'login')).toHaveLength(1);
    expect(items.filter(({ kind }) => kind !== 'login')).toEqual((await readAll(player)).items);
  });
});

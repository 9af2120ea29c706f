import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyEvents } from '../../../src/core/events/apply/apply-events.js';
import { findFacts } from '../../../src/core/players/facts-queries.js';
import type { PlayerFacts } from '../../../src/decide/attributes/player-facts.js';
import { createRebuildPool } from '../../../src/liveops/explanations/rebuild-connections.js';
import { rebuildFacts } from '../../../src/liveops/explanations/rebuild-facts.js';
import type { RebuiltPlayer } from '../../../src/liveops/explanations/rebuilt-player.js';
import { createShadowTables, fillShadowTables } from '../../../src/liveops/explanations/shadow-tables.js';
import type { Pool } from '../../../src/platform/db/pool.js';
import {
  adImpressionAt,
  createGameWorld,
  DAY_MS,
  type GameWorld,
  type TestEvent,
  toRecords,
} from '../../support/game-world.js';
import { recordStatements } from '../../support/sent-statements.js';

const HOUR_MS = 3_600_000;
const START = Date.parse('2026-11-15T12:00:00.000Z');

/** One delivery: some events of one of the players, `ageMs` old when they arrive. */
type Step = { player: number; events: { ageMs: number; event: TestEvent }[] };

describe('rebuilding the facts about a player', () => {
  let world: GameWorld;
  let gameId: number;
  /** One connection, so that each rebuild finds the tables of the last one. */
  let rebuilds: Pool;
  beforeAll(async () => {
    world = await createGameWorld();
    rebuilds = createRebuildPool(world.url, 1);
    gameId = await world.addGame('game');
  });
  afterAll(async () => {
    await rebuilds.end();
    await world.close();
  });

  const live = async ({ playerId }: RebuiltPlayer, atMs: number): Promise<PlayerFacts> => {
    const [reading] = await findFacts(world.pool, [playerId], atMs);
    if (reading === undefined) throw new Error('there is no such player');
    return sorted(reading.facts);
  };
  const rebuilt = async (player: RebuiltPlayer, atMs: number): Promise<PlayerFacts> =>
    sorted((await rebuildFacts(rebuilds, player, atMs)).facts);

  it('gives for every instant the facts that were read then', async () => {
    let plays = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(steps(), { minLength: 1, maxLength: 6 }), async (plan) => {
        const play = ++plays;
        const players = await world.addPlayers(gameId, [START - 30 * DAY_MS, START - DAY_MS]);
        const seen: { player: RebuiltPlayer; atMs: number; facts: PlayerFacts }[] = [];
        for (const [n, { player: index, events }] of plan.entries()) {
          const nowMs = START + n * HOUR_MS;
          const player = players[index];
          if (player === undefined) throw new Error('there are two players');
          const sent = events.map(({ ageMs, event }) =>
            withPrefix(`${play}:`, { ...event, timestamp: iso(nowMs - ageMs) }),
          );
          const records = toRecords(player, sent, nowMs);
          await applyEvents(world.pool, records);
          // An event that is sent again counts once, at its first receipt.
          if (n % 2 === 0) await applyEvents(world.pool, toRecords(player, sent, nowMs + 1));
          for (const each of players) {
            const atMs = nowMs + 2;
            seen.push({ player: each, atMs, facts: await live(each, atMs) });
          }
        }
        for (const { player, atMs, facts } of seen) expect(await rebuilt(player, atMs)).toEqual(facts);
      }),
      { numRuns: 8, endOnFailure: true },
    );
  });

  it('counts the purchase that counted, of two in one batch, also by a clock of the year 0', async () => {
    const [player] = await world.addPlayers(gameId, [START - DAY_MS]);
    if (player === undefined) throw new Error('there is one player');
    // Which of two counts follows from their identities, which follow from the ids of the player.
    const sent = Array.from({ length: 16 }, (_, n) =>
      ['0000-10-27T12:00:00.000Z', iso(START)].map((timestamp) => ({
        eventType: 'Purchase',
        timestamp,
        payload: {
          transactionId: `zero-${n}`,
          skuId: 'gems',
          price: '1',
          currency: 'USD',
          promoId: timestamp,
        },
      })),
    ).flat();
    await applyEvents(world.pool, toRecords(player, sent, START));
    expect(await rebuilt(player, START + 1)).toEqual(await live(player, START + 1));
  });

  it('cannot write to real tables, even if an unexpected statement tries', async () => {
    const [player] = await world.addPlayers(gameId, [START]);
    if (player === undefined) throw new Error('there is one player');
    const client = await world.pool.connect();
    try {
      await client.query('begin');
      await createShadowTables(client);
      await fillShadowTables(client, player, START);
      await client.query('update players set event_count = 1');
      await expect(client.query("insert into tenants (slug, name) values ('a', 'a')")).rejects.toThrow(
        'read-only',
      );
    } finally {
      await client.query('rollback');
      client.release();
    }
    expect((await live(player, START)).eventCount).toBe(0);
  });

  const connectionId = async () => {
    const { rows } = await rebuilds.query<{ pid: number }>('select pg_backend_pid() as pid');
    return rows[0]?.pid;
  };

  it('keeps its connection for the next rebuild, which reads the real tables as they are then', async () => {
    const [player] = await world.addPlayers(gameId, [START - DAY_MS]);
    if (player === undefined) throw new Error('there is one player');
    const deletedBefore = (day: string | null) =>
      world.pool.query('update games set events_deleted_before = $2 where id = $1', [gameId, day]);
    expect(await rebuildFacts(rebuilds, player, START)).toMatchObject({ deletedBefore: null });
    const first = await connectionId();
    await deletedBefore('2026-11-01');
    await applyEvents(world.pool, toRecords(player, [adImpressionAt(START, 0)], START));
    expect(await rebuildFacts(rebuilds, player, START)).toMatchObject({
      deletedBefore: '2026-11-01',
      facts: { eventCount: 1 },
    });
    expect(await connectionId()).toBe(first);
    await deletedBefore(null);
  });

  it('closes a connection on which a rebuild has failed, or many events were folded', async () => {
    const [player] = await world.addPlayers(gameId, [START - DAY_MS]);
    if (player === undefined) throw new Error('there is one player');
    const first = await connectionId();
    await applyEvents(world.pool, toRecords(player, [adImpressionAt(START, 0)], START));
    await expect(rebuildFacts(rebuilds, player, START, { signal: AbortSignal.abort() })).rejects.toThrow();
    const second = await connectionId();
    expect(second).not.toBe(first);

    await world.pool.query(
      `insert into event_blocks (player_id, received_at, game_id, event_count, first_at, last_at, events)
       select $1, at, $2, 10000, at, at,
         (select jsonb_agg(jsonb_build_array('Many', '2026-11-15T12:00:00.000Z', jsonb_build_object('n', k), '{}'::jsonb))
          from generate_series(1, 10000) k)
       from generate_series(1, 5) n
       cross join lateral (select $3::timestamptz + n * interval '1 ms' as at) t`,
      [player.playerId, gameId, new Date(START)],
    );
    expect((await rebuilt(player, START + 10)).eventCount).toBe(50_001);
    expect(await connectionId()).not.toBe(second);
    expect((await rebuilt(player, START)).eventCount).toBe(1);
  });

  it('leaves no temporary table behind in a session that a pooler may give to another client', async () => {
    const [player] = await world.addPlayers(gameId, [START - DAY_MS]);
    if (player === undefined) throw new Error('there is one player');
    const pooled = createRebuildPool(world.url);
    pooled.on('connect', (client) => Object.assign(client, { processID: 1 }));
    try {
      const sent = await recordStatements(async () => {
        await rebuildFacts(pooled, player, START);
        await rebuildFacts(pooled, player, START);
      });
      const steps = sent.flatMap(({ text }) => /^\s*(begin|create temp|rollback)/.exec(text)?.[1] ?? []);
      const rebuild = ['begin', 'create temp', 'rollback'];
      expect(steps).toEqual([...rebuild, ...rebuild]);
      expect(pooled.totalCount).toBe(0);
    } finally {
      await pooled.end();
    }
  });

  it('reads more events than it holds in memory at a time', async () => {
    const [player] = await world.addPlayers(gameId, [START - DAY_MS]);
    if (player === undefined) throw new Error('there is one player');
    for (let n = 0; n < 3; n++) {
      const events = Array.from({ length: 400 }, (_, k) => adImpressionAt(START - 1000 * n - k, k));
      await applyEvents(world.pool, toRecords(player, events, START + n));
    }
    expect((await rebuilt(player, START + 3)).eventCount).toBe(1200);
    expect((await rebuilt(player, START + 1)).eventCount).toBe(800);
  });

  it('folds the events of many small blocks a few thousand at a time', async () => {
    const [player] = await world.addPlayers(gameId, [START - DAY_MS]);
    if (player === undefined) throw new Error('there is one player');
    await world.pool.query(
      `insert into event_blocks (player_id, received_at, game_id, event_count, first_at, last_at, events)
       select $1, at, $2, 1, at, at, jsonb_build_array(jsonb_build_array(
         'Small', to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), jsonb_build_object('n', n), '{}'::jsonb))
       from generate_series(1, 12000) n
       cross join lateral (select $3::timestamptz + n * interval '1 ms' as at) t`,
      [player.playerId, gameId, new Date(START)],
    );
    let facts: PlayerFacts | undefined;
    const sent = await recordStatements(async () => {
      facts = await rebuilt(player, START + 11_000);
    });
    expect(facts).toMatchObject({ eventCount: 11_000, eventCounts: { Small: 11_000 } });
    expect(sent.filter(({ name }) => name === 'fold_events')).toHaveLength(3);
    expect(sent.filter(({ text }) => text.startsWith('fetch ')).length).toBeLessThan(70);
  });
});

const iso = (ms: number) => new Date(ms).toISOString();

/** Transactions of two runs must not have the same id. */
function withPrefix(prefix: string, event: TestEvent): TestEvent {
  const payload = (event.payload ?? {}) as Record<string, unknown>;
  if (payload.transactionId === undefined) return event;
  return { ...event, payload: { ...payload, transactionId: `${prefix}${payload.transactionId}` } };
}

/** Days come in any order. */
function sorted(facts: PlayerFacts): PlayerFacts {
  return { ...facts, days: [...facts.days].sort((a, b) => a.epochDay - b.epochDay) };
}

function steps(): fc.Arbitrary<Step> {
  const ages = fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: 0, max: 8 }).map((n) => n * 12 * HOUR_MS) },
    // Ahead; too far ahead and too long ago to be believed; before our era.
    fc.constantFrom(-HOUR_MS / 2, -2 * HOUR_MS, 200 * DAY_MS, 740_000 * DAY_MS, 35 * DAY_MS),
  );
  // Named or not; a name is never used for two different events.
  const event = fc
    .tuple(fc.oneof(plain(), purchases(), refunds()), fc.boolean())
    .map(([each, isNamed]) => (isNamed ? { ...each, eventId: JSON.stringify(each).slice(0, 128) } : each));
  return fc.record({
    player: fc.nat(1),
    events: fc.array(fc.record({ ageMs: ages, event }), { minLength: 1, maxLength: 6 }),
  });
}

const plain = () =>
  fc.record({
    eventType: fc.constantFrom('Session_Start', 'Session_End', 'Store_View', 'Custom "type"'),
    payload: fc.record({
      durationMs: fc.constantFrom(0, 1_500.5, 90_000_000),
      odd: fc.constantFrom<unknown>(1e300, 0.1, '\u{1F600} "\\', null, [1, { a: true }]),
    }),
    metadata: fc.record({ country: fc.constantFrom('DE', 'JP'), osVersion: fc.constantFrom('15', '16', 7) }),
  });

const ids = () => fc.constantFrom('t1', 't2', 't3');

const purchases = () =>
  fc.record({
    eventType: fc.constant('Purchase'),
    payload: fc.record(
      {
        transactionId: ids(),
        skuId: fc.constantFrom('gems', 'pass'),
        price: fc.constantFrom<unknown>(0.1, 0.2, '4.99', 500),
        currency: fc.constantFrom('USD', 'EUR'),
        promoId: fc.constantFrom('spring', 'autumn'),
      },
      { requiredKeys: ['price', 'currency'] },
    ),
    metadata: fc.record({ currency: fc.constantFrom('USD', 'EUR') }),
  });

const refunds = () =>
  fc.record({ eventType: fc.constant('Refund'), payload: fc.record({ transactionId: ids() }) });

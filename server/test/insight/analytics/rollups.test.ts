import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyEvents } from '../../../src/core/events/apply/apply-events.js';
import type { EventRecord } from '../../../src/core/events/intake/event-record.js';
import { ensureEventPartitions } from '../../../src/core/events/storage/event-partitions.js';
import { compactRollups } from '../../../src/insight/analytics/compact-rollups.js';
import { recountGame } from '../../../src/insight/analytics/recount.js';
import {
  adImpressionAt,
  createGameWorld,
  DAY_MS,
  type GameWorld,
  type TestEvent,
  type TestPlayer,
  toRecords,
} from '../../support/game-world.js';
import { runs } from '../../support/property-runs.js';

const HOUR_MS = 3_600_000;
/**
 * Noon, so that a few hours around it lie on one day. The last day of a quarter, so that some copies are received in the next
 * generation of identities; a past one, because no event is received later than now.
 */
const NOW = Date.parse('2026-09-30T12:00:00.000Z');
/** All days of these tests are past then. */
const LATER = NOW + 30 * DAY_MS;
const PLAYERS = 5;

describe('roll-ups', () => {
  let world: GameWorld;
  let games = 0;
  beforeAll(async () => {
    world = await createGameWorld(8);
    await ensureEventPartitions(world.pool, NOW);
  });
  afterAll(() => world.close());

  const newGame = () => world.addGame(`game-${++games}`);

  it('agree with a full recount whatever the order, the grouping, the repetitions and the workers', {
    timeout: 120_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(streams(), deliveries(), async (stream, delivery) => {
        const gameId = await newGame();
        const players = await world.addPlayers(
          gameId,
          Array.from({ length: PLAYERS }, (_, n) => NOW - n * 3 * DAY_MS),
        );
        const groups = deliver(stream, players, delivery);
        // As many workers as `maxConcurrent` says take the groups as they come.
        const queue = groups.values();
        const worker = async () => {
          for (const group of queue) {
            await applyEvents(world.pool, group);
            if (delivery.compacts) await compactRollups(world.pool, LATER);
          }
        };
        await Promise.all(Array.from({ length: delivery.maxConcurrent }, worker));

        const recount = await recountGame(world.pool, gameId);
        expect(recount.differences).toEqual([]);
        expect(recount.events).toBe(new Set(groups.flat().map(({ identity }) => identity)).size);
      }),
      // Each case takes a tenth of a second; shrinking would take longer than a test may.
      { numRuns: runs(15), endOnFailure: true },
    );
  });

  it('differ from a recount once they were changed by hand', async () => {
    const gameId = await newGame();
    const [player] = (await world.addPlayers(gameId, [NOW - DAY_MS])) as [TestPlayer];
    await applyEvents(
      world.pool,
      toRecords(player, [adImpressionAt(NOW), purchaseAt(NOW, 't', '4.99')], NOW),
    );
    expect((await recountGame(world.pool, gameId)).differences).toEqual([]);

    await world.pool.query(
      'update game_days set events = events + 1, revenue = $2 where game_id = $1 and events > 0',
      [gameId, { EUR: 1 }],
    );
    await world.pool.query('update game_cohorts set players = 3 where game_id = $1', [gameId]);
    await world.pool.query('update player_days set sessions = 7 where player_id = $1', [player.playerId]);
    await world.pool.query('update players set event_count = 9, spend = $2 where id = $1', [
      player.playerId,
      { USD: 5 },
    ]);
    const day = new Date(NOW).toISOString().slice(0, 10);
    const { differences, differenceCount } = await recountGame(world.pool, gameId);
    expect(differences.map(({ table, key, name }) => [table, key, name])).toEqual([
      ['game_days', day, 'events'],
      ['game_days', day, 'revenue.EUR'],
      ['game_cohorts', expect.stringContaining(day), 'players'],
      ['player_days', `${player.userId} ${day}`, 'sessions'],
      ['players', player.userId, 'event_count'],
      ['players', player.userId, 'spend'],
    ]);
    expect(differenceCount).toBe(differences.length);
    expect(differences[0]).toMatchObject({ kept: '3', recounted: '2' });
  });

  it('count every type of a game, and the first 256 of a player, in whatever portions they come', async () => {
    const gameId = await newGame();
    const [one, two] = (await world.addPlayers(gameId, [NOW, NOW])) as [TestPlayer, TestPlayer];
    const types = Array.from({ length: 400 }, (_, n) => `Type_${String((n * 7919) % 1000).padStart(3, '0')}`);
    const eventsAt = (ms: number) =>
      types.map((eventType) => ({ eventType, timestamp: new Date(ms).toISOString(), payload: {} }));
    const events = eventsAt(NOW);
    await applyEvents(world.pool, toRecords(one, events, NOW));
    for (let at = 0; at < events.length; at += 50) {
      await Promise.all(
        [events.slice(at, at + 25), events.slice(at + 25, at + 50)].map((part) =>
          applyEvents(world.pool, toRecords(two, part, NOW)),
        ),
      );
    }
    // The same types again: rows that hold more than they should would go on counting the surplus.
    await applyEvents(world.pool, toRecords(one, eventsAt(NOW + 1), NOW + 1));
    expect((await recountGame(world.pool, gameId)).differences).toEqual([]);
  });

  it('come down to one row a day once the day is past, and grow again with late events', async () => {
    const gameId = await newGame();
    const [player] = (await world.addPlayers(gameId, [NOW])) as [TestPlayer];
    const rowsOf = async () => {
      const { rows } = await world.pool.query(
        `select (select count(*)::int from game_days where game_id = $1) as days,
           (select count(*)::int from game_cohorts where game_id = $1) as cohorts`,
        [gameId],
      );
      return rows[0];
    };
    const send = (n: number) =>
      applyEvents(
        world.pool,
        toRecords(player, [adImpressionAt(NOW, n), purchaseAt(NOW, `t-${n}`, '0.99')], NOW),
      );
    await send(1);
    await compactRollups(world.pool, NOW + DAY_MS);
    expect(await rowsOf()).toEqual({ days: 3, cohorts: 1 });
    await compactRollups(world.pool, NOW + 2 * DAY_MS);
    expect(await rowsOf()).toEqual({ days: 1, cohorts: 1 });
    await send(2);
    expect(await rowsOf()).toEqual({ days: 3, cohorts: 1 });
    await compactRollups(world.pool, NOW + 2 * DAY_MS);
    expect(await rowsOf()).toEqual({ days: 1, cohorts: 1 });
    expect((await recountGame(world.pool, gameId)).differences).toEqual([]);
  });

  it('never deadlock: eight workers, crossing players, days and transactions, two connections to a shard', async () => {
    // All connections in the same shard: every lock that can be waited for is.
    await world.pool.query(
      `create or replace function rollup_shard(work text) returns smallint language sql stable as
       $$ select (case work when 'events' then 0 when 'purchases' then 32 when 'players' then 64 end)::smallint $$`,
    );
    const [first, second] = [await newGame(), await newGame()];
    const players = [
      ...(await world.addPlayers(first, daysAgo(12))),
      ...(await world.addPlayers(second, daysAgo(12))),
    ];
    const random = fc.sample(fc.integer({ min: 0, max: 1_000_000 }), { numRuns: 8_000, seed: 4711 });
    const draw = (below: number) => (random.pop() ?? 0) % below;
    const outcomes: string[] = [];
    const worker = async () => {
      for (let round = 0; round < 25; round++) {
        const group: EventRecord[] = [];
        for (let n = 0; n < 12; n++) {
          const player = players[draw(players.length)] as TestPlayer;
          const at = NOW - draw(6) * DAY_MS - draw(1_000) * 1_000;
          const events = [
            adImpressionAt(at, round),
            purchaseAt(at, `tx-${draw(40)}`, '0.99'),
            refundAt(at, `tx-${draw(40)}`),
          ];
          group.push(...toRecords(player, [events[draw(3)] as TestEvent], NOW));
        }
        const newcomers = world.addPlayers(draw(2) ? first : second, daysAgo(3));
        outcomes.push(...(await settle([applyEvents(world.pool, group), newcomers])));
      }
    };
    let working = true;
    const compactor = async () => {
      while (working) outcomes.push(...(await settle([compactRollups(world.pool, LATER)])));
    };
    const compacting = compactor();
    await Promise.all(Array.from({ length: 8 }, worker));
    working = false;
    await compacting;
    expect(outcomes.filter((outcome) => outcome !== 'ok')).toEqual([]);
    expect((await recountGame(world.pool, first)).differences).toEqual([]);
    expect((await recountGame(world.pool, second)).differences).toEqual([]);
  });
});

async function settle(work: Promise<unknown>[]): Promise<string[]> {
  const results = await Promise.allSettled(work);
  return results.map((result) =>
    result.status === 'fulfilled' ? 'ok' : `${result.reason.code} ${result.reason}`,
  );
}

function daysAgo(count: number): number[] {
  return Array.from({ length: count }, (_, n) => NOW - (n % 5) * DAY_MS);
}

function purchaseAt(ms: number, transactionId: string, price: string, currency = 'USD'): TestEvent {
  const timestamp = new Date(ms).toISOString();
  return { eventType: 'Purchase', timestamp, payload: { transactionId, skuId: 'gems', price, currency } };
}

function refundAt(ms: number, transactionId: string): TestEvent {
  return { eventType: 'Refund', timestamp: new Date(ms).toISOString(), payload: { transactionId } };
}

/** An event of one of the players, by the age it has when it is first sent. */
type Planned = { player: number; ageMs: number; event: TestEvent; named: boolean };

function streams(): fc.Arbitrary<Planned[]> {
  const plan = fc.record({
    player: fc.nat(PLAYERS - 1),
    // Coarse, so that times meet. Late ones of weeks, some ahead of time, and clocks that are not believed.
    ageMs: fc.oneof(
      { weight: 6, arbitrary: fc.integer({ min: 0, max: 30 }).map((n) => n * 6 * HOUR_MS) },
      { weight: 1, arbitrary: fc.constantFrom(40 * DAY_MS, 89 * DAY_MS, -30 * 60_000) },
      { weight: 1, arbitrary: fc.constantFrom(-2 * HOUR_MS, -400 * DAY_MS, 91 * DAY_MS, 20_000 * DAY_MS) },
    ),
    event: fc.oneof(plainEvents(), plainEvents(), purchases(), refunds()),
    named: fc.boolean(),
  });
  return fc.array(plan, { minLength: 1, maxLength: 60 });
}

const plainEvents = (): fc.Arbitrary<TestEvent> =>
  fc.record({
    eventType: fc.constantFrom('Ad_Impression', 'Session_Start', 'Session_End', 'Store_View', 'Custom'),
    payload: fc.record({ durationMs: fc.constantFrom(0, 1_000.5, 90_000_000) }),
    metadata: fc.record({
      osVersion: fc.constantFrom('15', '16'),
      country: fc.constantFrom('DE', 'JP', ''),
      source: fc.constantFrom('ads', 'friends', ''),
    }),
  });

const transactionIds = () => fc.constantFrom('t1', 't2', 't3');

/** The same transaction for several players, too: it belongs to one of them. */
const purchases = (): fc.Arbitrary<TestEvent> =>
  fc.record({
    eventType: fc.constant('Purchase'),
    payload: fc.record(
      {
        transactionId: transactionIds(),
        price: fc.constantFrom(0, 0.1, 0.2, '4.99', 500),
        currency: fc.constantFrom('USD', 'EUR'),
      },
      { requiredKeys: ['price', 'currency'] },
    ),
  });

const refunds = (): fc.Arbitrary<TestEvent> =>
  fc.record({ eventType: fc.constant('Refund'), payload: fc.record({ transactionId: transactionIds() }) });

type Delivery = {
  order: number[];
  repeated: number[];
  groupSizes: number[];
  maxConcurrent: number;
  compacts: boolean;
  laterMs: number;
};

function deliveries(): fc.Arbitrary<Delivery> {
  return fc.record({
    order: fc.array(fc.nat(), { minLength: 90, maxLength: 90 }),
    repeated: fc.array(fc.nat(), { maxLength: 30 }),
    groupSizes: fc.array(fc.integer({ min: 1, max: 15 }), { minLength: 1, maxLength: 10 }),
    maxConcurrent: fc.integer({ min: 1, max: 4 }),
    compacts: fc.boolean(),
    // When it is sent again another clock reading may find another side of the border of belief.
    laterMs: fc.constantFrom(0, 2 * HOUR_MS, 2 * DAY_MS, 7 * DAY_MS),
  });
}

/** Everything at least once, some of it again and later, shuffled and cut into groups. */
function deliver(
  stream: readonly Planned[],
  players: readonly TestPlayer[],
  delivery: Delivery,
): EventRecord[][] {
  const records = (receivedAt: number) =>
    stream.map(({ player, ageMs, event, named }, n) => {
      // Sent one by one, so identical events are told apart by the payload.
      const payload = { ...(event.payload as object), n };
      const timestamp = new Date(NOW - ageMs).toISOString();
      const sent = { ...event, payload, timestamp, ...(named ? { eventId: `event-${n}` } : {}) };
      return toRecords(players[player] as TestPlayer, [sent], receivedAt)[0] as EventRecord;
    });
  const first = records(NOW);
  const again = records(NOW + delivery.laterMs);
  const shuffled = [...first, ...delivery.repeated.map((n) => again[n % again.length] as EventRecord)]
    .map((record, n) => ({ record, rank: delivery.order[n % delivery.order.length] ?? 0 }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ record }) => record);
  const groups: EventRecord[][] = [];
  for (let at = 0; at < shuffled.length; ) {
    const size = delivery.groupSizes[groups.length % delivery.groupSizes.length] ?? 1;
    groups.push(shuffled.slice(at, at + size));
    at += size;
  }
  return groups;
}

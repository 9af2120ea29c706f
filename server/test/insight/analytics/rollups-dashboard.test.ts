import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyEvents } from '../../../src/core/events/apply/apply-events.js';
import { gameDashboard } from '../../../src/insight/analytics/dashboard.js';
import { recountGame } from '../../../src/insight/analytics/recount.js';
import {
  createGameWorld,
  DAY_MS,
  type GameWorld,
  type TestEvent,
  type TestPlayer,
  toRecords,
} from '../../support/game-world.js';

const NOON = Date.parse(`${new Date().toISOString().slice(0, 10)}T12:00:00.000Z`);
/** Day 0 is 40 days ago; today is day 40. */
const FIRST = NOON - 40 * DAY_MS;
const at = (day: number) => FIRST + day * DAY_MS;
const nameOf = (day: number) => new Date(at(day)).toISOString().slice(0, 10);

describe('the dashboard of a game', () => {
  let world: GameWorld;
  let gameId: number;
  let players: TestPlayer[];
  beforeAll(async () => {
    world = await createGameWorld();
    gameId = await world.addGame('game');
    const otherGame = await world.addGame('other');
    // Three players of day 0, one of day 1, and one of another game.
    players = await world.addPlayers(gameId, [at(0), at(0), at(0), at(1)]);
    const [stranger] = (await world.addPlayers(otherGame, [at(0)])) as [TestPlayer];
    await send(0, 0, [
      event('Session_Start', { sessionId: 's' }),
      event('Session_End', { sessionId: 's', durationMs: 90_000 }),
      event('Ad_Impression', { adId: 'a' }),
      event('Store_View', {}),
      purchase('t1', '4.99', 'USD'),
      purchase('t2', '500', 'JPY'),
      event('__proto__', {}),
    ]);
    await send(1, 0, [event('Session_Start', {}), purchase('t3', '0.10', 'USD'), purchase('t4', '3', 'EUR')]);
    await send(1, 0, [event('Refund', { transactionId: 't4' })]);
    for (const day of [1, 7, 28, 38]) await send(0, day, [event('Ad_Impression', {})]);
    for (const day of [1, 2]) await send(1, day, [event('Ad_Impression', {})]);
    await send(3, 2, [event('Ad_Impression', {})]);
    await applyEvents(world.pool, toRecords(stranger, [dated(at(0), event('Store_View', {}))], at(0)));
  });
  afterAll(() => world.close());

  const send = (player: number, day: number, events: TestEvent[]) =>
    applyEvents(
      world.pool,
      toRecords(
        players[player] as TestPlayer,
        events.map((each) => dated(at(day), each)),
        at(day),
      ),
    );

  it('tells each day: players, events, revenue to the last decimal without zeros', async () => {
    const { days } = await gameDashboard(world.pool, gameId, nameOf(0), nameOf(2), NOON);
    expect(days.map(({ day }) => day)).toEqual([nameOf(0), nameOf(1), nameOf(2)]);
    expect(days[0]).toEqual({
      day: nameOf(0),
      activePlayers: 2,
      // Maintenance has not counted them yet.
      weeklyActivePlayers: null,
      monthlyActivePlayers: null,
      newPlayers: 3,
      payingPlayers: 2,
      weeklyPayingPlayers: null,
      monthlyPayingPlayers: null,
      sessions: 2,
      events: 11,
      eventsByType: expect.anything(),
      adImpressions: 1,
      storeViews: 1,
      playMs: 90_000,
      purchases: 3,
      revenue: { USD: '5.09', JPY: '500' },
      verifiedRevenue: {},
      unverifiedRevenue: { USD: '5.09', JPY: '500' },
      refundedRevenue: { EUR: '3' },
    });
    expect(Object.entries(days[0]?.eventsByType ?? {}).sort()).toEqual([
      ['Ad_Impression', 1],
      ['Purchase', 4],
      ['Refund', 1],
      ['Session_End', 1],
      ['Session_Start', 2],
      ['Store_View', 1],
      ['__proto__', 1],
    ]);
    expect(days[2]).toMatchObject({ activePlayers: 2, newPlayers: 0, payingPlayers: 0, revenue: {} });
  });

  it('has every day of a span, also those on which nothing happened', async () => {
    const { days, cohorts } = await gameDashboard(world.pool, gameId, nameOf(10), nameOf(12), NOON);
    expect(days).toHaveLength(3);
    for (const day of days)
      expect(day).toMatchObject({ activePlayers: 0, events: 0, eventsByType: {}, revenue: {} });
    expect(cohorts[0]).toEqual({
      day: nameOf(10),
      players: 0,
      d1: 0,
      d7: 0,
      d28: 0,
      // The 30th day after is today, which is not over.
      d30: null,
      active: [0, 0, 0],
    });
  });

  it('tells how many of the players of a day came back, on which day', async () => {
    const { cohorts } = await gameDashboard(world.pool, gameId, nameOf(0), nameOf(2), NOON);
    expect(cohorts).toEqual([
      { day: nameOf(0), players: 3, d1: 2, d7: 1, d28: 1, d30: 0, active: [2, 2, 1] },
      { day: nameOf(1), players: 1, d1: 1, d7: 0, d28: 0, d30: 0, active: [0, 1] },
      { day: nameOf(2), players: 0, d1: 0, d7: 0, d28: 0, d30: 0, active: [0] },
    ]);
  });

  it('moves a player whose late event is earlier than the first login, with all active days', async () => {
    const game = await world.addGame('late');
    const [player] = (await world.addPlayers(game, [at(8)])) as [TestPlayer];
    const arrive = (...days: number[]) => {
      const events = days.map((day) => dated(at(day), event('Ad_Impression', {})));
      return applyEvents(world.pool, toRecords(player, events, at(8)));
    };
    const cohortsOf = async () => {
      const { cohorts } = await gameDashboard(world.pool, game, nameOf(0), nameOf(8), NOON);
      return cohorts
        .filter(({ players: n, active }) => n !== 0 || active.some((m) => m !== 0))
        .map(({ day, players: n, d1, d7, active }) => ({ day, players: n, d1, d7, active }));
    };
    await arrive(8);
    expect(await cohortsOf()).toEqual([{ day: nameOf(8), players: 1, d1: 0, d7: 0, active: [1] }]);
    await arrive(2, 5);
    const [inBetween] = await cohortsOf();
    expect(inBetween).toEqual({
      day: nameOf(2),
      players: 1,
      d1: 0,
      d7: 0,
      active: [1, 0, 0, 1, 0, 0, 1],
    });
    await arrive(1);
    expect(await cohortsOf()).toEqual([
      { day: nameOf(1), players: 1, d1: 1, d7: 1, active: [1, 1, 0, 0, 1, 0, 0, 1] },
    ]);
    expect((await recountGame(world.pool, game)).differences).toEqual([]);
  });

  it('gives no retention for a day that is not over', async () => {
    const { cohorts } = await gameDashboard(world.pool, gameId, nameOf(0), nameOf(60), at(8));
    expect(cohorts[0]).toMatchObject({ d1: 2, d7: 1, d28: null });
    // On the 8th day the 7th after the day before is still running.
    expect(cohorts[1]).toMatchObject({ d1: 1, d7: null });
    expect(cohorts[0]?.active).toHaveLength(9);
    expect(cohorts[9]).toMatchObject({ d1: null, active: [] });
  });
});

function event(eventType: string, payload: object): TestEvent {
  return { eventType, payload };
}

function purchase(transactionId: string, price: string, currency: string): TestEvent {
  return event('Purchase', { transactionId, price, currency });
}

function dated(ms: number, sent: TestEvent): TestEvent {
  return { ...sent, timestamp: new Date(ms).toISOString() };
}

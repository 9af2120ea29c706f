import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyEvents } from '../../../../src/core/events/apply/apply-events.js';
import { type FunnelRun, runFunnel } from '../../../../src/insight/analytics/funnels/run-funnel.js';
import { createGameWorld, DAY_MS, type GameWorld, toRecords } from '../../../support/game-world.js';
import { dayOf, event, HOUR_MS, NOW, playGame } from '../breakdowns/breakdown-world.js';

const SPAN = { from: dayOf(NOW - 30 * DAY_MS), to: dayOf(NOW - 5 * DAY_MS) };
const STEPS = ['Session_Start', 'Purchase', 'Session_Start'];

let world: GameWorld;
let gameId: number;
beforeAll(async () => {
  world = await createGameWorld();
  gameId = await world.addGame('game');
  await playGame(world, await world.addGame('other'), { players: 10, seed: 5 });
  const players = await playGame(world, gameId, { players: 60, seed: 21 });
  for (const [n, player] of players.entries()) {
    const at = player.createdAt + 2 * HOUR_MS;
    const events = [
      event('Store_View', at, {}, n % 3 === 0 ? { country: 'AT' } : {}),
      event('Purchase', at + n * 60_000, {
        transactionId: `x${n}`,
        skuId: 'gems',
        price: '1',
        currency: 'USD',
      }),
    ];
    await applyEvents(world.pool, toRecords(player, events, at + HOUR_MS));
    // A clock that is years wrong: it counts at its receipt.
    const wrong = event('Session_Start', Date.parse('2019-01-01T00:00:00Z'), { n });
    await applyEvents(world.pool, toRecords(player, [wrong], at + 3 * HOUR_MS));
  }
});
afterAll(() => world.close());

const run = (options: Partial<FunnelRun> = {}) =>
  runFunnel(world.pool, {
    gameId,
    steps: STEPS,
    windowHours: 72,
    by: null,
    playersPerChunk: 7,
    ...SPAN,
    ...options,
  });

/** Three steps by plain joins over the view of all events. */
const FROM_EVENTS = `
  with stored as (
    select player_id, event_type, case when clock_suspect or received_at < occurred_at then received_at else occurred_at end as at
    from events where game_id = $1
  ), entered as (
    select player_id, at from stored where event_type = $2 and at >= $5::date and at < $6::date + 1
  ), second as (
    select f.player_id, f.at as start, min(s.at) as at
    from entered f join stored s on s.player_id = f.player_id and s.event_type = $3 and s.at > f.at
      and s.at <= f.at + $7 * interval '1 hour'
    group by 1, 2
  ), third as (
    select distinct f.player_id from second f
    join stored s on s.player_id = f.player_id and s.event_type = $4 and s.at > f.at and s.at <= f.start + $7 * interval '1 hour'
  )
  select array[(select count(distinct player_id) from entered), (select count(distinct player_id) from second),
    (select count(*) from third)]::int[] as players`;

const countPlain = async (steps: readonly string[], windowHours: number, { from, to } = SPAN) => {
  const { rows } = await world.pool.query<{ players: number[] }>(FROM_EVENTS, [
    gameId,
    ...steps,
    from,
    to,
    windowHours,
  ]);
  return rows[0]?.players;
};

describe('a funnel', () => {
  it.each([
    { steps: STEPS, windowHours: 72 },
    { steps: STEPS, windowHours: 2 },
    { steps: ['Session_Start', 'Store_View', 'Purchase'], windowHours: 24 },
    { steps: ['Session_Start', 'Session_Start', 'Session_Start'], windowHours: 200 },
    { steps: ['Nothing', 'Session_Start', 'Purchase'], windowHours: 24 },
  ])(
    'equals plain SQL over the view events: $steps within $windowHours hours',
    async ({ steps, windowHours }) => {
      const players = await countPlain(steps, windowHours);
      expect(await run({ steps, windowHours })).toEqual({ players, values: [] });
    },
  );

  it('equals plain SQL for a span of one day, and for a span that reaches further back than the active days of a player', async () => {
    const day = dayOf(NOW - 10 * DAY_MS);
    const one = { from: day, to: day };
    expect(await run(one)).toMatchObject({ players: await countPlain(STEPS, 72, one) });
    const long = { from: dayOf(NOW - 300 * DAY_MS), to: dayOf(NOW) };
    const players = await countPlain(STEPS, 72, long);
    expect(players?.[0]).toBe(60);
    expect(await run(long)).toMatchObject({ players });
  });

  it('counts by the value of the day on which the player entered', async () => {
    const result = await run({ steps: ['Store_View', 'Purchase'], windowHours: 1, by: 'country' });
    const { rows } = await world.pool.query<{ value: string; n: number }>(
      `select coalesce((select d.country from player_days d where d.player_id = e.player_id and d.day <= e.day
           and d.country is not null order by d.day desc limit 1), '') as value, count(*)::int as n
       from (select player_id, min((occurred_at at time zone 'UTC')::date) as day from events
             where game_id = $1 and event_type = 'Store_View' group by 1) e
       where e.day between $2::date and $3::date
       group by 1`,
      [gameId, SPAN.from, SPAN.to],
    );
    expect(result?.values.length).toBeGreaterThan(1);
    expect(new Map(result?.values.map(({ value, players }) => [value, players[0]]))).toEqual(
      new Map(rows.map(({ value, n }) => [value, n])),
    );
    const sums = [0, 1].map((step) =>
      result?.values.reduce((sum, { players }) => sum + (players[step] ?? 0), 0),
    );
    expect(sums).toEqual(result?.players);
  });

  it('tells how far it is, and ends when it is asked to', async () => {
    const progress: { done: number; total: number }[] = [];
    const stop = new AbortController();
    const onProgress = (each: { done: number; total: number }) => {
      progress.push(each);
      if (progress.length === 3) stop.abort();
    };
    expect(await run({ onProgress, signal: stop.signal }).catch(() => null)).toBeNull();
    expect(progress).toEqual([0, 7, 14].map((done) => ({ done, total: 60 })));
  });
});

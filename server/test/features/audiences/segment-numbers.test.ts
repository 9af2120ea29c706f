import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { segment } from '../../personalisation/support/fixtures.js';
import { type AdminClient, GAME, openAdminClient } from '../../support/admin-calls.js';
import { expectGeneralError, gameDocument, publish } from '../../support/data-calls.js';
import { createHarness, type Harness, postEvents } from '../../support/harness.js';
import { addStudio } from '../../support/session-calls.js';

const DAY_MS = 86_400_000;
const NUMBERS = `${GAME}/segment-numbers`;

type Numbers = {
  players: number;
  activePlayers: number;
  payingPlayers: number;
  conversion: number | null;
  purchases: number;
  revenue: Record<string, string>;
  revenuePerActivePlayer: Record<string, string>;
  revenuePerPayingPlayer: Record<string, string>;
};
type Response = {
  version: number;
  from: string;
  to: string;
  players: number;
  examined: number;
  isSampled: boolean;
  countedAt: string;
  all: Numbers;
  segments: ({ segmentId: string; name: string } & Numbers)[] | null;
};

let harness: Harness;
let admin: AdminClient;
beforeAll(async () => {
  harness = await createHarness();
  admin = await openAdminClient(harness);
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

const ask = () => admin.ask<Response>('GET', NUMBERS, undefined, admin.tokens.viewer);
const publishSegments = (...segments: ReturnType<typeof segment>[]) =>
  publish(harness.pool, gameDocument([], { segments }), harness.clock.now());

async function play(device: string, ...events: [eventType: string, payload: object][]): Promise<void> {
  const session = await harness.login(device);
  const timestamp = new Date(harness.clock.now()).toISOString();
  const sent = events.map(([eventType, payload]) => ({ eventType, timestamp, payload }));
  expect((await postEvents(harness.app, session, sent)).statusCode).toBe(202);
}

const bought = (transactionId: string, price: string, currency: string): [string, object] => [
  'Purchase',
  { transactionId, price, currency },
];

describe('the numbers of the players of segments', () => {
  it('are those of the last 28 days, of the players who are in the segments now', async () => {
    // Both were active before the span; one of them comes back in it.
    await play('gone', bought('old-1', '100', 'USD'));
    await play('back', bought('old-2', '50', 'USD'));
    harness.clock.advance(28 * DAY_MS);
    await play('back', ['Win', {}]);
    await play(
      'buyer',
      bought('t1', '4.99', 'USD'),
      bought('t2', '0.015', 'EUR'),
      bought('t3', '0.1', 'USD'),
    );
    await play('refunded', bought('t4', '9', 'USD'), ['Refund', { transactionId: 't4' }]);
    await harness.login('silent');
    const version = await publishSegments(
      segment('payers', 'purchases.total > 0'),
      segment('winners', 'events["Win"].last7d > 0'),
      segment('none', 'false'),
    );
    const { all, segments, ...rest } = await ask();
    const nowMs = harness.clock.now();
    expect(rest).toEqual({
      version,
      from: new Date(nowMs - 27 * DAY_MS).toISOString().slice(0, 10),
      to: new Date(nowMs).toISOString().slice(0, 10),
      players: 5,
      examined: 5,
      isSampled: false,
      countedAt: new Date(nowMs).toISOString(),
    });
    expect(all).toEqual({
      players: 5,
      activePlayers: 3,
      payingPlayers: 1,
      conversion: 0.3333,
      purchases: 3,
      revenue: { EUR: '0.015', USD: '5.09' },
      revenuePerActivePlayer: { EUR: '0.005', USD: '1.6967' },
      revenuePerPayingPlayer: { EUR: '0.015', USD: '5.09' },
    });
    const nothing = { conversion: null, purchases: 0, revenue: {} };
    const noMeans = { revenuePerActivePlayer: {}, revenuePerPayingPlayer: {} };
    expect(segments).toEqual([
      {
        ...all,
        ...{ segmentId: 'payers', name: expect.any(String), players: 3, activePlayers: 2, conversion: 0.5 },
        revenuePerActivePlayer: { EUR: '0.0075', USD: '2.545' },
      },
      {
        ...{ segmentId: 'winners', name: expect.any(String), players: 1, activePlayers: 1, payingPlayers: 0 },
        ...{ ...nothing, conversion: 0, ...noMeans },
      },
      {
        ...{ segmentId: 'none', name: expect.any(String), players: 0, activePlayers: 0, payingPlayers: 0 },
        ...{ ...nothing, ...noMeans },
      },
    ]);
  });

  it('are a file of a row for each segment and one for all, in which no name becomes a formula', async () => {
    await publishSegments({ ...segment('payers', 'purchases.total > 0'), name: '=1+1' });
    const response = await admin.call('GET', `${NUMBERS}?format=csv`, undefined, admin.tokens.viewer);
    expect(response.headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(response.headers['content-disposition']).toMatch(/filename="demo-game-segments-[\d-]+\.csv"/);
    expect(response.body.trimEnd().split('\r\n')).toEqual([
      'segmentId,name,players,activePlayers,payingPlayers,conversion,purchases,revenue:EUR,revenue:USD',
      "payers,'=1+1,3,2,1,0.5,3,0.015,5.09",
      ',all players,5,3,1,0.3333,3,0.015,5.09',
    ]);
    expectGeneralError(await admin.call('GET', `${NUMBERS}?format=xml`), 400, 'parameter_invalid');
  });

  it('are counted once a minute, and anew for another version', async () => {
    await harness.login('newcomer');
    expect((await ask()).players).toBe(5);
    harness.clock.advance(60_000);
    expect((await ask()).players).toBe(6);
    await harness.login('another');
    await publishSegments(segment('all', 'true'));
    expect(await ask()).toMatchObject({ players: 7, segments: [{ segmentId: 'all', players: 7 }] });
  });

  it('are estimated from a sample where there are many players', async () => {
    const today = new Date(harness.clock.now());
    const { rows } = await harness.pool.query<{ id: string }>(
      `insert into players (game_id, user_id, created_at)
       select g.id, gen_random_uuid(), $1 from games g, generate_series(1, 20000) n where g.slug = 'demo-game'
       returning id`,
      [today],
    );
    // The older half has bought something today.
    await harness.pool.query(
      `insert into player_days (player_id, day, events, purchases, revenue)
       select id, ($2::timestamptz at time zone 'UTC')::date, 1, 1, '{"USD": 2.50}' from unnest($1::bigint[]) id`,
      [rows.slice(0, 10_000).map(({ id }) => id), today],
    );
    await publishSegments(segment('all', 'true'));
    harness.clock.advance(60_000);
    const { examined, isSampled, players, all, segments } = await ask();
    expect({ examined, isSampled, players }).toEqual({ examined: 10_000, isSampled: true, players: 20_007 });
    expect(Math.abs(all.payingPlayers - 10_000)).toBeLessThan(50);
    expect(Math.abs(Number(all.revenue.USD) - 25_000)).toBeLessThan(150);
    expect(segments).toMatchObject([{ segmentId: 'all', ...all }]);
  });

  it('are those of a game of the studio', async () => {
    await addStudio(harness, 'other-studio', 'other-game');
    const token = await admin.addToken('viewer', { tenant: 'other-studio' });
    expectGeneralError(await admin.call('GET', NUMBERS, undefined, token), 404, 'game_not_found');
    const own = await admin.ask<Response>('GET', '/games/other-game/segment-numbers', undefined, token);
    expect(own).toMatchObject({
      players: 0,
      examined: 0,
      isSampled: false,
      all: { players: 0, revenue: {} },
    });
    expect((await admin.call('GET', NUMBERS, undefined, null)).statusCode).toBe(401);
  });
});

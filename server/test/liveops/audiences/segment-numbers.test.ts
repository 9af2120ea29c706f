import { fastify } from 'fastify';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { PlayerSample } from '../../../src/liveops/audiences/sample-queries.js';
import { segmentNumberRoutes } from '../../../src/liveops/audiences/segment-number-routes.js';
import { countSegmentNumbers } from '../../../src/liveops/audiences/segment-numbers.js';
import { registerErrorHandlers } from '../../../src/platform/http/error-handler.js';
import { registerValidation } from '../../../src/platform/http/validation.js';
import { segment } from '../../decide/support/fixtures.js';
import { type AdminClient, adminContext, GAME, openAdminClient } from '../../support/admin-calls.js';
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
  reported: Record<string, unknown> | null;
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
      // Nobody can tell how many of the payers paid in which currency.
      revenuePerPayingPlayer: {},
      reported: {
        currency: 'USD',
        revenue: '5.1065',
        missing: {},
        revenuePerActivePlayer: '1.7022',
        revenuePerPayingPlayer: '5.1065',
      },
    });
    const nothing = { conversion: null, purchases: 0, revenue: {}, reported: expect.any(Object) };
    const noMeans = { revenuePerActivePlayer: {}, revenuePerPayingPlayer: {} };
    expect(segments).toEqual([
      {
        ...all,
        segmentId: 'payers',
        name: expect.any(String),
        players: 3,
        activePlayers: 2,
        conversion: 0.5,
        revenuePerActivePlayer: { EUR: '0.0075', USD: '2.545' },
        reported: { ...all.reported, revenuePerActivePlayer: '2.5532' },
      },
      {
        segmentId: 'winners',
        name: expect.any(String),
        players: 1,
        activePlayers: 1,
        payingPlayers: 0,
        ...nothing,
        conversion: 0,
        ...noMeans,
      },
      {
        segmentId: 'none',
        name: expect.any(String),
        players: 0,
        activePlayers: 0,
        payingPlayers: 0,
        ...nothing,
        ...noMeans,
      },
    ]);
  });

  it('are a file of a row for each segment and one for all, in which no name becomes a formula', async () => {
    await publishSegments({ ...segment('payers', 'purchases.total > 0'), name: '=1+1' });
    const response = await admin.call('GET', `${NUMBERS}?format=csv`, undefined, admin.tokens.viewer);
    expect(response.headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(response.headers['content-disposition']).toMatch(/filename="demo-game-segments-[\d-]+\.csv"/);
    expect(response.body.trimEnd().split('\r\n')).toEqual([
      'segmentId,name,players,activePlayers,payingPlayers,conversion,purchases,reportingCurrency,reported:revenue,reported:revenuePerActivePlayer,reported:revenuePerPayingPlayer,withoutRate,revenue:EUR,revenue:USD,revenuePerActivePlayer:EUR,revenuePerActivePlayer:USD,revenuePerPayingPlayer:EUR,revenuePerPayingPlayer:USD',
      "payers,'=1+1,3,2,1,0.5,3,USD,5.1065,2.5532,5.1065,,0.015,5.09,0.0075,2.545,,",
      ',all players,5,3,1,0.3333,3,USD,5.1065,1.7022,5.1065,,0.015,5.09,0.005,1.6967,,',
    ]);
    expectGeneralError(await admin.call('GET', `${NUMBERS}?format=xml`), 400, 'parameter_invalid');
  });

  it('are kept, and counted anew for another version', async () => {
    await harness.login('newcomer');
    expect((await ask()).players).toBe(5);
    // For a minute, or longer if the count took long: for an hour at most.
    harness.clock.advance(3_600_000);
    expect((await ask()).players).toBe(6);
    await harness.login('another');
    await publishSegments(segment('all', 'true'));
    expect(await ask()).toMatchObject({ players: 7, segments: [{ segmentId: 'all', players: 7 }] });
  });

  /** A quarter of them have bought something today. */
  async function addPlayers(many: number): Promise<void> {
    await harness.pool.query(
      `with added as (
         insert into players (game_id, user_id, created_at, purchase_count, last_purchase_at)
         select g.id, gen_random_uuid(), $1, case when is_payer then 1 else 0 end, case when is_payer then $1::timestamptz end
         from games g, generate_series(1, $2::int) n, lateral (select abs(hashint4(n)) % 4 = 0 as is_payer) chance
         where g.slug = 'demo-game'
         returning id, purchase_count
       )
       insert into player_days (player_id, day, events, purchases, revenue)
       select id, ($1::timestamptz at time zone 'UTC')::date, 1, 1, '{"USD": 2.50}' from added where purchase_count > 0`,
      [new Date(harness.clock.now()), many],
    );
  }
  const askSize = async () => {
    type Sizes = { segments: { size: { players: number } }[] };
    const { segments } = await admin.ask<Sizes>('GET', `${GAME}/segments`, undefined, admin.tokens.viewer);
    return segments[0]?.size.players;
  };

  it('are estimated from a sample where there are many players, the same as that of the sizes', async () => {
    await addPlayers(12_000);
    await publishSegments(segment('payers', 'purchases.total > 0'));
    const exact = await ask();
    expect(exact).toMatchObject({ players: 12_007, examined: 12_007, isSampled: false });
    const { rows } = await harness.pool.query<{ payers: number }>(
      'select count(*)::int as payers from players where purchase_count > 0',
    );
    expect(exact.segments?.[0]?.players).toBe(rows[0]?.payers);
    expect(await askSize()).toBe(rows[0]?.payers);

    await addPlayers(28_000);
    // Neither count is kept for longer than an hour.
    harness.clock.advance(3_600_000);
    const { all, segments, ...sampled } = await ask();
    expect(sampled).toMatchObject({ players: 40_007, examined: 20_000, isSampled: true });
    expect(Math.abs(all.payingPlayers - 10_000)).toBeLessThan(300);
    expect(Math.abs(Number(all.revenue.USD) - 25_000)).toBeLessThan(750);
    expect(segments?.[0]?.players).toBe(await askSize());
  });

  it('are of the sample that audiences and scores are counted for', async () => {
    await harness.login('after-the-draw');
    const { viewer } = admin.tokens;
    const document = gameDocument([], { segments: [segment('all', 'true')] });
    const body = { document, segmentId: 'all' };
    const audience = await admin.ask<Response>('POST', `${GAME}/audience`, body, viewer);
    const scores = await admin.ask<Response>('GET', `${GAME}/prediction-scores`, undefined, viewer);
    for (const each of [await ask(), audience, scores]) expect(each.players).toBe(40_007);
  });

  it('are exact where all players were drawn, though one of them is gone', async () => {
    const { rows } = await harness.pool.query<{ id: string; gameId: number }>(
      'select id, game_id as "gameId" from players order by id limit 2',
    );
    const ids = [...rows.map(({ id }) => id), '9000000000000000'];
    const counted = await countSegmentNumbers(
      harness.pool,
      rows[0]?.gameId ?? 0,
      gameDocument([], { segments: [segment('all', 'true')] }),
      { players: 3, ids },
      harness.clock.now(),
    );
    expect(counted).toMatchObject({ players: 2, examined: 2, isSampled: false, all: { players: 2 } });
    expect(counted.segments?.get('all')?.players).toBe(2);
  });

  it('are counted once for all who ask, who need not wait until a long count ends', async () => {
    let end = (_sample: PlayerSample) => {};
    const drawn = new Promise<PlayerSample>((resolve) => {
      end = resolve;
    });
    const of = vi.fn(() => drawn);
    const app = fastify();
    registerErrorHandlers(app);
    registerValidation(app);
    app.decorateRequest('admin', undefined);
    segmentNumberRoutes(app, adminContext(harness), { of }, 1);
    const headers = { authorization: `Bearer ${admin.tokens.viewer}` };
    const send = () => app.inject({ url: `/admin/v1${NUMBERS}`, headers });
    for (let asked = 0; asked < 3; asked++) {
      const response = await send();
      expect(response.statusCode, response.body).toBe(429);
      expect(response.headers['retry-after']).toBe('5');
      expect(response.json().error).toMatchObject({
        code: 'busy',
        message: 'The numbers of the segments are still being counted. Try again in a few seconds.',
      });
      harness.clock.advance(60_000);
    }
    end({ players: 0, ids: [] });
    await vi.waitUntil(async () => (await send()).statusCode === 200, { timeout: 60_000 });
    // The count that all three waited for, and perhaps one more: the time for which it is kept is over.
    expect(of.mock.calls.length).toBeLessThan(3);
    await app.close();
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

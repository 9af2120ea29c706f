import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdminClient, GAME, openAdminClient } from '../../../support/admin-calls.js';
import { expectGeneralError } from '../../../support/data-calls.js';
import { DAY_MS } from '../../../support/game-world.js';
import { createHarness, type Harness, postEvents, type Session } from '../../../support/harness.js';
import { addStudio, expectStringError } from '../../../support/session-calls.js';
import { dayOf, HOUR_MS, sumOn } from './breakdown-world.js';

type Value = { kind: string; value: string | null } & Record<string, unknown>;
type Breakdown = {
  daysSummed: number;
  summedAt: string | null;
  summing: { daysDone: number; days: number } | null;
  activePlayerDays: number;
  values: Value[];
};

/** Noon, so that no midnight comes in between. */
const NOON = Date.parse(`${new Date().toISOString().slice(0, 10)}T12:00:00.000Z`);
const [TWO_DAYS_AGO, YESTERDAY, TODAY] = [2, 1, 0].map((days) => dayOf(NOON - days * DAY_MS));

let harness: Harness;
let admin: AdminClient;
beforeAll(async () => {
  harness = await createHarness();
  admin = await openAdminClient(harness);
  harness.clock.set(NOON - 2 * DAY_MS);
  const anna = await harness.login('anna');
  const bert = await harness.login('bert');
  await send(anna, 'Session_Start', {}, { country: 'DE', osName: 'iOS', clientBuild: '=1+1' });
  await send(bert, 'Session_Start', {}, { country: 'us' });
  await send(anna, 'Purchase', { transactionId: 't1', skuId: 'gems', price: '4.99', currency: 'EUR' });
  harness.clock.set(NOON - DAY_MS);
  await send(await harness.login('anna'), 'Session_Start');
  harness.clock.set(NOON);
  await send(await harness.login('carl'), 'Session_Start');
  const promo = { transactionId: 't2', skuId: 'gems', price: '1', currency: 'USD', promoId: 'weekend' };
  await send(await harness.login('anna'), 'Purchase', promo);
  await sumOn(harness.pool, { nowMs: NOON });
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

async function send(session: Session, eventType: string, payload = {}, metadata = {}): Promise<void> {
  const timestamp = new Date(harness.clock.now()).toISOString();
  const response = await postEvents(harness.app, session, [{ eventType, timestamp, payload, metadata }]);
  expect(response.statusCode, response.body).toBe(202);
}

const ask = (query: string) =>
  admin.ask<Breakdown>('GET', `${GAME}/breakdown?${query}`, undefined, admin.tokens.viewer);
const file = async (query: string) => {
  const response = await admin.call(
    'GET',
    `${GAME}/breakdown?${query}&format=csv`,
    undefined,
    admin.tokens.viewer,
  );
  expect(response.statusCode, response.body).toBe(200);
  expect(response.headers['content-type']).toBe('text/csv; charset=utf-8');
  return { lines: response.body.split('\r\n'), name: String(response.headers['content-disposition']) };
};
const NOBODY = { newPlayers: 0, active: 0 };

describe('a breakdown', () => {
  it('tells the numbers of a span by country, and what follows from them', async () => {
    const { values, ...rest } = await ask(`by=country&from=${TWO_DAYS_AGO}&to=${TODAY}`);
    expect(rest).toEqual({
      by: 'country',
      from: TWO_DAYS_AGO,
      to: TODAY,
      daysSummed: 3,
      summedAt: new Date(NOON).toISOString(),
      summing: null,
      activePlayerDays: 5,
    });
    expect(values).toEqual([
      {
        kind: 'value',
        value: 'DE',
        activePlayerDays: 3,
        newPlayers: 1,
        payingPlayerDays: 2,
        dailyConversion: 0.6667,
        purchases: 2,
        revenue: { EUR: '4.99', USD: '1' },
        revenuePerActivePlayer: { EUR: '1.6633', USD: '0.3333' },
        // Nobody can tell how many of the payers paid in which currency.
        revenuePerPayingPlayer: {},
        reported: {
          currency: 'USD',
          revenue: '6.489',
          missing: {},
          revenuePerActivePlayer: '2.163',
          revenuePerPayingPlayer: '3.2445',
        },
        retention: { '1': { newPlayers: 1, active: 1 }, '7': NOBODY, '28': NOBODY, '30': NOBODY },
      },
      expect.objectContaining({ kind: 'unknown', value: null, activePlayerDays: 1, newPlayers: 1 }),
      expect.objectContaining({
        kind: 'value',
        value: 'US',
        activePlayerDays: 1,
        newPlayers: 1,
        dailyConversion: 0,
        retention: { '1': { newPlayers: 1, active: 0 }, '7': NOBODY, '28': NOBODY, '30': NOBODY },
      }),
    ]);
  });

  it('counts players under the build of the day, and retention under the build of the first day', async () => {
    const studio = await addStudio(harness, 'updates', 'updates');
    const token = await admin.addToken('viewer', { tenant: 'updates' });
    const play = async (device: number, clientBuild: string) =>
      send(await studio.login(`device ${device}`), 'Session_Start', {}, { clientBuild });
    harness.clock.set(NOON - 2 * DAY_MS);
    for (let device = 0; device < 30; device++) await play(device, '1.0');
    harness.clock.set(NOON - DAY_MS);
    for (let device = 0; device < 15; device++) await play(device, '2.0');
    harness.clock.set(NOON);
    // Until the days are summed, whoever asks is told: here, for revenue per install, and again when history comes.
    const summing = async (name: string) =>
      (await admin.ask<Breakdown>('GET', `/games/updates/${name}`, undefined, token)).summing;
    expect(await summing('breakdown')).toEqual({ daysDone: 0, days: 2 });
    const fileOf = async (name: string) =>
      (await admin.call('GET', `/games/updates/${name}format=csv`, undefined, token)).headers;
    for (const name of ['breakdown?', 'breakdown?table=days&', 'revenue-per-install?']) {
      expect(await fileOf(name)).toMatchObject({
        'x-summing': 'days-done=0, days=2',
        'content-disposition': expect.stringMatching(/-partial\.csv"$/),
      });
    }
    await sumOn(harness.pool, { nowMs: NOON + HOUR_MS / 2 });
    expect(await summing('breakdown')).toBeNull();
    expect(await summing('revenue-per-install')).toBeNull();
    const complete = await fileOf('breakdown?');
    expect(complete).not.toHaveProperty('x-summing');
    expect(complete['content-disposition']).not.toContain('partial');
    harness.clock.set(NOON - DAY_MS);
    await play(30, '2.0');
    harness.clock.set(NOON);
    expect(await summing('breakdown')).toEqual({ daysDone: 1, days: 2 });
    expect(await summing('revenue-per-install')).toEqual({ daysDone: 1, days: 2 });
    expect(await summing(`breakdown?to=${TWO_DAYS_AGO}`)).toBeNull();
    await sumOn(harness.pool, { nowMs: NOON + (2 * HOUR_MS) / 3 });
    const { values } = await admin.ask<Breakdown>(
      ...(['GET', '/games/updates/breakdown?by=build', undefined, token] as const),
    );
    expect(values).toMatchObject([
      {
        value: '1.0',
        activePlayerDays: 30,
        newPlayers: 30,
        retention: { '1': { newPlayers: 30, active: 15 } },
      },
      { value: '2.0', activePlayerDays: 16, newPlayers: 1, retention: { '1': NOBODY } },
    ]);
    // The build of the first day is not new: nobody knows how old it is.
    const dashboard = await admin.ask('GET', '/games/updates/dashboard', undefined, token);
    expect(dashboard.builds).toEqual([{ build: '2.0', firstDay: YESTERDAY }]);
  });

  it('tells of purchases what is known of them, and nothing else', async () => {
    const { values } = await ask(`by=promotion&from=${TWO_DAYS_AGO}&to=${TODAY}`);
    const common = { activePlayerDays: null, newPlayers: null, retention: null, dailyConversion: 0.2 };
    expect(values).toEqual([
      expect.objectContaining({
        ...common,
        kind: 'unknown',
        value: null,
        purchases: 1,
        revenue: { EUR: '4.99' },
      }),
      expect.objectContaining({
        ...common,
        kind: 'value',
        value: 'weekend',
        purchases: 1,
        revenue: { USD: '1' },
      }),
    ]);
    const skus = await ask(`by=sku&from=${TODAY}&to=${TODAY}`);
    expect(skus.values).toMatchObject([
      { value: 'gems', payingPlayerDays: 1, purchases: 1, dailyConversion: 0.5 },
    ]);
  });

  it('is a file for spreadsheets, too, in which no value is a formula', async () => {
    const builds = await file(`by=build&from=${TODAY}&to=${TODAY}`);
    expect(builds.name).toBe(`attachment; filename="demo-game-build-values-${TODAY}-${TODAY}.csv"`);
    expect(builds.lines).toEqual([
      'kind,build,activePlayerDays,newPlayers,payingPlayerDays,dailyConversion,purchases,newPlayers:d1,d1,newPlayers:d7,d7,newPlayers:d28,d28,newPlayers:d30,d30,reportingCurrency,reported:revenue,reported:revenuePerActivePlayer,reported:revenuePerPayingPlayer,withoutRate,revenue:USD,revenuePerActivePlayer:USD,revenuePerPayingPlayer:USD',
      "value,'=1+1,1,0,1,1,1,0,0,0,0,0,0,0,0,USD,1,1,1,,1,1,1",
      'unknown,,1,1,0,0,0,0,0,0,0,0,0,0,0,USD,0,0,,,0,0,',
      '',
    ]);
    const days = await file(`by=country&table=days&from=${TWO_DAYS_AGO}&to=${YESTERDAY}`);
    expect(days.lines).toEqual([
      'day,kind,country,activePlayers,newPlayers,payingPlayers,purchases,d1,d7,d28,d30,reportingCurrency,reported:revenue,reported:revenuePerActivePlayer,reported:revenuePerPayingPlayer,withoutRate,revenue:EUR,revenuePerActivePlayer:EUR,revenuePerPayingPlayer:EUR',
      `${TWO_DAYS_AGO},value,DE,1,1,1,1,1,,,,USD,5.489,5.489,5.489,,4.99,4.99,4.99`,
      `${TWO_DAYS_AGO},value,US,1,1,0,0,0,,,,USD,0,0,,,0,0,`,
      `${YESTERDAY},value,DE,1,0,0,0,,,,,USD,0,0,,,0,0,`,
      '',
    ]);
    const skus = await file(`by=sku&table=days&from=${TODAY}&to=${TODAY}`);
    expect(skus.lines[1]).toBe(`${TODAY},value,gems,,,1,1,,,,,USD,1,,1,,1,,1`);
    // Two players of the game were active, one of them bought this SKU.
    const sku = await file(`by=sku&from=${TODAY}&to=${TODAY}`);
    expect(sku.lines[1]).toBe('value,gems,,,1,0.5,1,,,,,,,,,USD,1,0.5,1,,1,0.5,1');
  });

  it('puts what is behind the fifty largest values into one', async () => {
    await harness.pool.query(
      `insert into game_breakdowns
       select game_id, 'platform', date '2020-01-01', false, 'os ' || n, 1000 - n, 1, 0, 1, '{"USD": 0.1}'::jsonb, 0, 0, 0, 0
       from generate_series(1, 40) n, (select game_id from game_breakdown_days limit 1) g
       union all
       select game_id, 'platform', date '2020-01-02', false, 'os ' || n, 1000 - n, 1, 0, 1, '{"USD": 0.1}'::jsonb, 0, 0, 0, 0
       from generate_series(31, 70) n, (select game_id from game_breakdown_days limit 1) g`,
    );
    await harness.pool.query(
      `insert into game_breakdown_days
       select game_id, d, '{"active": 40000}', now() from unnest('{2020-01-01,2020-01-02}'::date[]) d,
         (select game_id from game_breakdown_days limit 1) g`,
    );
    const { values } = await ask('by=platform&from=2020-01-01&to=2020-01-31');
    expect(values).toHaveLength(51);
    expect(values[0]).toMatchObject({ value: 'os 31', activePlayerDays: 2 * 969, revenue: { USD: '0.2' } });
    expect(values[50]).toMatchObject({ kind: 'other', value: null, newPlayers: 20, revenue: { USD: '2' } });
  });

  it('is shown in the dashboard as weekly and monthly players, each counted once', async () => {
    const { days, today } = await admin.ask<{ days: Value[]; today: Value }>(
      'GET',
      `${GAME}/dashboard?from=${TWO_DAYS_AGO}&to=${TODAY}`,
    );
    expect(days.map((day) => [day.activePlayers, day.weeklyActivePlayers, day.monthlyActivePlayers])).toEqual(
      [
        [2, 2, 2],
        [1, 2, 2],
        [2, 3, 3],
      ],
    );
    expect(today).toMatchObject({ weeklyActivePlayers: 3, monthlyActivePlayers: 3 });
  });

  it('is of one game of one studio', async () => {
    const studio = await addStudio(harness, 'other-studio', 'other-game');
    await send(await studio.login('stranger'), 'Session_Start', {}, { country: 'FR' });
    await sumOn(harness.pool, { nowMs: NOON + HOUR_MS });
    const token = await admin.addToken('viewer', { tenant: 'other-studio' });
    expectGeneralError(
      await admin.call('GET', `${GAME}/breakdown?by=country`, undefined, token),
      404,
      'game_not_found',
    );
    const own = await admin.ask<Breakdown>('GET', '/games/other-game/breakdown?by=country', undefined, token);
    expect(own.values.map(({ value }) => value)).toEqual(['FR']);

    // The first minutes of a game: more players come on one day than were summed in the whole week.
    const dashboard = () =>
      admin.ask<{ today: Value }>('GET', '/games/other-game/dashboard', undefined, token);
    expect((await dashboard()).today).toMatchObject({ activePlayers: 1, weeklyActivePlayers: 1 });
    await send(await studio.login('second'), 'Session_Start');
    const outdated = { activePlayers: 2, weeklyActivePlayers: null, monthlyActivePlayers: null };
    expect((await dashboard()).today).toMatchObject(outdated);
    await sumOn(harness.pool, { nowMs: NOON + 2 * HOUR_MS });
    expect((await dashboard()).today).toMatchObject({ activePlayers: 2, weeklyActivePlayers: 2 });
    expect((await ask('by=country')).values.map(({ value }) => value)).not.toContain('FR');
    expectStringError(
      await admin.call('GET', `${GAME}/breakdown?by=country`, undefined, null),
      401,
      'token_missing',
    );
  });

  it.each(['by=segment', 'by=country&by=sku', 'by=country&from=yesterday', 'by=country&table=players'])(
    'refuses "%s"',
    async (query) => {
      expectGeneralError(await admin.call('GET', `${GAME}/breakdown?${query}`), 400, 'parameter_invalid');
    },
  );
});

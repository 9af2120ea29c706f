import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdminClient, GAME, openAdminClient } from '../../support/admin-calls.js';
import { expectGeneralError, gameDocument, publish, sku } from '../../support/data-calls.js';
import { DAY_MS } from '../../support/game-world.js';
import { createHarness, type Harness, postEvents, type Session } from '../../support/harness.js';
import { addStudio, expectStringError } from '../../support/session-calls.js';

type Day = { day: string; revenue: Record<string, string> } & Record<string, unknown>;
type Dashboard = {
  from: string;
  to: string;
  today: Day;
  days: Day[];
  cohorts: unknown[];
  versions: unknown[];
};

/** Noon, so that no midnight comes in between. */
const NOON = Date.parse(`${new Date().toISOString().slice(0, 10)}T12:00:00.000Z`);
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
const TODAY = dayOf(NOON);
const YESTERDAY = dayOf(NOON - DAY_MS);

let harness: Harness;
let admin: AdminClient;
let version: number;
beforeAll(async () => {
  harness = await createHarness();
  admin = await openAdminClient(harness);
  harness.clock.set(NOON - DAY_MS);
  for (const device of ['first', 'second']) await send(await harness.login(device), 'Session_Start');
  harness.clock.set(NOON);
  await harness.login('third');
  const [first, second] = [await harness.login('first'), await harness.login('second')];
  await send(first, 'Session_Start');
  await send(first, 'Purchase', { transactionId: 't1', price: '4.99', currency: 'USD' });
  await send(first, 'Purchase', { transactionId: 't2', price: '0.02', currency: 'USD' });
  await send(second, 'Ad_Impression');
  await send(second, 'Store_View');
  version = await publish(harness.pool, gameDocument([sku('a')]), NOON);
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

async function send(session: Session, eventType: string, payload: object = {}): Promise<void> {
  const timestamp = new Date(harness.clock.now()).toISOString();
  const response = await postEvents(harness.app, session, [{ eventType, timestamp, payload }]);
  expect(response.statusCode, response.body).toBe(202);
}

const ask = (query = '') =>
  admin.ask<Dashboard>('GET', `${GAME}/dashboard${query}`, undefined, admin.tokens.viewer);
const file = async (query: string) => {
  const response = await admin.call('GET', `${GAME}/dashboard?${query}`, undefined, admin.tokens.viewer);
  expect(response.statusCode, response.body).toBe(200);
  expect(response.headers['content-type']).toBe('text/csv; charset=utf-8');
  return { lines: response.body.split('\r\n'), name: String(response.headers['content-disposition']) };
};

describe('the dashboard', () => {
  it('tells the numbers of each day, and what follows from them', async () => {
    const { days, today, from, to, versions } = await ask(`?from=${YESTERDAY}&to=${TODAY}`);
    expect([from, to]).toEqual([YESTERDAY, TODAY]);
    expect(days.map(({ day }) => day)).toEqual([YESTERDAY, TODAY]);
    expect(days[0]).toMatchObject({ activePlayers: 2, newPlayers: 2, conversion: 0, revenue: {} });
    expect(days[1]).toEqual({
      day: TODAY,
      activePlayers: 2,
      weeklyActivePlayers: null,
      monthlyActivePlayers: null,
      newPlayers: 1,
      payingPlayers: 1,
      weeklyPayingPlayers: null,
      monthlyPayingPlayers: null,
      conversion: 0.5,
      weeklyConversion: null,
      monthlyConversion: null,
      sessions: 1,
      events: 5,
      adImpressions: 1,
      storeViews: 1,
      playMs: 0,
      purchases: 2,
      revenue: { USD: '5.01' },
      revenuePerActivePlayer: { USD: '2.505' },
      revenuePerPayingPlayer: { USD: '5.01' },
      reported: {
        currency: 'USD',
        revenue: '5.01',
        missing: {},
        revenuePerActivePlayer: '2.505',
        revenuePerPayingPlayer: '5.01',
      },
      revenueByProof: {
        verified: { amounts: {}, reported: { currency: 'USD', amount: '0', missing: {} } },
        unverified: { amounts: { USD: '5.01' }, reported: { currency: 'USD', amount: '5.01', missing: {} } },
        refunded: { amounts: {}, reported: { currency: 'USD', amount: '0', missing: {} } },
      },
    });
    expect(today).toEqual(days[1]);
    const publishedAt = new Date(NOON).toISOString();
    expect(versions).toContainEqual({
      version,
      publishedAt,
      note: '',
      copyOf: null,
      author: 'test',
      authorEmail: null,
    });
  });

  it('says the same as SQL over players and events', async () => {
    const { today } = await ask();
    const { rows } = await harness.pool.query(
      `select count(distinct e.player_id)::int as "activePlayers", count(*)::int as events,
         (select count(*)::int from players where (created_at at time zone 'UTC')::date = $1) as "newPlayers",
         (select sum(price)::text from transactions where refunded_at is null) as usd
       from events e where (e.occurred_at at time zone 'UTC')::date = $1`,
      [TODAY],
    );
    const { usd, ...counts } = rows[0];
    expect(today).toMatchObject(counts);
    expect(today.revenue).toEqual({ USD: usd });
  });

  it('tells who came back, and nothing of days that are not over', async () => {
    const { cohorts } = await ask(`?from=${YESTERDAY}&to=${TODAY}`);
    const open = { '7': null, '28': null, '30': null };
    expect(cohorts).toEqual([
      { day: YESTERDAY, players: 2, active: [2, 2], retention: { ...open, '1': null } },
      { day: TODAY, players: 1, active: [0], retention: { ...open, '1': null } },
    ]);
  });

  it('is of the last 30 days unless told otherwise, and always tells of today', async () => {
    const { days, from, to } = await ask();
    expect([from, to]).toEqual([dayOf(NOON - 29 * DAY_MS), TODAY]);
    expect(days).toHaveLength(30);
    const past = await ask('?from=2020-01-01&to=2020-12-31');
    expect(past.days).toHaveLength(366);
    expect(past.today).toMatchObject({ day: TODAY, events: 5 });
    expect(past.versions).toEqual([]);
    expect((await ask('?to=2020-03-01')).from).toBe('2020-02-01');
  });

  it('is a file for spreadsheets, too', async () => {
    const days = await file(`from=${YESTERDAY}&to=${TODAY}&format=csv`);
    expect(days.name).toBe(`attachment; filename="demo-game-days-${YESTERDAY}-${TODAY}.csv"`);
    expect(days.lines).toEqual([
      'day,activePlayers,weeklyActivePlayers,monthlyActivePlayers,newPlayers,payingPlayers,weeklyPayingPlayers,monthlyPayingPlayers,conversion,weeklyConversion,monthlyConversion,sessions,events,adImpressions,storeViews,playMs,purchases,reportingCurrency,reported:revenue,reported:revenuePerActivePlayer,reported:revenuePerPayingPlayer,withoutRate,revenue:USD,revenuePerActivePlayer:USD,revenuePerPayingPlayer:USD,unverifiedRevenue:USD',
      `${YESTERDAY},2,,,2,0,,,0,,,2,2,0,0,0,0,USD,0,0,,,0,0,,0`,
      `${TODAY},2,,,1,1,,,0.5,,,1,5,1,1,0,2,USD,5.01,2.505,5.01,,5.01,2.505,5.01,5.01`,
      '',
    ]);
    const cohorts = await file(`from=${YESTERDAY}&to=${TODAY}&format=csv&table=cohorts`);
    expect(cohorts.lines).toEqual([
      'day,players,d1,d7,d28,d30,day0,day1',
      `${YESTERDAY},2,,,,,2,2`,
      `${TODAY},1,,,,,0,`,
      '',
    ]);
  });

  it('is of one game of one studio', async () => {
    const studio = await addStudio(harness, 'other-studio', 'other-game');
    await studio.login('stranger');
    const token = await admin.addToken('viewer', { tenant: 'other-studio' });
    expectGeneralError(await admin.call('GET', `${GAME}/dashboard`, undefined, token), 404, 'game_not_found');
    const own = await admin.ask<Dashboard>('GET', '/games/other-game/dashboard', undefined, token);
    expect(own.today).toMatchObject({ activePlayers: 0, newPlayers: 1, events: 0, revenue: {} });
    expect(own.versions).toEqual([]);
    expectStringError(await admin.call('GET', `${GAME}/dashboard`, undefined, null), 401, 'token_missing');
  });

  it.each([
    'from=yesterday',
    'to=2026-02-30',
    'from=2026-11-15T00:00:00Z',
    'from=2026-11-15&to=2026-11-14',
    'from=2020-01-01&to=2021-01-01',
    'from=2020-01-01&from=2020-01-01',
    'from=0000-01-01&to=0000-01-02',
    'from=9999-01-01&to=9999-01-02',
    'format=xml',
    'format=csv&table=players',
  ])('refuses %s', async (query) => {
    expectGeneralError(await admin.call('GET', `${GAME}/dashboard?${query}`), 400, 'parameter_invalid');
  });
});

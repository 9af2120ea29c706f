import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dryRun } from '../../../src/liveops/dry-runs/dry-run.js';
import { findGame } from '../../../src/platform/admin-api/tenants.js';
import { configWith, segment } from '../../decide/support/fixtures.js';
import { dayOf, sumOn } from '../../insight/analytics/breakdowns/breakdown-world.js';
import { type AdminClient, openAdminClient } from '../../support/admin-calls.js';
import { createHarness, type Harness, postEvents } from '../../support/harness.js';
import { addStudio } from '../../support/session-calls.js';

const DAY_MS = 86_400_000;
/** Noon, so that no midnight comes in between. */
const NOON = Date.parse(`${dayOf(Date.now())}T12:00:00.000Z`);
const [TWO_DAYS_AGO = '', YESTERDAY = '', TODAY = ''] = [2, 1, 0].map((days) => dayOf(NOON - days * DAY_MS));

let harness: Harness;
let admin: AdminClient;
let editor: string;
let userId: string;

beforeAll(async () => {
  harness = await createHarness();
  admin = await openAdminClient(harness);
  const studio = await addStudio(harness, 'acme', 'rocket');
  editor = await admin.addToken('editor', { tenant: 'acme' });
  let transactions = 0;
  const buy = async (daysAgo: number, device: string, ...prices: [price: string, currency: string][]) => {
    harness.clock.set(NOON - daysAgo * DAY_MS);
    const session = await studio.login(device);
    const timestamp = new Date(harness.clock.now()).toISOString();
    const sent = prices.map(([price, currency]) => ({
      eventType: 'Purchase',
      timestamp,
      metadata: { country: 'DE' },
      payload: { transactionId: `t${transactions++}`, skuId: 'gems', price, currency },
    }));
    const response = await postEvents(harness.app, session, sent);
    expect(response.statusCode, response.body).toBe(202);
    return session.userId;
  };
  userId = await buy(2, 'anna', ['10', 'EUR'], ['4.99', 'USD']);
  await buy(1, 'anna', ['10', 'EUR'], ['12.00', 'CHF']);
  await buy(0, 'anna', ['1000', 'JPY']);
  await buy(0, 'bert', ['0.01', 'USD']);
  await sumOn(harness.pool, { nowMs: NOON });
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

const ask = <T>(path: string) => admin.ask<T>('GET', `/games/rocket${path}`, undefined, editor);
type Reported = { revenue: string; missing: Record<string, string> } | null;
type Day = { day: string; reported: Reported; revenuePerPayingPlayer: object } & Record<string, unknown>;
const span = `from=${TWO_DAYS_AGO}&to=${TODAY}`;

describe('without a reporting currency', () => {
  it('figures are told as they were paid', async () => {
    const { days } = await ask<{ days: Day[] }>(`/dashboard?${span}`);
    expect(days.map(({ reported }) => reported)).toEqual([null, null, null]);
    const file = await admin.call('GET', `/games/rocket/dashboard?${span}&format=csv`, undefined, editor);
    expect(file.body).not.toContain('reportingCurrency');
    expect(await ask(`/players/${userId}`)).toMatchObject({ reportedSpend: null });
  });
});

describe('with a reporting currency', () => {
  beforeAll(async () => {
    const rates = [
      { currency: 'EUR', from: TWO_DAYS_AGO, rate: '1.07' },
      { currency: 'EUR', from: YESTERDAY, rate: '1.09' },
      { currency: 'JPY', from: '2020-01-01', rate: '0.0066' },
    ];
    await admin.ask('PUT', '/rates', { basedOn: 0, currency: 'USD', rates }, editor);
  });

  it('a day is converted with the rate of the day, and what has no rate is named', async () => {
    const { days, today } = await ask<{ days: Day[]; today: Day }>(`/dashboard?${span}`);
    expect(days.map(({ reported }) => reported)).toEqual([
      {
        currency: 'USD',
        revenue: '15.69',
        missing: {},
        revenuePerActivePlayer: '15.69',
        revenuePerPayingPlayer: '15.69',
      },
      {
        currency: 'USD',
        revenue: '10.9',
        missing: { CHF: '12' },
        revenuePerActivePlayer: '10.9',
        revenuePerPayingPlayer: '10.9',
      },
      {
        currency: 'USD',
        revenue: '6.61',
        missing: {},
        revenuePerActivePlayer: '3.305',
        revenuePerPayingPlayer: '3.305',
      },
    ]);
    expect(today.revenue).toEqual({ JPY: '1000', USD: '0.01' });
    expect(today.revenuePerPayingPlayer).toEqual({});
  });

  it('conversion is the payers of a period divided by its active players', async () => {
    const { days } = await ask<{ days: Day[] }>(`/dashboard?${span}`);
    expect(days[2]).toMatchObject({
      weeklyPayingPlayers: 2,
      monthlyPayingPlayers: 2,
      conversion: 1,
      weeklyConversion: 1,
      monthlyConversion: 1,
    });
    expect(days[1]).toMatchObject({ weeklyPayingPlayers: 1, weeklyActivePlayers: 1 });
  });

  it('a span is the sum of its days, each at its own rate', async () => {
    type Values = { values: { value: string; revenue: object; reported: Reported }[] };
    for (const by of ['country', 'sku']) {
      const { values } = await ask<Values>(`/breakdown?by=${by}&${span}`);
      expect(values).toHaveLength(1);
      expect(values[0]).toMatchObject({
        revenue: { CHF: '12', EUR: '20', JPY: '1000', USD: '5' },
        revenuePerPayingPlayer: {},
        reported: { currency: 'USD', revenue: '33.2', revenuePerPayingPlayer: '8.3', missing: { CHF: '12' } },
      });
    }
    const { all } = await ask<{ all: object }>('/segment-numbers');
    expect(all).toMatchObject({
      reported: { currency: 'USD', revenue: '33.2', revenuePerPayingPlayer: '16.6', missing: { CHF: '12' } },
    });
  });

  it('files name the reporting currency and what has no rate', async () => {
    const query = `/games/rocket/breakdown?by=country&${span}&format=csv`;
    const days = await admin.call('GET', `${query}&table=days`, undefined, editor);
    const [names, , second] = days.body.split('\r\n').map((line) => line.split(','));
    const cell = (name: string) => second?.[names?.indexOf(name) ?? -1];
    expect(cell('reportingCurrency')).toBe('USD');
    expect(cell('reported:revenue')).toBe('10.9');
    expect(cell('withoutRate')).toBe('12 CHF');
    expect(cell('revenue:EUR')).toBe('10');
  });

  it('the spend of a player is what was paid, at the rates of the days', async () => {
    const reportedSpend = { currency: 'USD', amount: '33.19', missing: { CHF: '12' } };
    expect(await ask(`/players/${userId}`)).toMatchObject({
      reportedSpend,
      spend: { EUR: 20, USD: 4.99, CHF: 12, JPY: 1000 },
    });
    const { players } = await ask<{ players: { playerId: string; reportedSpend: object }[] }>('/players');
    expect(players.find(({ playerId }) => playerId === userId)).toMatchObject({ reportedSpend });
    const found = await ask<{ players: object[] }>(`/players?find=${userId}`);
    expect(found.players).toMatchObject([{ reportedSpend, foundBy: 'userId' }]);
  });

  it('the share of an audience, and of who enters a segment, is of all money at the rates of the days', async () => {
    // Anna has paid all but one cent of 33.20 dollars; her francs have no rate.
    const document = configWith({ segments: [segment('japan', 'spend["JPY"].total > 0.0')] });
    const shares = {
      revenueShare: { CHF: 1, EUR: 1, JPY: 1, USD: 0.998 },
      reportedRevenueShare: { currency: 'USD', share: 0.9997, missing: ['CHF'] },
    };
    const body = { document, segmentId: 'japan' };
    expect(await admin.ask('POST', '/games/rocket/audience', body, editor)).toMatchObject(shares);
    const game = await findGame(harness.pool, 'acme', 'rocket');
    const tried = await dryRun(harness.pool, {
      gameId: game?.id ?? 0,
      before: configWith({}),
      after: document,
      nowMs: NOON,
    });
    expect(tried).toMatchObject({
      outcome: 'done',
      result: { segments: [{ segmentId: 'japan', ...shares }] },
    });
  });
});

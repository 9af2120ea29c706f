import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdminClient, GAME, openAdminClient } from '../../../support/admin-calls.js';
import { expectGeneralError } from '../../../support/data-calls.js';
import { DAY_MS } from '../../../support/game-world.js';
import { createHarness, type Harness } from '../../../support/harness.js';

type Day = { day: string; expected: number; low: number; high: number };
type Forecast = {
  state: string;
  currency: string | null;
  currencies: string[];
  daysKnown: number;
  history: { day: string; revenue: number }[];
  days: Day[];
  total: Omit<Day, 'day'> | null;
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

const dayBefore = (days: number) => new Date(harness.clock.now() - days * DAY_MS).toISOString().slice(0, 10);
const ask = (query = '') =>
  admin.ask<Forecast>('GET', `${GAME}/revenue-forecast${query}`, undefined, admin.tokens.viewer);

/** The version of the rates that is in force. */
let ratesVersion = 1;
const saveRates = async (currency: string | null, rates: object[]) => {
  await admin.ask('PUT', '/rates', { basedOn: ratesVersion, currency, rates });
  ratesVersion++;
};

/** More than one shard for each day, as intake leaves them. */
const SHARDS: Record<string, number[]> = { EUR: [1, 2], USD: [3], CHF: [4] };
const addDays = (currency: string, from: string, to: string, amount: string) =>
  harness.pool.query(
    `insert into game_days (game_id, day, shard, revenue)
     select g.id, d::date, s, jsonb_build_object($1::text, $4::numeric)
     from games g, generate_series($2::date, $3::date, interval '1 day') d, unnest($5::int[]) s
     where g.slug = 'demo-game'`,
    [currency, from, to, amount, SHARDS[currency]],
  );

describe('the forecast of revenue', () => {
  it('says that there is too little data, without a number', async () => {
    expect(await ask()).toMatchObject({ state: 'too_little_data', currency: null, days: [], total: null });
    await addDays('USD', dayBefore(20), dayBefore(1), '9.99');
    expect(await ask()).toMatchObject({
      state: 'too_little_data',
      currency: 'USD',
      daysKnown: 20,
      daysNeeded: 84,
      revenueDaysKnown: 20,
      days: [],
      total: null,
    });
  });

  it('is of the 28 days from today on: without a reporting currency, in the one with the most days or in the one that is asked for', async () => {
    await saveRates(null, []);
    await addDays('EUR', dayBefore(120), dayBefore(0), '5.05');
    const { days, history, total, ...rest } = await ask();
    expect(rest).toMatchObject({
      state: 'forecast',
      currency: 'EUR',
      currencies: ['EUR', 'USD'],
      daysKnown: 120,
    });
    expect(days.map(({ day }) => day)).toEqual(Array.from({ length: 28 }, (_, ahead) => dayBefore(-ahead)));
    // Today is not over, so it is expected and not known.
    expect(history.at(-1)).toEqual({ day: dayBefore(1), revenue: 10.1 });
    for (const { expected, low, high } of days) expect([low, expected, high]).toEqual([10.1, 10.1, 10.1]);
    expect(total).toEqual({ expected: 282.8, low: 282.8, high: 282.8 });
    expect(await ask('?currency=USD')).toMatchObject({ state: 'too_little_data', currency: 'USD' });
  });

  it('is of all payments in the reporting currency, unless one currency is asked for', async () => {
    // EUR is worth twice as much in the newer half of the days; a day in francs has no rate.
    await addDays('CHF', dayBefore(3), dayBefore(3), '7');
    await saveRates('USD', [
      { currency: 'EUR', from: dayBefore(200), rate: '0.5' },
      { currency: 'EUR', from: dayBefore(60), rate: '2' },
    ]);
    const { history, days, ...rest } = await ask();
    expect(rest).toMatchObject({
      state: 'forecast',
      currency: 'USD',
      reportingCurrency: 'USD',
      isReported: true,
      missing: { CHF: '7' },
      daysKnown: 120,
    });
    // 2 × 10.10 EUR and 9.99 USD.
    expect(history.at(-1)).toEqual({ day: dayBefore(1), revenue: 30.19 });
    expect(history.at(-30)).toEqual({ day: dayBefore(30), revenue: 20.2 });
    expect(days[0]?.expected).toBeGreaterThan(20.2);
    expect(await ask('?currency=EUR')).toMatchObject({
      ...{ currency: 'EUR', isReported: false, missing: {}, daysKnown: 120 },
      history: expect.arrayContaining([{ day: dayBefore(1), revenue: 10.1 }]),
    });
  });

  it('refuses what is no currency', async () => {
    expectGeneralError(
      await admin.call('GET', `${GAME}/revenue-forecast?currency=usd`),
      400,
      'parameter_invalid',
    );
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdminClient, GAME, openAdminClient } from '../../../support/admin-calls.js';
import { expectGeneralError } from '../../../support/data-calls.js';
import { DAY_MS } from '../../../support/game-world.js';
import { createHarness, type Harness, postEvents } from '../../../support/harness.js';
import { sumOn } from '../breakdowns/breakdown-world.js';

/** A Wednesday: the week before is over. */
const NOW = Date.parse('2026-11-11T12:00:00Z');
const SPAN = 'from=2026-11-02&to=2026-11-11';

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

const ask = (query = '') =>
  admin.ask('GET', `${GAME}/revenue-per-install?${query}`, undefined, admin.tokens.viewer);

async function send(
  device: string,
  atMs: number,
  eventType: string,
  payload = {},
  metadata = {},
): Promise<void> {
  harness.clock.set(atMs);
  const timestamp = new Date(atMs).toISOString();
  const response = await postEvents(harness.app, await harness.login(device), [
    { eventType, timestamp, payload, metadata },
  ]);
  expect(response.statusCode, response.body).toBe(202);
}

describe('revenue per install', () => {
  it('is empty until something was summed', async () => {
    expect(await ask(SPAN)).toMatchObject({ summedAt: null, throughDay: null, curves: [] });
  });

  it('is told by cohort and by source, as JSON and as a file', async () => {
    const start = Date.parse('2026-11-08T10:00:00Z');
    await send('anna', start, 'Session_Start', {}, { source: '=ads', country: 'DE' });
    // The first source stays.
    await send('anna', start + DAY_MS, 'Session_Start', {}, { source: 'friends', country: 'FR' });
    await send('bert', start, 'Session_Start');
    const price = { skuId: 'gems', price: '4.99', currency: 'EUR' };
    await send('anna', start + 2 * DAY_MS, 'Purchase', { transactionId: 't1', ...price });
    harness.clock.set(NOW);
    await sumOn(harness.pool, { nowMs: NOW });

    const common = { from: '2026-11-02', to: '2026-11-11', throughDay: '2026-11-10', period: 'week' };
    expect(await ask(SPAN)).toEqual({
      ...common,
      by: 'cohort',
      summedAt: new Date(NOW).toISOString(),
      summing: null,
      curves: [
        {
          cohort: '2026-11-02',
          kind: 'all',
          value: null,
          players: 2,
          playersAt: [2, 2, 2],
          revenue: { EUR: ['0', '0', '4.99'] },
          revenuePerInstall: { EUR: [0, 0, 2.495] },
          // The demo studio reports in dollars: 1.1 for a euro.
          reported: {
            currency: 'USD',
            revenue: ['0', '0', '5.489'],
            revenuePerInstall: [0, 0, 2.7445],
            missing: {},
          },
        },
      ],
    });
    expect(await ask(`by=source&${SPAN}`)).toMatchObject({
      curves: [
        { kind: 'unknown', value: null, players: 1, revenue: {} },
        { kind: 'value', value: '=ads', players: 1, revenue: { EUR: ['0', '0', '4.99'] } },
      ],
    });
    expect(await ask(`by=country&period=month&${SPAN}`)).toMatchObject({
      curves: [{ kind: 'unknown' }, { kind: 'value', value: 'DE', playersAt: [1], revenue: {} }],
    });
    const file = await admin.call('GET', `${GAME}/revenue-per-install?by=source&format=csv&${SPAN}`);
    expect(file.headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(file.body.split('\r\n').slice(0, 7)).toEqual([
      'cohort,kind,value,age,players,reportingCurrency,reported:revenue,reported:revenuePerInstall,withoutRate,revenue:EUR,revenuePerInstall:EUR',
      ...[0, 1, 2].map((age) => `,unknown,,${age},1,USD,0,0,,0,0`),
      ",value,'=ads,0,1,USD,0,0,,0,0",
      ",value,'=ads,1,1,USD,0,0,,0,0",
      ",value,'=ads,2,1,USD,5.489,5.489,,4.99,4.99",
    ]);
  });

  it.each(['by=build', 'period=day', 'from=yesterday'])('refuses "%s"', async (query) => {
    expectGeneralError(
      await admin.call('GET', `${GAME}/revenue-per-install?${query}`),
      400,
      'parameter_invalid',
    );
  });
});

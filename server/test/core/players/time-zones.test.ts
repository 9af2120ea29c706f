import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countingZone, type TimedValue } from '../../../src/core/events/intake/player-profile.js';
import { gameDocument, get, offer, publish, sku, withoutRateLimits } from '../../support/data-calls.js';
import { createHarness, type Harness, postEvents, type Session } from '../../support/harness.js';
import { runs } from '../../support/property-runs.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe('the time zone of a player', () => {
  let harness: Harness;
  let midnight: number;
  beforeAll(async () => {
    harness = await createHarness({ settings: { ...withoutRateLimits(), accessTtlSeconds: 30 * 86_400 } });
    midnight = (Math.floor(harness.clock.now() / DAY_MS) + 2) * DAY_MS;
  });
  afterAll(() => harness.close());

  const to = (hour: number) => harness.clock.advance(midnight + hour * HOUR_MS - harness.clock.now());
  const report = async (session: Session, ...zones: string[]) => {
    const events = zones.map((timeZone, n) => ({
      eventType: 'Level_Start',
      timestamp: new Date(harness.clock.now() - n).toISOString(),
      payload: {},
      metadata: { timeZone },
    }));
    expect((await postEvents(harness.app, session, events)).statusCode).toBe(202);
  };
  const read = async (session: Session) => {
    const response = await get(harness.app, '/v1/player/store_configs', session);
    const { activeSkus, lastUpdatedTimestamp } = response.json();
    const until = /stale-if-error=(\d+)/.exec(`${response.headers['cache-control']}`)?.[1];
    return { price: activeSkus[0].offerPrice, lastUpdatedTimestamp, until: Number(until) };
  };

  it('changes windows at most once a day, so that a daily offer comes once', async () => {
    const evening = {
      days: { every: 'day' },
      from: '18:00',
      to: '20:00',
      zone: 'player',
      firstDate: null,
      lastDate: null,
      except: [],
    } as const;
    const schedule = { ...evening, except: [] };
    await publish(
      harness.pool,
      gameDocument([sku('gems', { actualPrice: '10', offerPrice: '10' })], {
        // Their rules change with time as well.
        segments: [],
        offers: [offer('evening', { schedule, effect: { price: { discountPercent: '50' } } })],
      }),
      harness.clock.now(),
    );
    const session = await harness.login('traveller');
    to(6);
    // Names of these zones have the sign the other way round: it is 18:00 there.
    await report(session, 'Etc/GMT-12');
    expect(await read(session)).toEqual({
      price: 5,
      lastUpdatedTimestamp: midnight + 6 * HOUR_MS,
      until: 2 * 3600,
    });
    // What was told then holds until the end of the window of this player.
    const { headers } = await get(harness.app, '/v1/player/store_configs', session);
    const again = async () => {
      const response = await get(harness.app, '/v1/player/store_configs', session, {
        'if-none-match': String(headers.etag),
      });
      return response.statusCode;
    };
    to(7.9);
    expect(await again()).toBe(304);
    to(8);
    expect(await again()).toBe(200);
    expect(await read(session)).toMatchObject({
      price: 10,
      lastUpdatedTimestamp: midnight + 8 * HOUR_MS,
      until: 22 * 3600,
    });
    const prices: number[] = [];
    for (const [hour, zone] of [
      [9, 'Etc/GMT-9'],
      [12, 'Etc/GMT-6'],
      [18, 'Etc/GMT'],
    ] as const) {
      to(hour);
      await report(session, zone);
      prices.push((await read(session)).price);
    }
    expect(prices).toEqual([10, 10, 10]);
    to(24 + 12);
    expect((await read(session)).price).toBe(10);
    await report(session, 'Etc/GMT-6');
    expect((await read(session)).price).toBe(5);
  });

  it('is not changed by what is no zone', async () => {
    const session = await harness.login('mars');
    await report(session, 'Mars/Base', '+01:00');
    const { rows } = await harness.pool.query('select time_zone from players where user_id = $1', [
      session.userId,
    ]);
    expect(rows).toEqual([{ time_zone: null }]);
  });

  it('follows from all reports, in whatever order they come, here and in the database', async () => {
    const reports = fc.array(
      fc.record({
        v: fc.constantFrom('Asia/Tokyo', 'UTC', 'Europe/Berlin'),
        t: fc.nat({ max: 40 }).map((n) => n * 6 * HOUR_MS),
      }),
      { minLength: 1, maxLength: 5 },
    );
    const fold = (list: readonly TimedValue[]) =>
      list.reduce<TimedValue | null>((known, { v, t }) => countingZone(known, v, t), null);
    await fc.assert(
      fc.asyncProperty(reports, async (list) => {
        const expected = fold(list);
        expect(fold([...list].reverse())).toEqual(expected);
        const { rows } = await harness.pool.query(
          `with recursive folded as (
             select 0 as n, null::jsonb as zone
             union all
             select n + 1, counting_zone(zone, $1::jsonb -> n) from folded where n < jsonb_array_length($1::jsonb)
           ) select zone from folded order by n desc limit 1`,
          [JSON.stringify(list)],
        );
        expect(rows).toEqual([{ zone: expected }]);
      }),
      { numRuns: runs(50) },
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lowestPrices } from '../../../src/decide/price-history/lowest-prices.js';
import { OpenTimesCache, type Timed } from '../../../src/decide/price-history/open-times.js';
import { pricePieces } from '../../../src/decide/price-history/price-pieces.js';
import { PricedParts, pricedSku } from '../../../src/decide/price-history/priced-parts.js';
import type { Schedule } from '../../../src/decide/schedules/schedule.js';
import { DAY_MS } from '../../../src/platform/lib/day.js';
import { runSteps } from '../../../src/platform/lib/steps.js';
import { runs } from '../../support/property-runs.js';
import { configWith, NOW, offer, sku } from '../support/fixtures.js';

const DAYS = 12;
const SPAN = { from: NOW - DAYS * DAY_MS, until: NOW };
const VIEWER = { currency: 'USD', country: 'DE', zone: 'Europe/Berlin' };

const hour = fc.nat(23).map((n) => `${String(n).padStart(2, '0')}:00`);
const schedules: fc.Arbitrary<Schedule> = fc
  .record({
    days: fc.constantFrom<Schedule['days']>({ every: 'day' }, { every: 'week', weekdays: [1, 6] }),
    from: hour,
    to: hour,
    zone: fc.constantFrom('player', 'studio', 'Asia/Tokyo'),
  })
  .filter(({ from, to }) => from !== to)
  .map((schedule) => ({ ...schedule, firstDate: null, lastDate: null, except: [] }));
const instants = fc.option(fc.integer({ min: -DAYS - 1, max: 1 }).map((days) => NOW + days * DAY_MS));
const timed = fc
  .record({ from: instants, until: instants, schedule: fc.option(schedules, { nil: undefined }) })
  .map(({ from, until, schedule }) => ({
    from: from === null ? null : new Date(from).toISOString(),
    until: until === null ? null : new Date(until).toISOString(),
    ...(schedule === undefined ? {} : { schedule }),
  }));
const offers = fc.array(
  fc
    .record({
      times: timed,
      when: fc.constantFrom(null, null, 'country == "DE"', 'os == "iOS"', 'purchases.total > 1'),
      price: fc.oneof(
        fc.constantFrom('10', '50').map((discountPercent) => ({ discountPercent })),
        fc.constantFrom('3', '20').map((USD) => ({ setTo: { USD } })),
      ),
      combine: fc.boolean(),
    })
    .map(({ times, when, price, combine }) => ({ ...times, when, combine, effect: { price } })),
  { maxLength: 4 },
);

function isOpenAt({ from, until, schedule }: Timed, instant: number): boolean {
  if (instant < from || instant >= until) return false;
  return schedule === null || schedule.stateAt(instant, schedule.zone ?? VIEWER.zone).window !== null;
}

describe('the pieces of a timeline of prices', () => {
  it('say what the open offers come to, at every hour', () => {
    let known = 0;
    fc.assert(
      fc.property(timed, offers, (times, entries) => {
        const document = configWith({
          catalogue: [sku('gems', { ...times, prices: { USD: { actualPrice: '30', offerPrice: '25' } } })],
          offers: entries.map((entry, n) => offer(`o${n}`, entry)),
        });
        const parts = new PricedParts();
        const [entry] = document.catalogue;
        const compiled = entry === undefined ? null : parts.sku(entry, document);
        if (compiled === null) throw new Error('the SKU cannot be sold');
        const all = document.offers.flatMap((each) => parts.offer(each, document) ?? []);
        const eras = [{ since: SPAN.from, priced: pricedSku(compiled, all) }];
        const pieces = runSteps(pricePieces(eras, SPAN, VIEWER, new OpenTimesCache()));
        for (let instant = SPAN.from; instant < SPAN.until; instant += 3_600_000) {
          const piece = pieces.findLast(({ since }) => since <= instant);
          if (piece?.isKnown !== true) continue;
          known++;
          const open = all.filter((each) => each.appliesIn('DE') && isOpenAt(each.offer, instant));
          const prices = isOpenAt(compiled, instant)
            ? lowestPrices(compiled, open, 'USD', { asks: 0, applications: 1_000 })
            : { ofEverybody: null, ofAnybody: null };
          expect(piece).toMatchObject(prices ?? {});
        }
      }),
      { numRuns: runs(100) },
    );
    expect(known).toBeGreaterThan(0);
  });
});

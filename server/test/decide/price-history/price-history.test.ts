import { describe, expect, it } from 'vitest';
import type { PriceQuestion } from '../../../src/decide/compile/price-basis.js';
import type { ConfigDocument } from '../../../src/decide/document/document.js';
import { HISTORY_DAYS, PriceHistory } from '../../../src/decide/price-history/price-history.js';
import { PricedParts } from '../../../src/decide/price-history/priced-parts.js';
import type { Schedule } from '../../../src/decide/schedules/schedule.js';
import { runSteps } from '../../../src/platform/lib/steps.js';
import { configWith, offer, sku } from '../support/fixtures.js';

const DAY_MS = 86_400_000;
const NOW = Date.parse('2026-11-18T12:00:00Z');
const daysAgo = (days: number) => NOW - days * DAY_MS;
const iso = (ms: number) => new Date(ms).toISOString();

/** A catalogue in which gems cost so much, with a list price above all of them. */
const costs = (price: string, more: Partial<ConfigDocument> = {}): ConfigDocument =>
  configWith({
    catalogue: [sku('gems', { prices: { USD: { actualPrice: '500.00', offerPrice: price } } })],
    ...more,
  });

/** The lowest price before the present reduction, in cents. Versions by the days since their publication. */
function lowest(
  versions: readonly (readonly [days: number, document: ConfigDocument])[],
  price: number,
  more: Partial<PriceQuestion> = {},
): bigint | null {
  const history = versions.reduce(
    (before, [days, document]) => runSteps(before.withSteps({ document, publishedAt: daysAgo(days) })),
    new PriceHistory(),
  );
  const question = { skuId: 'gems', currency: 'USD', country: 'DE', zone: 'UTC', isPersonal: false };
  return runSteps(history.lowestBefore({ ...question, price: BigInt(price), now: NOW, ...more }));
}

describe('the lowest price of the 30 days before a reduction', () => {
  it('is the 20 of before, not the 40 of last week', () => {
    expect(
      lowest(
        [
          [60, costs('20.00')],
          [7, costs('40.00')],
          [0, costs('20.00')],
        ],
        20_00,
      ),
    ).toBe(20_00n);
    const half = { offers: [offer('half', { effect: { price: { discountPercent: '50' } } })] };
    expect(
      lowest(
        [
          [60, costs('20.00')],
          [7, costs('40.00')],
          [0, costs('20.00', half)],
        ],
        10_00,
      ),
    ).toBe(20_00n);
  });

  it('is the present price where that is as low as any before: no reduction', () => {
    expect(
      lowest(
        [
          [60, costs('1.69')],
          [20, costs('1.29')],
          [10, costs('1.69')],
          [0, costs('1.29')],
        ],
        1_29,
      ),
    ).toBe(1_29n);
  });

  it('is the last price of a row of reductions', () => {
    expect(
      lowest(
        [
          [60, costs('100.00')],
          [7, costs('80.00')],
          [0, costs('70.00')],
        ],
        70_00,
      ),
    ).toBe(80_00n);
  });

  it('counts back from the beginning of the reduction, not from now', () => {
    const versions = [
      [85, costs('20.00')],
      [50, costs('40.00')],
      [25, costs('30.00')],
    ] as const;
    expect(lowest(versions, 30_00)).toBe(20_00n);
    const later = [
      [85, costs('20.00')],
      [56, costs('40.00')],
      [25, costs('30.00')],
    ] as const;
    expect(lowest(later, 30_00)).toBe(40_00n);
  });

  it('is not known where nothing was reduced, or nothing was sold before', () => {
    expect(
      lowest(
        [
          [60, costs('20.00')],
          [10, costs('40.00')],
        ],
        40_00,
      ),
    ).toBeNull();
    expect(lowest([[60, costs('20.00')]], 20_00)).toBeNull();
    expect(lowest([[HISTORY_DAYS + 20, costs('20.00')]], 20_00)).toBeNull();
    expect(lowest([[5, costs('20.00')]], 20_00)).toBeNull();
    const inactive = configWith({ catalogue: [sku('gems', { active: false })] });
    expect(
      lowest(
        [
          [60, inactive],
          [5, costs('20.00')],
        ],
        20_00,
      ),
    ).toBeNull();
  });

  it('does not forget a price because the SKU was away for some days', () => {
    const away = configWith({ catalogue: [] });
    expect(
      lowest(
        [
          [60, costs('15.00')],
          [9, away],
          [5, costs('10.00')],
        ],
        10_00,
      ),
    ).toBe(15_00n);
  });

  it('knows offers by their times', () => {
    const sale = (from: number, until: number | null, percent: string) =>
      offer('sale', {
        from: iso(daysAgo(from)),
        until: until === null ? null : iso(daysAgo(until)),
        effect: { price: { discountPercent: percent } },
      });
    expect(lowest([[60, costs('100.00', { offers: [sale(3, null, '20')] })]], 80_00)).toBe(100_00n);
    const before = { ...sale(20, 15, '50'), offerId: 'before' };
    expect(lowest([[60, costs('100.00', { offers: [before, sale(3, null, '20')] })]], 80_00)).toBe(50_00n);
    const long = { ...sale(50, 45, '50'), offerId: 'long' };
    expect(lowest([[60, costs('100.00', { offers: [long, sale(3, null, '20')] })]], 80_00)).toBe(100_00n);
  });

  it('knows windows: a daily price is no reduction, but for its first day', () => {
    const schedule: Schedule = {
      days: { every: 'day' },
      from: '10:00',
      to: '14:00',
      zone: 'player',
      firstDate: null,
      lastDate: null,
      except: [],
    };
    const daily = offer('daily', { schedule, effect: { price: { discountPercent: '50' } } });
    const versions = (days: number) =>
      [
        [60, costs('100.00')],
        [days, costs('100.00', { offers: [daily] })],
      ] as const;
    expect(lowest(versions(3), 50_00)).toBe(50_00n);
    expect(lowest(versions(0.1), 50_00)).toBe(100_00n);
    // Elsewhere the window is closed now, and was open before.
    expect(lowest(versions(3), 50_00, { zone: 'Asia/Tokyo', now: NOW - 10 * 3_600_000 })).toBe(50_00n);
  });

  it('is that of the country', () => {
    const german = offer('german', {
      when: 'country == "DE"',
      effect: { price: { discountPercent: '50' } },
    });
    const versions = [
      [60, costs('100.00')],
      [20, costs('100.00', { offers: [german] })],
      [10, costs('100.00')],
      [0, costs('90.00')],
    ] as const;
    expect(lowest(versions, 90_00)).toBe(50_00n);
    expect(lowest(versions, 90_00, { country: 'FR' })).toBe(100_00n);
  });

  it('counts prices for single players only where the present price is one', () => {
    const effect = { price: { discountPercent: '50' } };
    const whales = offer('whales', { when: '"top_spender" in segments', effect });
    const byLot = offer('by_lot', { holdoutPercent: 10, effect });
    for (const former of [whales, byLot]) {
      const versions = [
        [60, costs('100.00')],
        [20, costs('100.00', { offers: [former] })],
        [10, costs('100.00')],
        [0, costs('90.00')],
      ] as const;
      expect(lowest(versions, 90_00)).toBe(100_00n);
      expect(lowest(versions, 90_00, { isPersonal: true })).toBe(50_00n);
    }
  });

  describe('of a SKU whose prices take too long to follow', () => {
    const daily = (n: number) =>
      offer(`daily-${n}`, {
        schedule: {
          days: { every: 'day' },
          from: '10:00',
          lengthMinutes: 23 * 60 - n,
          zone: 'studio',
          firstDate: null,
          lastDate: null,
          except: [],
        },
        effect: { price: { discountPercent: '50' } },
      });
    const single = (n: number) =>
      offer(`single-${n}`, {
        when: '"top_spender" in segments',
        from: iso(daysAgo(50) + n),
        effect: { price: { discountPercent: '50' } },
      });
    const many = (make: typeof daily) => ({ offers: Array.from({ length: 200 }, (_, n) => make(n)) });

    it('is no reduction: the present price counts as shown', () => {
      expect(lowest([[60, costs('100.00', many(daily))]], 10_00)).toBe(10_00n);
      const versions = [
        [60, costs('100.00', many(daily))],
        [0, costs('90.00')],
      ] as const;
      expect(lowest(versions, 90_00)).toBe(90_00n);
      expect(lowest([[60, costs('100.00', many(single))]], 10_00, { isPersonal: true })).toBe(10_00n);
    });

    it('is known from the newest version on that can be followed', () => {
      const versions = [
        [80, costs('100.00', many(daily))],
        [40, costs('70.00')],
        [0, costs('60.00')],
      ] as const;
      expect(lowest(versions, 60_00)).toBe(70_00n);
    });

    describe('asks schedules', () => {
      const historyOf = (more: Partial<ConfigDocument>) =>
        runSteps(new PriceHistory().withSteps({ document: costs('100.00', more), publishedAt: daysAgo(85) }));
      const question = { currency: 'USD', country: 'DE', zone: 'UTC', isPersonal: false, price: 10_00n };
      const stepsOf = (history: PriceHistory, skuId = 'gems') =>
        [...history.lowestBefore({ ...question, skuId, now: NOW })].length;
      const one = stepsOf(historyOf({ offers: [daily(0)] }));

      it('a bounded number of times, one in a step', () => {
        expect(one).toBeGreaterThan(2 * 80);
        // The second schedule is too much already.
        expect(stepsOf(historyOf(many(daily)))).toBeLessThan(2 * one);
      });

      it('once for all offers that have the same windows, and for all SKUs', () => {
        const same = { offers: [0, 1, 2].map((n) => ({ ...daily(0), offerId: `daily-${n}` })) };
        expect(stepsOf(historyOf(same))).toBe(one);
        const history = historyOf({ ...same, catalogue: [sku('gems'), sku('pass')] });
        expect(stepsOf(history)).toBe(one);
        expect(stepsOf(history, 'pass')).toBeLessThan(10);
      });
    });

    it('is known where many offers have the same windows', () => {
      const same = Array.from({ length: 200 }, (_, n) => ({ ...daily(0), offerId: `daily-${n}` }));
      const versions = [
        [60, costs('100.00', { offers: same })],
        [0, costs('90.00')],
      ] as const;
      expect(lowest(versions, 90_00)).toBe(50_00n);
    });
  });

  it('is computed once for players of all countries and zones if nothing depends on them', () => {
    const german = offer('german', { when: 'country == "DE"', effect: { price: { discountPercent: '50' } } });
    const stepsOf = (more: Partial<ConfigDocument>) => {
      const publication = { document: costs('100.00', more), publishedAt: daysAgo(20) };
      const history = runSteps(new PriceHistory().withSteps(publication));
      const question = { skuId: 'gems', currency: 'USD', isPersonal: false, price: 10_00n, now: NOW };
      const ask = (country: string, zone: string) =>
        [...history.lowestBefore({ ...question, country, zone })].length;
      ask('DE', 'UTC');
      return ask('FR', 'Asia/Tokyo');
    };
    expect(stepsOf({})).toBe(0);
    expect(stepsOf({ offers: [german] })).toBeGreaterThan(0);
  });

  it('reads a version in a step for each offer', () => {
    const offers = Array.from({ length: 50 }, (_, n) => offer(`offer-${n}`));
    const publication = { document: costs('100.00', { offers }), publishedAt: NOW };
    expect([...new PriceHistory().withSteps(publication)]).toHaveLength(51);
  });

  it('keeps what two versions in a row have, and forgets the rest', () => {
    const document = costs('20.00');
    const [entry] = document.catalogue;
    if (entry === undefined) throw new Error('no SKU');
    const first = new PricedParts();
    const compiled = first.sku(entry, document);
    const second = new PricedParts(first);
    expect(second.sku(entry, document)).toBe(compiled);
    second.forgetBefore();
    const third = new PricedParts(new PricedParts(second));
    expect(third.sku(entry, document)).not.toBe(compiled);
  });
});

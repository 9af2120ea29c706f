import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Forecast,
  forecastRevenue,
  HORIZON_DAYS,
  MIN_DAYS,
  NOMINAL_COVERAGE,
} from '../../../../src/insight/analytics/forecast/forecast.js';

type Made = Extract<Forecast, { outcome: 'forecast' }>;

function forecastOf(revenue: readonly number[]): Made {
  const forecast = forecastRevenue(revenue);
  if (forecast.outcome !== 'forecast') throw new Error('no forecast');
  return forecast;
}

/** The same numbers for the same seed. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return (state + 1) / 0x8000_0001;
  };
}

const WEEKDAYS = [1, 0.9, 0.9, 1, 1.2, 1.5, 1.4];

/** A game whose level wanders, with a weekly pattern and days that differ by about a third. */
function simulate(
  days: number,
  { seed, drift, noise }: { seed: number; drift: number; noise: number },
): number[] {
  const random = createRandom(seed);
  const normal = () => Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
  let level = Math.log(1_000);
  return Array.from({ length: days }, (_, day) => {
    level += drift * normal();
    return Math.exp(level + noise * normal()) * (WEEKDAYS[day % 7] ?? 1);
  });
}

describe('a forecast of revenue', () => {
  it('continues a weekly pattern without noise', () => {
    const { days, total, coverage } = forecastOf(
      Array.from({ length: 140 }, (_, day) => 100 * (WEEKDAYS[day % 7] ?? 1)),
    );
    for (const [ahead, { expected, low, high }] of days.entries()) {
      const real = 100 * (WEEKDAYS[ahead % 7] ?? 1);
      // Weekday factors are drawn towards 1 until they have more weeks behind them.
      expect(Math.abs(expected / real - 1)).toBeLessThan(0.12);
      expect(low).toBeLessThanOrEqual(real * 1.01);
      expect(high).toBeGreaterThanOrEqual(real * 0.99);
    }
    expect(total?.expected).toBeCloseTo(4 * 790, -2);
    expect(coverage.intervals).toBeGreaterThan(0);
  });

  it('follows a level that has changed', () => {
    const before = Array.from({ length: 100 }, () => 100);
    const { days } = forecastOf([...before, ...Array.from({ length: 28 }, () => 300)]);
    for (const { expected } of days) expect(expected).toBeGreaterThan(250);
  });

  const CLAIM =
    'has intervals that hold about as often as they claim: $days days, drift $drift, noise $noise';
  const holdAsClaimed = ({ days, ...shape }: { days: number; drift: number; noise: number }) => {
    let intervals = 0;
    let covered = 0;
    const past = { intervals: 0, covered: 0 };
    for (let seed = 1; seed <= 60; seed++) {
      const revenue = simulate(days + HORIZON_DAYS, { seed: seed * 7_919, ...shape });
      const forecast = forecastOf(revenue.slice(0, days));
      for (const [ahead, { low, high }] of forecast.days.entries()) {
        const actual = revenue[days + ahead] ?? 0;
        intervals++;
        if (actual >= low && actual <= high) covered++;
      }
      past.intervals += forecast.coverage.intervals;
      past.covered += forecast.coverage.covered;
    }
    expect(Math.abs(covered / intervals - NOMINAL_COVERAGE)).toBeLessThan(0.06);
    // The coverage that the forecast reports agrees with what happened.
    expect(Math.abs(past.covered / past.intervals - covered / intervals)).toBeLessThan(0.06);
  };
  it.each([{ days: 112, drift: 0, noise: 0.3 }])(CLAIM, holdAsClaimed);
  it.each([
    { days: 200, drift: 0.02, noise: 0.3 },
    { days: 200, drift: 0.02, noise: 0.8 },
  ])(CLAIM, { tags: ['full'] }, holdAsClaimed);

  it('gives no number for a young game, or for one that sells too rarely', () => {
    const daily = Array.from({ length: MIN_DAYS - 1 }, () => 10);
    expect(forecastRevenue(daily)).toEqual({
      outcome: 'too_little_data',
      days: MIN_DAYS - 1,
      revenueDays: 56,
    });
    expect(forecastRevenue([...daily, 10]).outcome).toBe('forecast');
    const weekly = Array.from({ length: 200 }, (_, day) => (day % 7 === 0 ? 10 : 0));
    expect(forecastRevenue(weekly)).toEqual({ outcome: 'too_little_data', days: 200, revenueDays: 8 });
    expect(forecastRevenue([])).toEqual({ outcome: 'too_little_data', days: 0, revenueDays: 0 });
  });

  it('tells the total only when enough forecasts of 28 days are over', () => {
    expect(forecastOf(Array.from({ length: 110 }, () => 10)).total).toBeNull();
    expect(forecastOf(Array.from({ length: 111 }, () => 10)).total).toMatchObject({
      expected: expect.closeTo(280),
    });
  });

  it('is finite, in order, and scales with the currency, whatever the days were', () => {
    const amount = fc.oneof(fc.constant(0), fc.double({ min: 0.01, max: 1e6, noNaN: true }));
    fc.assert(
      fc.property(fc.array(amount, { minLength: MIN_DAYS, maxLength: 160 }), (revenue) => {
        const forecast = forecastRevenue(revenue);
        if (forecast.outcome !== 'forecast') return;
        expect(forecast.days).toHaveLength(HORIZON_DAYS);
        const scaled = forecastOf(revenue.map((value) => 100 * value));
        for (const [ahead, { low, expected, high }] of forecast.days.entries()) {
          expect(low).toBeGreaterThanOrEqual(0);
          expect(low).toBeLessThanOrEqual(expected);
          expect(expected).toBeLessThanOrEqual(high);
          expect(Number.isFinite(high)).toBe(true);
          expect(scaled.days[ahead]?.expected).toBeCloseTo(100 * expected, 3);
        }
        expect(forecast.coverage.covered).toBeLessThanOrEqual(forecast.coverage.intervals);
      }),
      { numRuns: 40 },
    );
  });
});

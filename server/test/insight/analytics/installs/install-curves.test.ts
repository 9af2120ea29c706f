import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  completeAge,
  curvesByCohort,
  curvesByValue,
} from '../../../../src/insight/analytics/installs/install-curves.js';
import { rateTable } from '../../../../src/studio/money/exchange-rates.js';

const cohort = (day: string, value: string, players: number, isRemainder = false) => ({
  cohort: day,
  value,
  players,
  isRemainder,
});
const paid = (
  day: string,
  value: string,
  age: number,
  revenue: string,
  currency = 'USD',
  rateDay: string | null = null,
) => ({
  cohort: day,
  value,
  age,
  revenue,
  currency,
  rateDay,
  isRemainder: false,
});
const THROUGH = { period: 'week', throughDay: '2026-11-14', rates: null } as const;

describe('the curves of revenue per install', () => {
  it('end at the age that the youngest player of the cohort has completed', () => {
    // From Monday 2 to Sunday 8 November; the youngest started on the 8th.
    expect(completeAge('2026-11-02', 'week', '2026-11-14')).toBe(6);
    expect(completeAge('2026-11-09', 'week', '2026-11-14')).toBe(0);
    expect(completeAge('2026-10-01', 'month', '2026-11-14')).toBe(14);
    expect(completeAge('2026-11-01', 'month', '2026-11-14')).toBe(0);
    expect(completeAge('2025-11-03', 'week', '2026-11-14')).toBe(180);
  });

  it('add up the values of a cohort, exactly', () => {
    const curves = curvesByCohort(
      [cohort('2026-11-02', 'DE', 3), cohort('2026-11-02', '', 1), cohort('2026-11-09', 'DE', 5)],
      [
        paid('2026-11-02', 'DE', 0, '0.1'),
        paid('2026-11-02', '', 0, '0.2'),
        paid('2026-11-02', 'DE', 2, '4.99'),
        paid('2026-11-02', 'DE', 2, '1', 'EUR'),
        // Only some of the players are eight days old.
        paid('2026-11-02', 'DE', 8, '100'),
      ],
      THROUGH,
    );
    expect(curves).toEqual([
      {
        cohort: '2026-11-02',
        kind: 'all',
        value: '',
        players: 4,
        playersAt: [4, 4, 4, 4, 4, 4, 4],
        revenue: {
          USD: ['0.3', '0.3', '5.29', '5.29', '5.29', '5.29', '5.29'],
          EUR: ['0', '0', '1', '1', '1', '1', '1'],
        },
        reported: null,
      },
      {
        cohort: '2026-11-09',
        kind: 'all',
        value: '',
        players: 5,
        playersAt: [5],
        revenue: {},
        reported: null,
      },
    ]);
  });

  it('divide by the players of those cohorts that are old enough, over several cohorts', () => {
    const [curve] = curvesByValue(
      [cohort('2026-11-02', 'ads', 2), cohort('2026-11-09', 'ads', 8)],
      [
        paid('2026-11-02', 'ads', 0, '1'),
        paid('2026-11-02', 'ads', 1, '1'),
        paid('2026-11-09', 'ads', 0, '9'),
      ],
      THROUGH,
    );
    expect(curve).toMatchObject({
      kind: 'value',
      value: 'ads',
      players: 10,
      playersAt: [10, 2, 2, 2, 2, 2, 2],
    });
    expect(curve?.revenue.USD).toEqual(['10', '2', '2', '2', '2', '2', '2']);
  });

  it('are in the reporting currency, each payment with the rate of its day, and name what has no rate', () => {
    const rates = rateTable('USD', 1, [
      { currency: 'EUR', from: '2026-11-01', rate: '1.1' },
      { currency: 'EUR', from: '2026-11-05', rate: '1.2' },
    ]);
    const [curve] = curvesByValue(
      [cohort('2026-11-02', 'ads', 2), cohort('2026-11-09', 'ads', 8)],
      [
        paid('2026-11-02', 'ads', 0, '10', 'EUR', '2026-11-01'),
        paid('2026-11-02', 'ads', 0, '10', 'EUR', '2026-11-05'),
        paid('2026-11-02', 'ads', 2, '0.5', 'USD', '2026-11-05'),
        // The younger cohort is in the first point only.
        paid('2026-11-09', 'ads', 0, '5', 'EUR', '2026-11-05'),
        paid('2026-11-09', 'ads', 0, '7', 'CHF', '2026-11-05'),
        // Before the first day of any rate.
        paid('2026-11-02', 'ads', 1, '3', 'EUR', null),
      ],
      { ...THROUGH, rates },
    );
    expect(curve?.reported).toEqual({
      currency: 'USD',
      revenue: ['29', '23', '23.5', '23.5', '23.5', '23.5', '23.5'],
      missing: { CHF: '7', EUR: '3' },
    });
  });

  it('are of the twelve largest values, and of all others as one at the end', () => {
    const rows = Array.from({ length: 14 }, (_, n) => cohort('2026-11-02', n === 13 ? '' : `c${n}`, 10 + n));
    const curves = curvesByValue([...rows, cohort('2026-11-02', '', 7, true)], [], THROUGH);
    expect(curves).toHaveLength(13);
    expect(curves[0]).toMatchObject({ kind: 'unknown', players: 23 });
    expect(curves[1]).toMatchObject({ kind: 'value', value: 'c12' });
    expect(curves[12]).toMatchObject({ kind: 'other', players: 10 + 11 + 7 });
  });

  it('have the same total whichever way the players are split', () => {
    const cell = fc.record({
      value: fc.constantFrom('', 'a', 'b', 'c'),
      age: fc.integer({ min: 0, max: 6 }),
      cents: fc.integer({ min: 1, max: 9_999 }),
    });
    fc.assert(
      fc.property(fc.array(cell, { maxLength: 30 }), (cells) => {
        const cohorts = ['', 'a', 'b', 'c'].map((value) => cohort('2026-11-02', value, 5));
        const revenue = cells.map(({ value, age, cents }) =>
          paid('2026-11-02', value, age, (cents / 100).toFixed(2)),
        );
        const last = (curves: ReturnType<typeof curvesByValue>) =>
          curves.reduce((sum, curve) => sum + Math.round(100 * Number(curve.revenue.USD?.[6] ?? 0)), 0);
        const cents = cells.reduce((sum, each) => sum + each.cents, 0);
        expect(last(curvesByCohort(cohorts, revenue, THROUGH))).toBe(cents);
        expect(last(curvesByValue(cohorts, revenue, THROUGH))).toBe(cents);
      }),
    );
  });
});

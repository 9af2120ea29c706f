import { describe, expect, it } from 'vitest';
import { askedDays, beginAt, endAt, readSpan } from '../src/lib/day-span.js';
import { funnelRows, readSteps, writeSteps } from '../src/lib/funnel.js';
import {
  type Curve,
  currenciesOf,
  drawnCurves,
  nameOfCurve,
  shownMoney,
  worthAt,
} from '../src/lib/install-curves.js';

const TODAY = '2026-11-15';
const CHOICES = { choices: ['7', '30', '90'], fallback: '30' };

describe('the days of a page', () => {
  it('are the last so many, or from one day to another', () => {
    expect(readSpan({ days: '7' }, TODAY, CHOICES)).toEqual({ days: '7', from: '2026-11-09', to: TODAY });
    expect(readSpan({}, TODAY, CHOICES)).toEqual({ days: '30', from: '2026-10-17', to: TODAY });
    const dates = { from: '2026-02-01', to: '2026-02-28' };
    expect(readSpan({ days: '7', ...dates }, TODAY, CHOICES)).toEqual({ days: null, ...dates });
  });

  it.each([
    { days: '8' },
    { from: '2026-02-01' },
    { from: 'x', to: 'y' },
    { from: '2026-03-01', to: '2026-02-01' },
    { from: '2027-01-01', to: '2027-01-02' },
  ])('fall back where the address makes no sense: %j', (search) => {
    expect(readSpan(search, TODAY, CHOICES).days).toBe('30');
  });

  it('end today at the latest, and are a year at most', () => {
    expect(readSpan({ from: '2026-11-01', to: '2027-01-01' }, TODAY, CHOICES).to).toBe(TODAY);
    expect(readSpan({ from: '2020-01-01', to: '2026-01-01' }, TODAY, CHOICES).to).toBe('2020-12-31');
  });

  it('are asked for up to today, unless they end too long ago', () => {
    const asked = (from: string, to: string) => askedDays({ days: null, from, to }, TODAY);
    expect(asked('2026-11-14', TODAY)).toEqual({ from: '2026-11-08', to: TODAY });
    expect(asked('2026-09-01', '2026-09-30')).toEqual({ from: '2026-09-01', to: TODAY });
    expect(asked('2025-01-01', '2025-02-01')).toEqual({ from: '2025-01-01', to: '2025-02-01' });
  });

  it('move the other end along where it would be wrong', () => {
    const span = { days: null, from: '2026-11-01', to: '2026-11-10' };
    expect(beginAt(span, '2026-11-05')).toEqual({ days: undefined, from: '2026-11-05', to: '2026-11-10' });
    expect(beginAt(span, '2026-11-12')).toEqual({ days: undefined, from: '2026-11-12', to: '2026-11-12' });
    expect(endAt(span, '2026-10-01')).toEqual({ days: undefined, from: '2026-10-01', to: '2026-10-01' });
    expect(endAt({ ...span, from: '2024-01-01' }, TODAY).from).toBe('2025-11-15');
  });
});

describe('the curves of an install', () => {
  const curve = (cohort: string | null, days: number, more: Partial<Curve> = {}): Curve => ({
    ...{ cohort, kind: 'all', value: null, players: 10, playersAt: Array.from({ length: days }, () => 10) },
    ...{ revenue: {}, revenuePerInstall: {}, reported: null, ...more },
  });

  it('have a value up to the age that they reach', () => {
    const paid = curve('2026-11-02', 3, { revenuePerInstall: { USD: [0, 0.5, 0.5] } });
    const inCurrency = (currency: string) => ({ currency, isReported: false });
    expect([0, 1, 2, 3].map((age) => worthAt(paid, inCurrency('USD'), age))).toEqual([0, 0.5, 0.5, null]);
    expect(worthAt(paid, inCurrency('EUR'), 2)).toBe(0);
  });

  it('are drawn as the newest cohorts of a week or more, or the largest values', () => {
    const cohorts = Array.from({ length: 10 }, (_, n) => curve(`2026-0${n}-01`, 20 - 2 * n));
    expect(drawnCurves(cohorts).map(({ playersAt }) => playersAt.length)).toEqual([18, 16, 14, 12, 10, 8]);
    const values = Array.from({ length: 9 }, (_, n) => curve(null, 3, { kind: 'value', value: `v${n}` }));
    expect(drawnCurves(values).map(nameOfCurve)).toEqual(['v0', 'v1', 'v2', 'v3', 'v4', 'v5']);
  });

  it('are in the reporting currency, unless one that was paid in is asked for', () => {
    const reported = { currency: 'USD', revenue: ['3', '9'], revenuePerInstall: [0.3, 0.9], missing: {} };
    const revenue = { EUR: ['2', '6'] };
    const paid = curve('2026-11-02', 2, { revenue, revenuePerInstall: { EUR: [0.2, 0.6] }, reported });
    const all = shownMoney([paid], undefined);
    expect(all).toEqual({ currency: 'USD', isReported: true });
    const euros = shownMoney([paid], 'EUR');
    expect(euros).toEqual({ currency: 'EUR', isReported: false });
    expect([all, euros].map((money) => money && worthAt(paid, money, 1))).toEqual([0.9, 0.6]);
    expect(shownMoney([paid], 'CHF')).toEqual(all);
    expect(shownMoney([curve('2026-11-02', 2, { reported })], undefined)).toBeNull();
    expect(shownMoney([{ ...paid, reported: null }], undefined)).toEqual(euros);
  });

  it('begin with the currency that was paid on the most days', () => {
    const revenue = { EUR: ['0', '0', '1'], USD: ['1', '1', '2'] };
    expect(currenciesOf([curve('2026-11-02', 3, { revenue })])).toEqual(['USD', 'EUR']);
  });
});

describe('a funnel', () => {
  it('is in the address as its steps', () => {
    expect(readSteps(undefined)).toEqual(['', '']);
    expect(readSteps('A,B,C')).toEqual(['A', 'B', 'C']);
    expect(readSteps(writeSteps(['A', '']))).toEqual(['A', '']);
    expect(readSteps('1,2,3,4,5,6,7')).toHaveLength(6);
  });

  it('tells how many stopped before each step', () => {
    expect(funnelRows({ steps: ['A', 'B', 'C'], players: [40, 10, 0] })).toEqual([
      { step: 'A', players: 40, share: 1, lost: null, lostShare: null },
      { step: 'B', players: 10, share: 0.25, lost: 30, lostShare: 0.75 },
      { step: 'C', players: 0, share: 0, lost: 10, lostShare: 1 },
    ]);
    expect(funnelRows({ steps: ['A', 'B'], players: [0, 0] })[1]).toMatchObject({ lost: 0, lostShare: null });
  });
});

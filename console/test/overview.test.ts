import { describe, expect, it } from 'vitest';
import { concernsOf } from '../src/lib/attention.js';
import { gradeInWords } from '../src/lib/grades.js';
import { changeOf, retentionFigure, revenuePerInstall } from '../src/lib/headline.js';
import { buildMarks, type Mark, placeMarks, versionMarks } from '../src/lib/marks.js';
import { figureIn, missingText, moneyText, revenueSharesText } from '../src/lib/money.js';
import { isChanged, newRow, ratesIn, rowsOf } from '../src/lib/rates.js';

const cohort = (day: string, players: number, d1: number | null) => ({
  ...{ day, players, active: [] },
  retention: { '1': d1, '7': null, '28': null, '30': null },
});
type Days = Parameters<typeof revenuePerInstall>[0];
const day = (name: string, newPlayers: number, revenue: string | null) =>
  ({
    ...{ day: name, newPlayers },
    reported: revenue === null ? null : { currency: 'USD', revenue, missing: {} },
  }) as unknown as Days[number];

describe('shares of revenue', () => {
  const reported = { share: 0.25, missing: ['CHF'] };
  it('are one number in the reporting currency, which names what has no rate', () => {
    const shares = { revenueShare: { EUR: 0.02, USD: 0.38 }, reportedRevenueShare: reported };
    expect(revenueSharesText(shares, false)).toBe('25% of revenue (without CHF: no rate)');
    expect(revenueSharesText(shares, true)).toBe('2% of EUR revenue, 38% of USD revenue');
  });

  it('are told by currency without one, or once where they are the same', () => {
    const text = (revenueShare: Record<string, number>) => revenueSharesText({ revenueShare }, false);
    expect(text({ USD: 0.38, EUR: 0.02 })).toBe('38% of USD revenue, 2% of EUR revenue');
    expect(text({ USD: 1, EUR: 1 })).toBe('100% of revenue in each of 2 currencies');
    expect(text({})).toBe('');
  });
});

describe('headline figures', () => {
  it('retention is that of the last seven start days that are over, beside the seven before', () => {
    const days = Array.from({ length: 16 }, (_, n) => `2026-11-${String(n + 1).padStart(2, '0')}`);
    const cohorts = days.map((name, n) => cohort(name, 10, n > 13 ? null : n < 7 ? 2 : 5));
    expect(retentionFigure(cohorts, '1')).toEqual({
      ...{ value: 0.5, before: 0.2 },
      line: [...Array(7).fill(0.2), ...Array(7).fill(0.5)],
    });
    expect(retentionFigure(cohorts, '7')).toEqual({ value: null, before: null, line: [] });
  });

  it('revenue per install needs days that are over, new players and a reporting currency', () => {
    const days = [day('2026-11-14', 3, '10'), day('2026-11-15', 2, '2.5'), day('2026-11-16', 9, '99')];
    expect(revenuePerInstall(days, '2026-11-16').value).toBe(2.5);
    expect(revenuePerInstall([day('2026-11-15', 2, null)], '2026-11-16').value).toBeNull();
    expect(revenuePerInstall([day('2026-11-15', 0, '5')], '2026-11-16').value).toBeNull();
  });

  it('a change needs something to compare with', () => {
    expect(changeOf(12, 10)).toBeCloseTo(0.2);
    expect(changeOf(12, 0)).toBeNull();
    expect(changeOf(null, 10)).toBeNull();
  });
});

describe('marks of a chart', () => {
  const DAYS = ['2026-11-14', '2026-11-15', '2026-11-16'];
  it('are one for each day, of publications and of builds', () => {
    const version = (n: number, at: string, note = '') => ({
      ...{ version: n, publishedAt: `${at}T10:00:00.000Z`, author: 'Ana', note },
    });
    const versions = [version(3, '2026-11-16'), version(2, '2026-11-14', 'Sale'), version(1, '2026-11-14')];
    expect(versionMarks(versions, DAYS)).toEqual([
      { place: 0, label: 'v1–v2', kind: 'version', title: 'v1 by Ana; v2 by Ana: Sale' },
      { place: 2, label: 'v3', kind: 'version', title: 'v3 by Ana' },
    ]);
    const builds = ['1.0', '1.1'].map((build) => ({ build, firstDay: '2026-11-15' }));
    expect(buildMarks(builds, DAYS)).toEqual([
      { place: 1, label: '1.0 +1', kind: 'build', title: 'build 1.0, 1.1' },
    ]);
  });

  it('never cover each other, and stay within the chart', () => {
    const marks: Mark[] = Array.from({ length: 40 }, (_, place) => ({
      ...{ place, label: `v${place * 37}`, kind: 'version' as const, title: '' },
    }));
    const x = (place: number) => 52 + place * 9;
    const right = x(40);
    const placed = placeMarks(marks, { x, right, rows: 3 });
    const shown = placed.filter(({ row }) => row !== null);
    expect(shown.length).toBeGreaterThan(10);
    for (const one of shown) {
      expect(one.to).toBeLessThanOrEqual(right);
      for (const other of shown) {
        const isApart = one === other || one.row !== other.row || one.to < other.from || other.to < one.from;
        expect(isApart, `${one.label} and ${other.label}`).toBe(true);
      }
    }
  });
});

describe('what needs somebody', () => {
  const NOTHING = { losses: undefined, failed: undefined, models: undefined, holdout: undefined };
  it('is nothing while nothing is known', () => {
    expect(concernsOf(NOTHING)).toEqual([]);
  });

  it('is named with the page to look at', () => {
    const known = {
      losses: { losses: [{ events: 4_000 }, { events: 3 }] },
      failed: { groups: [{ entries: 1 }], nextCursor: null },
      models: { inForce: { distrusted: ['purchases.revenue90', 'purchases'] }, lastFailure: null },
      holdout: {
        comparison: {
          sampleRatio: { p: 0.4, isMismatch: false },
          conversion: { difference: 0.01, state: 'higher' },
          reported: { currency: 'USD', difference: { difference: -0.25, state: 'lower' } },
        },
      },
    } as unknown as Parameters<typeof concernsOf>[0];
    expect(concernsOf(known).map(({ text, page }) => `${page}: ${text}`)).toEqual([
      'events: 4,003 events of the last 7 days never arrived',
      'events: 1 refused event waits to be corrected and replayed',
      'predictions: Predictions of “Repeat purchases” were wrong lately: players get averages instead',
      'overview: Targeting takes away USD 0.25 per player, beyond chance',
    ]);
  });
});

describe('predictions in words', () => {
  const grade = (metrics: unknown) =>
    ({ model: 'activity', metrics }) as unknown as Parameters<typeof gradeInWords>[0];
  it('say how often they were right, and among whom', () => {
    const deciles = [
      { players: 120, predicted: 0.91, observed: 0.88 },
      { players: 120, predicted: 0.1, observed: 0.2 },
    ];
    expect(gradeInWords(grade({ players: 1_200, deciles }))).toBe(
      'Of the 120 players it gave the highest chance (91%), 88% did not come back.',
    );
    expect(gradeInWords(grade({}))).toBeUndefined();
  });
});

describe('money', () => {
  const reported = {
    ...{ currency: 'USD', revenue: '15.69', missing: { CHF: '12.00' } },
    ...{ revenuePerActivePlayer: null, revenuePerPayingPlayer: '5.23' },
  };
  it('is one number in the reporting currency, or as it was paid', () => {
    const paid = { EUR: '10', USD: '4.99' };
    expect(moneyText(paid, figureIn(reported))).toBe('USD 15.69');
    expect(moneyText(paid, figureIn(reported, 'revenuePerActivePlayer'))).toBe('–');
    expect(moneyText(paid, null)).toBe('EUR 10.00, USD 4.99');
  });

  it('names what has no rate', () => {
    expect(missingText(reported.missing)).toBe('without CHF 12.00: no rate');
    expect(missingText({})).toBe('');
  });

  it('is not changed by rows of the sheet that were left empty', () => {
    const saved = [{ currency: 'EUR', from: '2026-11-01', rate: '1.1' }];
    const rows = [...rowsOf(saved), newRow('2026-11-15')];
    expect(ratesIn(rows)).toEqual(saved);
    expect(isChanged(rows, saved)).toBe(false);
    expect(isChanged(rows.slice(1), saved)).toBe(true);
  });
});

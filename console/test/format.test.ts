import { describe, expect, it } from 'vitest';
import {
  countOf,
  formatAmounts,
  formatAxisAmount,
  formatBytes,
  formatDay,
  formatDays,
  formatMoney,
  formatRate,
  formatRelative,
  formatShare,
  fromLocalInput,
  toLocalInput,
} from '../src/lib/format.js';
import { partsOfSentence } from '../src/lib/sentence.js';

describe('numbers and money', () => {
  it('always names the currency, and keeps its decimals', () => {
    expect(formatMoney('10.00', 'USD')).toBe('USD 10.00');
    expect(formatMoney('1200', 'JPY')).toBe('JPY 1,200');
    expect(formatMoney(4.5, 'EUR')).toBe('EUR 4.50');
  });

  it('has three digits of an amount on an axis', () => {
    expect([0.05, 0.125, 1.5, 1234].map(formatAxisAmount)).toEqual(['0.05', '0.125', '1.5', '1,230']);
  });

  it('does not round an exact text that no floating-point number holds', () => {
    expect(formatMoney('90071992547409.93', 'USD')).toBe('USD 90,071,992,547,409.93');
  });

  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1_000, '1.0 kB'],
    [61_203_331, '61.2 MB'],
    [5_000_000_000_000, '5000.0 GB'],
  ])('%d bytes are %s', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });

  it('shows what is no currency as it is', () => {
    expect(formatMoney('3', '??')).toBe('3 ??');
  });

  it('lists amounts, or says that there are none', () => {
    expect(formatAmounts({ USD: '1.00', EUR: 2 })).toBe('USD 1.00, EUR 2.00');
    expect(formatAmounts({})).toBe('–');
  });

  it('gives small shares a decimal', () => {
    expect([0.38, 0.004, 0, 1].map(formatShare)).toEqual(['38%', '0.4%', '0%', '100%']);
  });

  it('gives slow rates a decimal', () => {
    expect([0, 0.2, 9.94, 12.4, 1204.4].map(formatRate)).toEqual(['0', '0.2', '9.9', '12', '1,204']);
  });

  it('does not show a small number as none', () => {
    expect([1 / 30, 1 / 365].map(formatRate)).toEqual(['0.03', '0.003']);
    expect([0, 0.0003, -0.0003, 0.004].map(formatShare)).toEqual(['0%', '0.03%', '-0.03%', '0.4%']);
  });

  it('counts with the right noun', () => {
    expect([countOf(1, 'change'), countOf(1204, 'player')]).toEqual(['1 change', '1,204 players']);
  });
});

describe('times', () => {
  const now = Date.UTC(2026, 10, 16, 12);

  it.each([
    [-12 * 86_400_000, '12 days ago'],
    [3 * 3_600_000, 'in 3 hours'],
    [-5_000, 'now'],
    [-400 * 86_400_000, 'last year'],
  ])('%d ms from now is "%s"', (distance, text) => {
    expect(formatRelative(now + distance, now)).toBe(text);
  });

  it('does not move a UTC day into the zone of the viewer', () => {
    expect(formatDay('2026-11-15')).toBe('Nov 15');
  });

  it.each([
    ['2026-11-02', '2026-11-08', 'Nov 2 – 8'],
    ['2026-10-26', '2026-11-01', 'Oct 26 – Nov 1'],
    ['2026-11-02', '2026-11-02', 'Nov 2'],
  ])('shows %s to %s as "%s"', (from, to, text) => {
    // The spaces around the dash may be thin.
    expect(formatDays(from, to).replace(/\s/g, ' ')).toBe(text);
  });

  it('reads back the time that an input shows', () => {
    expect(fromLocalInput(toLocalInput('2026-12-24T18:00:00Z'))).toBe('2026-12-24T18:00:00Z');
    expect([toLocalInput(null), fromLocalInput(''), toLocalInput('tomorrow')]).toEqual(['', null, '']);
  });
});

describe('a sentence of the service', () => {
  it('has its moments apart, so that they can be shown in the zone of the reader', () => {
    const at = '2026-11-15T17:29:11.530Z';
    expect(partsOfSentence(`The last purchase was at ${at}, from ${at}.`)).toEqual([
      { words: 'The last purchase was at ' },
      { at },
      { words: ', from ' },
      { at },
      { words: '.' },
    ]);
    expect(partsOfSentence('2026-11-15T17:29:11Z')).toEqual([{ at: '2026-11-15T17:29:11Z' }]);
  });

  it('keeps what only looks like a moment', () => {
    for (const text of ['', 'country == "DE"', '2026-11-15', '2026-99-15T17:29:11Z']) {
      expect(
        partsOfSentence(text)
          .map(({ words }) => words)
          .join(''),
      ).toBe(text);
    }
  });
});

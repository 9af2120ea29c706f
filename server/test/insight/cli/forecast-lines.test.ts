import { describe, expect, it } from 'vitest';
import { forecastResponse } from '../../../src/insight/analytics/forecast/forecast-response.js';
import { forecastLines } from '../../../src/insight/cli/forecast-lines.js';
import { type ExchangeRate, type RateTable, rateTable } from '../../../src/studio/money/exchange-rates.js';
import { DAY_MS } from '../../support/game-world.js';

const NOW = Date.parse('2026-11-15T12:00:00Z');
const linesOf = (days: number, rates: RateTable | null = null) =>
  forecastLines(
    forecastResponse(
      Array.from({ length: days }, (_, ago) => ({
        day: new Date(NOW - (ago + 1) * DAY_MS).toISOString().slice(0, 10),
        currency: 'USD',
        revenue: '4.5',
      })),
      { rates, nowMs: NOW },
    ),
  );

describe('rollups forecast', () => {
  it('prints the days, their total, and how often past intervals held', () => {
    const lines = linesOf(120);
    expect(lines.slice(0, 2)).toEqual([
      'day         expected USD     low    high',
      '2026-11-15          4.50    4.50    4.50',
    ]);
    expect(lines[29]).toMatch(/^28 days +126\.00 +126\.00 +126\.00$/);
    expect(lines.slice(-2)).toEqual([
      'The interval is meant to hold on 80% of the days.',
      expect.stringMatching(/^Past intervals held on 100% of \d+ days\.$/),
    ]);
  });

  it('is in the reporting currency, and says what it leaves out', () => {
    const euros = (rates: ExchangeRate[]) => linesOf(120, rateTable('EUR', 1, rates));
    const lines = euros([{ currency: 'USD', from: '2026-01-01', rate: '0.8' }]);
    expect(lines[1]).toBe('2026-11-15          3.60    3.60    3.60');
    expect(euros([{ currency: 'USD', from: '2026-11-14', rate: '0.8' }])).toEqual([
      'No forecast yet: 1 of 84 days since the first revenue in EUR.',
      'Without 535.5 USD: no rate.',
    ]);
  });

  it('says what is missing', () => {
    expect(linesOf(20)).toEqual(['No forecast yet: 20 of 84 days since the first revenue in USD.']);
    expect(linesOf(0)).toEqual(['No forecast: the game had no revenue in the last year.']);
  });
});

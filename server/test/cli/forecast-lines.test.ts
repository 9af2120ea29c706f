import { describe, expect, it } from 'vitest';
import { forecastLines } from '../../src/cli/forecast-lines.js';
import { forecastResponse } from '../../src/features/analytics/forecast/forecast-response.js';
import { DAY_MS } from '../support/game-world.js';

const NOW = Date.parse('2026-11-15T12:00:00Z');
const linesOf = (days: number) =>
  forecastLines(
    forecastResponse(
      Array.from({ length: days }, (_, ago) => ({
        day: new Date(NOW - (ago + 1) * DAY_MS).toISOString().slice(0, 10),
        currency: 'USD',
        revenue: '4.5',
      })),
      undefined,
      NOW,
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

  it('says what is missing', () => {
    expect(linesOf(20)).toEqual(['No forecast yet: 20 of 84 days since the first revenue in USD.']);
    expect(linesOf(0)).toEqual(['No forecast: the game had no revenue in the last year.']);
  });
});

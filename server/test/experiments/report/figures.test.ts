import { describe, expect, it } from 'vitest';
import { metricValue } from '../../../src/experiments/report/figures.js';
import { rateTable } from '../../../src/studio/money/exchange-rates.js';
import {
  CONVERSION,
  figures,
  NOTHING,
  PER_PAYER,
  RETENTION_7,
  REVENUE,
  spent,
} from '../support/simulated-sums.js';

const bought = figures({ since: spent(4.99), before: spent(10) });

describe('the value of a player by a metric', () => {
  it.each([
    ['conversion', CONVERSION, bought, { value: 1, other: 1 }],
    ['conversion without a purchase', CONVERSION, figures(), { value: 0, other: 0 }],
    ['revenue and what was spent before', REVENUE, bought, { value: 4.99, other: 10 }],
    ['revenue per payer', PER_PAYER, bought, { value: 4.99, other: 1 }],
    ['retention', RETENTION_7, figures({ activeOn: [1, 7] }), { value: 1, other: 0 }],
    ['retention of who stayed away', RETENTION_7, figures({ activeOn: [1, 3] }), { value: 0, other: 0 }],
    ['retention on the last day', RETENTION_7, figures({ lastDay: 7 }), { value: 0, other: 0 }],
    [
      'minutes',
      { kind: 'sum', sum: { of: 'minutes' } } as const,
      figures({ since: { ...NOTHING, playMs: 90_000 } }),
      { value: 1.5, other: 0 },
    ],
    [
      'events of a type',
      { kind: 'sum', sum: { of: 'events', eventType: 'win' } } as const,
      figures({
        since: { ...NOTHING, eventCounts: { win: 3 } },
        before: { ...NOTHING, eventCounts: { win: 1 } },
      }),
      { value: 3, other: 1 },
    ],
    [
      'events of a type with the name of what every object has',
      { kind: 'sum', sum: { of: 'events', eventType: 'constructor' } } as const,
      figures(),
      { value: 0, other: 0 },
    ],
    [
      'players with an event',
      { kind: 'share', of: 'event', eventType: 'win' } as const,
      figures({ since: { ...NOTHING, eventCounts: { win: 3 } } }),
      { value: 1, other: 0 },
    ],
  ])('%s', (_, metric, player, value) => {
    expect(metricValue(metric, player, null)).toEqual(value);
  });

  it('does not count a player whose day 7 is not over', () => {
    expect(metricValue(RETENTION_7, figures({ lastDay: 6, activeOn: [1] }), null)).toBeUndefined();
  });

  it('converts revenue at the rate of its day', () => {
    const metric = { kind: 'sum', sum: { of: 'revenue', currency: null } } as const;
    const rates = rateTable('USD', 1, [{ currency: 'EUR', from: '2026-01-01', rate: '1.1' }]);
    const player = figures({ since: spent(10, 'EUR'), before: spent(5, 'USD') });
    expect(metricValue(metric, player, rates)).toEqual({ value: 11, other: 5 });
    expect(metricValue(metric, player, null)).toBeUndefined();
  });

  it('does not add up other currencies', () => {
    expect(metricValue(REVENUE, figures({ since: spent(10, 'EUR') }), null)).toEqual({ value: 0, other: 0 });
  });
});

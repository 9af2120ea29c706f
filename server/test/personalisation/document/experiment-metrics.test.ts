import { describe, expect, it } from 'vitest';
import { isMetric, parseMetric } from '../../../src/personalisation/document/experiment-metrics.js';

describe('metrics of experiments', () => {
  it.each([
    ['conversion', { kind: 'share', of: { name: 'conversion' } }],
    ['retention.d7', { kind: 'share', of: { name: 'retention', day: 7 } }],
    ['did:boss.won', { kind: 'share', of: { name: 'did', eventType: 'boss.won' } }],
    ['revenue', { kind: 'mean', of: { name: 'revenue', currency: null } }],
    ['revenue:USD', { kind: 'mean', of: { name: 'revenue', currency: 'USD' } }],
    ['minutes', { kind: 'mean', of: { name: 'minutes' } }],
    ['events', { kind: 'mean', of: { name: 'events', eventType: null } }],
    ['did:Boss won: yes', { kind: 'share', of: { name: 'did', eventType: 'Boss won: yes' } }],
    ['events:level', { kind: 'mean', of: { name: 'events', eventType: 'level' } }],
    ['revenuePerSession', { kind: 'ratio', of: { name: 'revenue', currency: null }, per: 'session' }],
    ['revenuePerPayer:EUR', { kind: 'ratio', of: { name: 'revenue', currency: 'EUR' }, per: 'payer' }],
  ])('%s', (text, metric) => {
    expect(parseMetric(text)).toEqual(metric);
  });

  it.each([
    ...[
      '',
      'conversions',
      'retention',
      'retention.d2',
      'retention.d07',
      'did',
      'did:',
      'revenue:usd',
      'revenue:XQX',
    ],
    ...['minutes:x', 'constructor', 'toString', `did:${'x'.repeat(150)}`],
  ])('refuses %s', (text) => {
    expect(isMetric(text)).toBe(false);
  });
});

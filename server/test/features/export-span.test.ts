import { describe, expect, it } from 'vitest';
import { cutSpan, momentOfMicros, parseMoment } from '../../src/features/export/export-span.js';

describe('the ends of an export', () => {
  it.each([
    ['2026-11-15', '2026-11-15T00:00:00.000000Z'],
    ['2026-11-15T08:30:00Z', '2026-11-15T08:30:00.000000Z'],
    ['2026-11-15T08:30:00.123456789+02:00', '2026-11-15T06:30:00.123456Z'],
    ['0001-01-01', '0001-01-01T00:00:00.000000Z'],
    ['9999-12-31T23:59:59.999999999Z', '9999-12-31T23:59:59.999999Z'],
  ])('are read from %s', (text, moment) => expect(parseMoment(text)).toBe(moment));

  it.each([
    '',
    'today',
    '2026-2-3',
    '2026-02-30',
    '15.11.2026',
    '2026-11-15T08:30:00',
    '20261115',
    '0000-12-31',
  ])('are not read from "%s"', (text) => expect(parseMoment(text)).toBeUndefined());

  it.each([
    [0n, '1970-01-01T00:00:00.000000Z'],
    [-1n, '1969-12-31T23:59:59.999999Z'],
    [1_794_700_000_123_456n, '2026-11-14T23:46:40.123456Z'],
    [253_402_300_799_999_999n, '9999-12-31T23:59:59.999999Z'],
  ])('are written for %s microseconds', (micros, moment) => expect(momentOfMicros(micros)).toBe(moment));
});

describe('a span', () => {
  const start = (day: string) => `${day}T00:00:00.000000Z`;

  it('is cut at the borders of daily partitions, and in one piece where there are none', () => {
    const span = { from: '2026-11-01T12:00:00.000000Z', to: '2026-11-20T12:00:00.000000Z' };
    const pieces = cutSpan(span, ['2026-10-31', '2026-11-01', '2026-11-02', '2026-11-10', '2026-11-20']);
    const ends = ['2026-11-02', '2026-11-03', '2026-11-10', '2026-11-11', '2026-11-20'].map(start);
    expect(pieces.map(({ from }) => from)).toEqual([span.from, ...ends]);
    expect(pieces.map(({ to }) => to)).toEqual([...ends, span.to]);
  });

  it('within a day is one piece', () => {
    const span = { from: '2026-11-01T12:00:00.000000Z', to: '2026-11-01T13:00:00.000000Z' };
    expect(cutSpan(span, ['2026-11-01', '2026-11-02'])).toEqual([span]);
    expect(cutSpan(span, [])).toEqual([span]);
  });
});

import { describe, expect, it } from 'vitest';
import { parseInstant } from '../../../src/studio/jobs/export-span.js';

describe('the ends of an export', () => {
  it.each([
    ['2026-11-15', '2026-11-15T00:00:00.000000Z'],
    ['2026-11-15T08:30:00Z', '2026-11-15T08:30:00.000000Z'],
    ['2026-11-15T08:30:00.123456789+02:00', '2026-11-15T06:30:00.123456Z'],
    ['0001-01-01', '0001-01-01T00:00:00.000000Z'],
    ['9999-12-31T23:59:59.999999999Z', '9999-12-31T23:59:59.999999Z'],
  ])('are read from %s', (text, moment) => expect(parseInstant(text)).toBe(moment));

  it.each([
    '',
    'today',
    '2026-2-3',
    '2026-02-30',
    '15.11.2026',
    '2026-11-15T08:30:00',
    '20261115',
    '0000-12-31',
  ])('are not read from "%s"', (text) => expect(parseInstant(text)).toBeUndefined());
});

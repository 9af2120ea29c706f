import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  formatSeconds,
  isoTime,
  parseEventTimestamp,
  parseLoginTimestamp,
} from '../../../src/platform/lib/iso-time.js';
import { runs } from '../../support/property-runs.js';

const YEAR_0 = Date.parse('0000-01-01T00:00:00.000Z');
const YEAR_9999_END = Date.parse('9999-12-31T23:59:59.999Z');
const anyInstant = fc.integer({ min: YEAR_0, max: YEAR_9999_END });

/** What JavaScript makes of a text that is known to have the right shape, undefined if the date is not real. */
function oracle(text: string): number | undefined {
  const epochMs = Date.parse(text);
  return !Number.isNaN(epochMs) && new Date(epochMs).toISOString() === text ? epochMs : undefined;
}

const two = (value: number): string => String(value).padStart(2, '0');
/** Right in shape, often not a real date. */
const anyShaped = fc
  .tuple(
    fc.oneof(fc.integer({ min: 0, max: 9999 }), fc.constantFrom(0, 4, 99, 100, 400, 1900, 2000, 2024, 2100)),
    fc.integer({ min: 0, max: 13 }),
    fc.oneof(fc.integer({ min: 0, max: 32 }), fc.constantFrom(28, 29, 30, 31)),
    fc.integer({ min: 0, max: 24 }),
    fc.integer({ min: 0, max: 60 }),
    fc.integer({ min: 0, max: 60 }),
  )
  .map(
    ([year, month, day, hour, minute, second]) =>
      `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}:${two(second)}`,
  );

describe('parseLoginTimestamp', () => {
  test.each([
    ['2024-05-01T12:34:56Z', Date.UTC(2024, 4, 1, 12, 34, 56)],
    ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29)],
    ['1970-01-01T00:00:00Z', 0],
    ['1969-12-31T23:59:59Z', -1000],
    ['0000-01-01T00:00:00Z', YEAR_0],
    ['0099-12-31T23:59:59Z', Date.parse('0099-12-31T23:59:59.000Z')],
    ['9999-12-31T23:59:59Z', YEAR_9999_END - 999],
  ])('reads %s', (text, epochMs) => {
    expect(parseLoginTimestamp(text)).toBe(epochMs);
  });

  test.each([
    '',
    '2024-02-30T12:00:00Z',
    '2023-02-29T12:00:00Z',
    '1900-02-29T12:00:00Z',
    '2024-04-31T12:00:00Z',
    '2024-00-01T12:00:00Z',
    '2024-13-01T12:00:00Z',
    '2024-05-00T12:00:00Z',
    '2024-05-01T24:00:00Z',
    '2024-05-01T12:60:00Z',
    '2016-12-31T23:59:60Z',
    '2024-05-01T12:34:56.000Z',
    '2024-05-01T12:34:56+00:00',
    '2024-05-01T12:34:56',
    '2024-05-01T12:34Z',
    '2024-05-01t12:34:56Z',
    '2024-05-01T12:34:56z',
    '2024-05-01 12:34:56Z',
    ' 2024-05-01T12:34:56Z',
    '2024-05-01T12:34:56Z ',
    '2024-05-01T12:34:56Z\n',
    '+02024-05-01T12:34:56Z',
    '2024/05/01T12:34:56Z',
    '2024-05-01T12.34.56Z',
    '20240501T123456Z',
    '2024-5-1T12:34:56Z',
    '２024-05-01T12:34:56Z',
    '20-4-05-01T12:34:56Z',
    '2024-05-01T+1:34:56Z',
    '1714566896',
    'Wed, 01 May 2024 12:34:56 GMT',
  ])('refuses %j', (text) => {
    expect(parseLoginTimestamp(text)).toBeUndefined();
  });

  test('agrees with the calendar on every date of that shape', () => {
    fc.assert(
      fc.property(anyShaped, (shaped) => {
        expect(parseLoginTimestamp(`${shaped}Z`)).toBe(oracle(`${shaped}.000Z`));
      }),
      { numRuns: runs(500) },
    );
  });

  test('reads what formatSeconds writes', () => {
    fc.assert(
      fc.property(anyInstant, (epochMs) => {
        const text = formatSeconds(epochMs);
        expect(text).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
        expect(parseLoginTimestamp(text)).toBe(Math.floor(epochMs / 1000) * 1000);
      }),
    );
  });

  test('takes nothing that formatSeconds would write differently', () => {
    const nearlyRight = fc
      .tuple(anyInstant.map(formatSeconds), fc.nat(19), fc.string({ unit: 'binary', maxLength: 2 }))
      .map(([text, at, patch]) => text.slice(0, at) + patch + text.slice(at + 1));
    fc.assert(
      fc.property(nearlyRight, (text) => {
        const epochMs = parseLoginTimestamp(text);
        if (epochMs !== undefined) expect(formatSeconds(epochMs)).toBe(text);
      }),
      { numRuns: runs(300) },
    );
  });
});

describe('parseEventTimestamp', () => {
  test.each([
    ['2024-05-01T12:34:56.789Z', '2024-05-01T12:34:56.789Z', 0, true],
    ['2024-05-01T12:34:56Z', '2024-05-01T12:34:56.000Z', 0, false],
    ['2024-05-01T12:34:56.7Z', '2024-05-01T12:34:56.700Z', 0, false],
    ['2024-05-01T12:34:56.7891Z', '2024-05-01T12:34:56.789Z', 100_000, false],
    ['2024-05-01T12:34:56.123456789Z', '2024-05-01T12:34:56.123Z', 456_789, false],
    ['2024-05-01T12:34:56.000000001Z', '2024-05-01T12:34:56.000Z', 1, false],
    ['2024-05-01T12:34:56.999999999Z', '2024-05-01T12:34:56.999Z', 999_999, false],
    ['2024-05-01t12:34:56.789Z', '2024-05-01T12:34:56.789Z', 0, false],
    ['2024-05-01T12:34:56.789z', '2024-05-01T12:34:56.789Z', 0, false],
    ['2024-05-01T12:34:56.789+00:00', '2024-05-01T12:34:56.789Z', 0, false],
    ['2024-05-01T12:34:56.789-00:00', '2024-05-01T12:34:56.789Z', 0, false],
    ['2024-05-01T12:34:56+05:30', '2024-05-01T07:04:56.000Z', 0, false],
    ['2024-05-01T12:34:56-08:00', '2024-05-01T20:34:56.000Z', 0, false],
    ['2024-12-31T23:59:59-23:59', '2025-01-01T23:58:59.000Z', 0, false],
    ['2024-01-01T00:00:00+23:59', '2023-12-31T00:01:00.000Z', 0, false],
    // The same length as the normal form, but another one.
    ['2024-05-01T12:34:5 .789Z', undefined, 0, false],
    ['1969-12-31T23:59:59.999Z', '1969-12-31T23:59:59.999Z', 0, true],
    ['1969-12-31T23:59:59.9999Z', '1969-12-31T23:59:59.999Z', 900_000, false],
    ['1960-01-01T00:00:00.000000001Z', '1960-01-01T00:00:00.000Z', 1, false],
    ['0001-01-01T00:00:00.000Z', '0001-01-01T00:00:00.000Z', 0, true],
  ])('reads %s', (text, instant, nanos, isNormalForm) => {
    const expected =
      instant === undefined ? undefined : { epochMs: Date.parse(instant), nanos, isNormalForm };
    expect(parseEventTimestamp(text)).toEqual(expected);
  });

  test('reads instants that an offset moves out of the four-digit years', () => {
    expect(parseEventTimestamp('0000-01-01T00:00:00+00:01')?.epochMs).toBe(YEAR_0 - 60_000);
    expect(parseEventTimestamp('9999-12-31T23:59:59.999-00:01')?.epochMs).toBe(YEAR_9999_END + 60_000);
  });

  test.each([
    '',
    '2024-05-01',
    '2024-05-01T12:34:56',
    '2024-05-01T12:34:56.789',
    '2024-05-01T12:34Z',
    '2024-05-01T12:34:56.Z',
    '2024-05-01T12:34:56,789Z',
    '2024-05-01T12:34:56.1234567890Z',
    '2024-05-01T12:34:56.7-9Z',
    '2024-05-01T12:34:56.7 9Z',
    '2024-05-01 12:34:56Z',
    '2024-05-01_12:34:56Z',
    '2024-05-01T12:34:56 Z',
    '2024-05-01T12:34:56ZZ',
    '2024-05-01T12:34:56Z\n',
    '2024-05-01T12:34:56+0000',
    '2024-05-01T12:34:56+00',
    '2024-05-01T12:34:56+24:00',
    '2024-05-01T12:34:56+00:60',
    '2024-05-01T12:34:56+1:00',
    '2024-05-01T12:34:56+01:0',
    '2024-05-01T12:34:56+01:000',
    '2024-05-01T12:34:56+01-00',
    '2024-05-01T12:34:56\u221201:00',
    '2024-05-01T12:34:56.789+-1:00',
    '2024-02-30T12:00:00.000Z',
    '2023-02-29T12:00:00.000Z',
    '2024-05-01T24:00:00.000Z',
    '2016-12-31T23:59:60.000Z',
    '+002024-05-01T12:34:56Z',
    '-002024-05-01T12:34:56Z',
  ])('refuses %j', (text) => {
    expect(parseEventTimestamp(text)).toBeUndefined();
  });

  test('reads every instant in its normal form', () => {
    fc.assert(
      fc.property(anyInstant, (epochMs) => {
        const text = new Date(epochMs).toISOString();
        expect(parseEventTimestamp(text)).toEqual({ epochMs, nanos: 0, isNormalForm: true });
      }),
    );
  });

  test('agrees with the calendar on every date of that shape', () => {
    fc.assert(
      fc.property(anyShaped, fc.integer({ min: 0, max: 999 }), (shaped, millis) => {
        const text = `${shaped}.${String(millis).padStart(3, '0')}Z`;
        expect(parseEventTimestamp(text)?.epochMs).toBe(oracle(text));
      }),
      { numRuns: runs(500) },
    );
  });

  test('reads decimals and offsets exactly', () => {
    const fraction = fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength: 9 });
    const offset = fc.integer({ min: -1439, max: 1439 });
    fc.assert(
      fc.property(anyInstant, fraction, offset, (instant, digits, minutes) => {
        const wholeMs = Math.floor(instant / 1000) * 1000;
        const zone = `${minutes < 0 ? '-' : '+'}${two(Math.trunc(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`;
        const point = digits === '' ? '' : '.';
        const parsed = parseEventTimestamp(formatSeconds(wholeMs).replace('Z', point + digits + zone));
        const nanosOfSecond = BigInt(digits.padEnd(9, '0'));
        const expected = (BigInt(wholeMs) - BigInt(minutes) * 60_000n) * 1_000_000n + nanosOfSecond;
        if (parsed === undefined) throw new Error('refused');
        expect(BigInt(parsed.epochMs) * 1_000_000n + BigInt(parsed.nanos)).toBe(expected);
        expect(parsed.nanos).toBeGreaterThanOrEqual(0);
        expect(parsed.nanos).toBeLessThanOrEqual(999_999);
        expect(parsed.isNormalForm).toBe(false);
      }),
    );
  });

  test('says normal form only of the text that toISOString writes', () => {
    const nearlyRight = fc
      .tuple(anyInstant, fc.nat(24), fc.string({ unit: fc.constantFrom(...'0T:-.Zz+9 '), maxLength: 2 }))
      .map(([epochMs, at, patch]) => {
        const text = new Date(epochMs).toISOString();
        return text.slice(0, at) + patch + text.slice(at + 1);
      });
    fc.assert(
      fc.property(nearlyRight, (text) => {
        const parsed = parseEventTimestamp(text);
        const isNormal = parsed !== undefined && new Date(parsed.epochMs).toISOString() === text;
        expect(parsed?.isNormalForm ?? false).toBe(isNormal);
      }),
      { numRuns: runs(300) },
    );
  });
});

test('formatSeconds rounds down, also before 1970', () => {
  expect(formatSeconds(1_714_566_896_999)).toBe('2024-05-01T12:34:56Z');
  expect(formatSeconds(-1)).toBe('1969-12-31T23:59:59Z');
});

test('a moment that is asked for again and again has its own text each time', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(anyInstant, fc.integer({ min: 1, max: 3 }))), (moments) => {
      for (const [epochMs, times] of moments) {
        for (let n = 0; n < times; n++) expect(isoTime(epochMs)).toBe(new Date(epochMs).toISOString());
      }
    }),
  );
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decimalFromJson, decimalFromJsonNumber, parseDecimal } from '../../../src/platform/lib/money.js';

const digits = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength, maxLength });
const anyInteger = digits(1, 12).map((text) => text.replace(/^0+(?=\d)/, ''));

describe('parseDecimal', () => {
  test.each([
    ['4.99', '4', '99'],
    ['5', '5', ''],
    ['5.00', '5', ''],
    ['5.10', '5', '1'],
    ['0', '0', ''],
    ['0.0', '0', ''],
    ['.5', '0', '5'],
    ['100', '100', ''],
    ['999999999999.999999', '999999999999', '999999'],
  ])('reads %s', (text, integer, fraction) => {
    expect(parseDecimal(text)).toEqual({ integer, fraction });
  });

  test.each([
    '',
    '.',
    '5.',
    '-5',
    '+5',
    '-0',
    '05',
    '00.5',
    '1e3',
    '1E3',
    '0x10',
    '1,5',
    '1 000',
    ' 5',
    '5 ',
    '5\n',
    '٣',
    'NaN',
    'Infinity',
    '1.2.3',
    '1234567890123',
    '1.1234567',
  ])('refuses %j', (text) => {
    expect(parseDecimal(text)).toBeUndefined();
  });

  test('keeps the value, whatever zeros end it', () => {
    fc.assert(
      fc.property(anyInteger, digits(0, 6), (integer, fraction) => {
        const parsed = parseDecimal(fraction === '' ? integer : `${integer}.${fraction}`);
        expect(parsed?.integer).toBe(integer);
        expect(parsed?.fraction.padEnd(6, '0')).toBe(fraction.padEnd(6, '0'));
        expect(parsed?.fraction).not.toMatch(/0$/);
      }),
    );
  });
});

describe('decimalFromJsonNumber', () => {
  test.each([
    [4.99, '4.99'],
    [5, '5'],
    [0, '0'],
    [-0, '0'],
    [0.1 + 0.2, '0.30000000000000004'],
    [0.000001, '0.000001'],
    [Math.fround(4.99), '4.989999771118164'],
    [999999999999, '999999999999'],
    [999999999999.99, '999999999999.99'],
    [1e-7, undefined],
    [1e12, undefined],
    [1e21, undefined],
    [-4.99, undefined],
    [Number.NaN, undefined],
    [Number.POSITIVE_INFINITY, undefined],
    [Number.MIN_VALUE, undefined],
  ])('%d is %s', (value, text) => {
    expect(decimalFromJsonNumber(value)).toBe(text);
  });

  test('is read back as the very same number', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 999_999_999_999, noNaN: true }), (value) => {
        const text = decimalFromJsonNumber(value);
        if (text === undefined) expect(value).toBeLessThan(1e-6);
        else {
          expect(text).toMatch(/^\d{1,12}(\.\d+)?$/);
          expect(Number(text)).toBe(value === 0 ? 0 : value);
        }
      }),
      { numRuns: 1000 },
    );
  });

  test('gives back the price that the sender wrote', () => {
    fc.assert(
      // A double holds any 15 digits.
      fc.property(fc.nat(999_999_999), fc.nat(999_999), (integer, micros) => {
        const fraction = String(micros).padStart(6, '0').replace(/0+$/, '');
        const written = fraction === '' ? String(integer) : `${integer}.${fraction}`;
        expect(decimalFromJsonNumber(JSON.parse(written) as number)).toBe(written);
      }),
    );
  });
});

describe('decimalFromJson', () => {
  test.each([
    [4.99, '4.99'],
    ['4.99', '4.99'],
    ['5.00', '5'],
    ['.50', '0.5'],
    [1e21, undefined],
    ['1e3', undefined],
    ['', undefined],
    [null, undefined],
    [undefined, undefined],
    [true, undefined],
    [['4.99'], undefined],
    [{ toString: () => '4.99' }, undefined],
    [499n, undefined],
  ])('%o is %s', (value, text) => {
    expect(decimalFromJson(value)).toBe(text);
  });

  test('takes a number and its text for the same amount', () => {
    fc.assert(
      fc.property(fc.nat(999_999_999), fc.nat(99), (units, cents) => {
        const text = `${units}.${String(cents).padStart(2, '0')}`;
        expect(decimalFromJson(text)).toBe(decimalFromJson(Number(text)));
      }),
    );
  });

  test('never throws', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        const text = decimalFromJson(value);
        if (text !== undefined) expect(text).toMatch(/^\d{1,12}(\.\d+)?$/);
      }),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { currencyDecimals, isCurrency } from '../../../src/platform/lib/currencies.js';

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
const EVERY_CODE = LETTERS.flatMap((a) => LETTERS.flatMap((b) => LETTERS.map((c) => a + b + c)));

describe('the currencies', () => {
  test.each([
    ['USD', 2],
    ['EUR', 2],
    ['JPY', 0],
    ['KRW', 0],
    ['VND', 0],
    ['UGX', 0],
    ['XPF', 0],
    ['KWD', 3],
    ['IQD', 3],
    ['CLF', 4],
    // Where ISO 4217 and the habits that Intl knows are not the same.
    ['IDR', 2],
    ['HUF', 2],
    ['COP', 2],
    ['RSD', 2],
    // New ones, which older versions of Node do not know.
    ['XCG', 2],
    ['ZWG', 2],
    ['SLE', 2],
    // Withdrawn not long ago.
    ['HRK', 2],
    ['BGN', 2],
  ])('%s has %i decimals', (currency, decimals) => {
    expect(currencyDecimals(currency)).toBe(decimals);
    expect(isCurrency(currency)).toBe(true);
  });

  test.each([
    ['written differently', ['', 'usd', 'Usd', 'US', 'USDD', 'EURO', 'U$D', '€', 'USD\n', ' USD', 'USD EUR']],
    ['that nobody has', ['ZZZ', 'QQQ', 'BTC']],
    ['of before 2020', ['DEM', 'FRF', 'LTL', 'BYR', 'VEF', 'STD']],
    ['without a minor unit', ['XXX', 'XTS', 'XAU', 'XAG', 'XPT', 'XPD', 'XDR', 'XSU', 'XUA', 'XBA']],
    ['that are members of objects', ['__proto__', 'constructor', 'toString']],
  ])('know no codes %s', (_, codes) => {
    for (const code of codes) {
      expect(currencyDecimals(code)).toBeUndefined();
      expect(isCurrency(code)).toBe(false);
    }
  });

  test('are 165 of today and 6 that were withdrawn, whatever the version of Node', () => {
    const known = EVERY_CODE.filter(isCurrency);
    expect(known).toHaveLength(165 + 6);
    const counts = [0, 2, 3, 4].map((n) => known.filter((code) => currencyDecimals(code) === n).length);
    expect(counts).toEqual([17, 145, 7, 2]);
  });

  test('are texts of three capital letters and nothing else', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        fc.pre(!(typeof value === 'string' && /^[A-Z]{3}$/.test(value)));
        expect(isCurrency(value)).toBe(false);
      }),
    );
  });
});

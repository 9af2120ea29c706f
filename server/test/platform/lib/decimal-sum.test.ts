import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DecimalSum, trimDecimal } from '../../../src/platform/lib/decimal-sum.js';

function sumOf(...texts: string[]): DecimalSum {
  const sum = new DecimalSum();
  for (const text of texts) sum.add(text);
  return sum;
}

test.each([
  [[], '0'],
  [['4.99', '0.01'], '5.00'],
  [['0.1', '0.2'], '0.3'],
  [['1', '0.25', '3'], '4.25'],
  [['0.5', '-1.25'], '-0.75'],
  [['-0.5', '0.5'], '0.0'],
  [['999999999999.999999', '0.000001'], '1000000000000.000000'],
])('%j are %s', (texts, sum) => {
  expect(sumOf(...texts).toString()).toBe(sum);
});

test('an estimate has the decimals of the finest amount', () => {
  expect(sumOf('1.25', '2').times(2)).toBe('6.50');
  expect(sumOf('0.1', '0.2').times(1)).toBe('0.3');
});

test('amounts in cents add up like whole numbers, in any order', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -1_000_000, max: 1_000_000 })), (cents) => {
      const texts = cents.map((amount) => {
        const digits = String(Math.abs(amount)).padStart(3, '0');
        return `${amount < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
      });
      const total = cents.reduce((sum, amount) => sum + amount, 0);
      expect(Math.round(Number(sumOf(...texts).toString()) * 100)).toBe(total);
      expect(sumOf(...texts.toReversed()).toString()).toBe(sumOf(...texts).toString());
    }),
  );
});

test('products are exact, and so are their sums', () => {
  const sum = new DecimalSum();
  sum.addProduct('4.99', '1.0834');
  sum.addProduct('-1200', '0.0066');
  sum.add('0.1');
  expect(sum.toString()).toBe('-2.413834');
});

test.each([
  ['12.50', '12.5'],
  ['10.00', '10'],
  ['100', '100'],
  ['-0.00', '0'],
  ['-0.10', '-0.1'],
])('%s is %s without superfluous zeros', (decimal, trimmed) => {
  expect(trimDecimal(decimal)).toBe(trimmed);
});

import { describe, expect, it } from 'vitest';
import {
  discounted,
  formatMinorUnits,
  guardrailsInTheWay,
  lowestPrice,
  skuPriceOf,
  toBasisPoints,
  toMinorUnits,
  withinGuardrails,
} from '../../../src/decide/document/prices.js';

describe('prices', () => {
  it.each([
    ['4.99', 'USD', 499n],
    ['5', 'USD', 500n],
    ['500', 'JPY', 500n],
    ['1.234', 'KWD', 1234n],
    ['999999999999.99', 'USD', 99_999_999_999_999n],
    ['4.999', 'USD', undefined],
    ['1.5', 'JPY', undefined],
    ['5', 'QQQ', undefined],
  ])('%s %s in minor units', (amount, currency, expected) => {
    expect(toMinorUnits(amount, currency)).toBe(expected);
  });

  it('are written with the decimals of the currency', () => {
    expect(formatMinorUnits(5n, 2)).toBe('0.05');
    expect(formatMinorUnits(500n, 2)).toBe('5.00');
    expect(formatMinorUnits(0n, 3)).toBe('0.000');
    expect(formatMinorUnits(500n, 0)).toBe('500');
  });

  it('are discounted exactly and rounded down', () => {
    expect(discounted(999n, toBasisPoints('10'))).toBe(899n);
    expect(discounted(1n, toBasisPoints('0.01'))).toBe(0n);
    expect(discounted(99_999_999_999_999n, toBasisPoints('33.33'))).toBe(66_669_999_999_999n);
    expect(discounted(500n, toBasisPoints('100'))).toBe(0n);
    expect(discounted(500n, toBasisPoints('0'))).toBe(500n);
  });

  it('cannot go below the largest discount by a fraction of a cent', () => {
    expect(lowestPrice(999n, toBasisPoints('50'))).toBe(500n);
    expect(lowestPrice(1000n, toBasisPoints('50'))).toBe(500n);
    expect(lowestPrice(999n, toBasisPoints('100'))).toBe(0n);
  });

  it('stay within the rails, which are named', () => {
    const skuPrice = skuPriceOf(
      'USD',
      { actualPrice: '10', offerPrice: '8', floorPrice: '3' },
      toBasisPoints('60'),
    );
    if (skuPrice === undefined) throw new Error('no skuPrice');
    expect([500n, 350n, 100n, 1200n].map((wanted) => withinGuardrails(wanted, skuPrice))).toEqual([
      500n,
      400n,
      400n,
      1000n,
    ]);
    expect(guardrailsInTheWay(500n, skuPrice)).toEqual([]);
    expect(guardrailsInTheWay(350n, skuPrice)).toEqual(['largest_discount']);
    expect(guardrailsInTheWay(100n, skuPrice)).toEqual(['floor_price', 'largest_discount']);
    expect(guardrailsInTheWay(1200n, skuPrice)).toEqual(['actual_price']);
  });
});

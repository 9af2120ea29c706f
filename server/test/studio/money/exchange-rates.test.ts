import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type DatedAmounts,
  type ExchangeRate,
  rateOn,
  rateTable,
  reportAmounts,
} from '../../../src/studio/money/exchange-rates.js';

const RATES = [
  { currency: 'EUR', from: '2026-11-01', rate: '1.09' },
  { currency: 'EUR', from: '2026-10-01', rate: '1.07' },
  { currency: 'JPY', from: '2026-10-15', rate: '0.0066' },
];
const TABLE = rateTable('USD', 1, RATES);

describe('the rate of a day', () => {
  test.each([
    ['EUR', '2026-09-30', undefined],
    ['EUR', '2026-10-01', '1.07'],
    ['EUR', '2026-10-31', '1.07'],
    ['EUR', '2026-11-01', '1.09'],
    ['EUR', '2030-01-01', '1.09'],
    ['JPY', '2026-10-14', undefined],
    ['CHF', '2026-11-01', undefined],
    ['USD', '1999-01-01', '1'],
  ])('%s on %s is %s', (currency, day, rate) => {
    expect(rateOn(TABLE, currency, day)).toBe(rate);
  });

  test('rates change on the days of the table', () => {
    expect(TABLE.changeDays).toEqual(['2026-10-01', '2026-10-15', '2026-11-01']);
  });
});

describe('money in the reporting currency', () => {
  test('each payment is converted with the rate of its day', () => {
    const paid = [
      { day: '2026-10-31', amounts: { EUR: '10', USD: '4.99' } },
      { day: '2026-11-01', amounts: { EUR: '10', JPY: '1200' } },
    ];
    expect(reportAmounts(TABLE, paid)).toEqual({ currency: 'USD', amount: '34.51', missing: {} });
  });

  test('payments without a rate are named, and not counted as zero', () => {
    const paid = [
      { day: '2026-10-01', amounts: { JPY: '500', CHF: '12.00', USD: '1' } },
      { day: '2026-11-01', amounts: { JPY: '100', CHF: '0.50' } },
      { day: null, amounts: { EUR: '3' } },
    ];
    expect(reportAmounts(TABLE, paid)).toEqual({
      currency: 'USD',
      amount: '1.66',
      missing: { CHF: '12.5', EUR: '3', JPY: '500' },
    });
  });

  test('a payment that was refunded leaves nothing behind', () => {
    const paid = [{ day: '2026-10-01', amounts: { CHF: '5' } }];
    const refunded = [{ day: '2026-10-01', amounts: { CHF: '-5.00' } }];
    expect(reportAmounts(TABLE, [...paid, ...refunded])).toEqual({
      currency: 'USD',
      amount: '0',
      missing: {},
    });
  });

  test('without a reporting currency there is no figure', () => {
    expect(reportAmounts(null, [{ day: '2026-10-01', amounts: { USD: '1' } }])).toBeNull();
  });
});

const CURRENCIES = ['AUD', 'CHF', 'EUR', 'GBP', 'INR', 'JPY', 'KRW', 'PLN', 'USD'];
const day = fc.integer({ min: 1, max: 28 }).map((each) => `2026-02-${String(each).padStart(2, '0')}`);
const decimal = (max: number) =>
  fc
    .tuple(fc.integer({ min: 0, max }), fc.integer({ min: 0, max: 999_999 }))
    .map(([integer, fraction]) => `${integer}.${String(fraction).padStart(6, '0')}`);
const rate: fc.Arbitrary<ExchangeRate> = fc.record({
  currency: fc.constantFrom(...CURRENCIES.slice(0, -1)),
  from: day,
  rate: decimal(2_000),
});
const payment = fc.record({ day, currency: fc.constantFrom(...CURRENCIES), amount: decimal(1_000_000) });

/** In millionths of millionths, found by going through the days one by one. */
function independentSum(
  rates: ExchangeRate[],
  payments: { day: string; currency: string; amount: string }[],
) {
  const millionths = (text: string) => BigInt(text.replace('.', ''));
  let sum = 0n;
  const missing = new Map<string, bigint>();
  for (const paid of payments) {
    let held: bigint | undefined = paid.currency === 'USD' ? 1_000_000n : undefined;
    for (let each = 1; each <= Number(paid.day.slice(8)); each++) {
      const from = `2026-02-${String(each).padStart(2, '0')}`;
      const found = rates.find((listed) => listed.currency === paid.currency && listed.from === from);
      if (found !== undefined) held = millionths(found.rate);
    }
    if (held !== undefined) sum += millionths(paid.amount) * held;
    else missing.set(paid.currency, (missing.get(paid.currency) ?? 0n) + millionths(paid.amount));
  }
  return { sum, missing };
}

function toUnits(text: string, decimals: number): bigint {
  const [integer = '', fraction = ''] = text.split('.');
  return BigInt(integer + fraction.padEnd(decimals, '0'));
}

test('sums of many currencies and days are equal to an independent sum, to the last decimal', () => {
  const rates = fc.uniqueArray(rate, {
    selector: ({ currency, from }) => `${currency} ${from}`,
    maxLength: 60,
  });
  fc.assert(
    fc.property(rates, fc.array(payment, { maxLength: 80 }), (listed, payments) => {
      const dated = payments.map(
        (paid): DatedAmounts => ({ day: paid.day, amounts: { [paid.currency]: paid.amount } }),
      );
      const reported = reportAmounts(rateTable('USD', 1, listed), dated);
      const expected = independentSum(listed, payments);
      expect(toUnits(reported?.amount ?? '', 12)).toBe(expected.sum);
      const missing = Object.entries(reported?.missing ?? {}).map(([currency, amount]) => [
        currency,
        toUnits(amount, 6),
      ]);
      expect(Object.fromEntries(missing)).toEqual(
        Object.fromEntries([...expected.missing].filter(([, amount]) => amount !== 0n)),
      );
    }),
  );
});

test('days on which the same rates hold may be added up before they are converted', () => {
  const rates = fc.uniqueArray(rate, {
    selector: ({ currency, from }) => `${currency} ${from}`,
    maxLength: 30,
  });
  fc.assert(
    fc.property(rates, fc.array(payment, { maxLength: 40 }), (listed, payments) => {
      const table = rateTable('USD', 1, listed);
      const byDay = payments.map((paid) => ({ day: paid.day, amounts: { [paid.currency]: paid.amount } }));
      const byRates = byDay.map(({ day: paidOn, amounts }) => ({
        day: table.changeDays.findLast((each) => each <= paidOn) ?? null,
        amounts,
      }));
      expect(reportAmounts(table, byRates)).toEqual(reportAmounts(table, byDay));
    }),
  );
});

import { describe, expect, it } from 'vitest';
import { totalOf } from '../src/lib/revenue-by-proof.js';

const part = (
  amounts: Record<string, string>,
  amount: string | null,
  missing: Record<string, string> = {},
) => ({
  amounts,
  reported: amount === null ? null : { currency: 'USD', amount, missing },
});
const day = (verified: ReturnType<typeof part>) => ({
  revenueByProof: { verified, unverified: part({}, null), refunded: part({}, null) },
});

describe('revenue by proof', () => {
  it('is added up by currency, and in the reporting currency', () => {
    const days = [day(part({ USD: '1.5', EUR: '2' }, '3.5', { CHF: '1' })), day(part({ USD: '1' }, '1'))];
    expect(totalOf(days, 'verified')).toEqual({
      paid: { USD: 2.5, EUR: 2 },
      reported: { currency: 'USD', amount: '4.5', missing: { CHF: 1 } },
    });
  });

  it('has no figure in a reporting currency that there is not', () => {
    expect(totalOf([day(part({ USD: '1' }, null))], 'verified')).toEqual({
      paid: { USD: 1 },
      reported: null,
    });
  });
});

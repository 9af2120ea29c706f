import { expect, it } from 'vitest';
import { purchaseCheckOf } from '../../../src/operations/imports/sale-member.js';

const SALE = {
  transactionId: 't',
  kind: 'purchase',
  skuId: 's',
  price: '4.99',
  currency: 'EUR',
  promoId: null,
};

it.each([
  ['empty names of a product and a promotion', { skuId: '', promoId: '' }],
  ['a price of 12 digits', { price: '999999999999.989999771118164' }],
  ['a transaction of 256 characters', { transactionId: 'x'.repeat(256) }],
])('takes a sale with %s', (_, members) => {
  expect(purchaseCheckOf({ ...SALE, ...members })).toBeTypeOf('function');
});

it.each([
  ['a price of 13 digits', { price: '1000000000000' }],
  ['a transaction of 257 characters', { transactionId: 'x'.repeat(257) }],
  ['an empty transaction', { transactionId: '' }],
])('refuses a sale with %s', (_, members) => {
  expect(purchaseCheckOf({ ...SALE, ...members })).toBe('invalid');
});

import { describe, expect, it } from 'vitest';
import {
  createRowReader,
  type StoredEvent,
} from '../../../../src/insight/event-files/writing/file-events.js';
import { millionthsOf } from '../../../../src/platform/lib/money.js';

const SENT = Date.parse('2026-11-13T23:59:59.999Z');
const RECEIVED = Date.parse('2026-11-14T00:00:01.000Z');

function stored(given: {
  type?: string;
  suspect?: boolean;
  sentMs?: number;
  payload?: unknown;
  metadata?: unknown;
  sale?: unknown;
}): StoredEvent {
  const { type = 'A', suspect = false, sentMs = SENT, payload = {}, metadata = {}, sale } = given;
  const json = sale === undefined ? null : JSON.stringify(sale);
  return [
    '7',
    null,
    type,
    sentMs,
    RECEIVED,
    suspect,
    JSON.stringify(payload),
    JSON.stringify(metadata),
    json,
  ];
}

const read = (given: Parameters<typeof stored>[0]) => createRowReader()(stored(given), 'key');

describe('a row of a file', () => {
  it('counts at the time of the event, or of its receipt where its clock cannot be right', () => {
    expect(read({}).counted_at).toEqual(new Date(SENT));
    expect(read({ suspect: true }).counted_at).toEqual(new Date(RECEIVED));
    expect(read({ sentMs: RECEIVED + 5 })).toMatchObject({
      counted_at: new Date(RECEIVED),
      sent_at: new Date(RECEIVED + 5),
    });
  });

  it('has country, platform and build as the breakdowns have them', () => {
    const metadata = { country: 'de', osName: 'iOS', clientBuild: '1.2' };
    expect(read({ metadata })).toMatchObject({ country: 'DE', platform: 'iOS', build: '1.2' });
    expect(read({ metadata: { osName: 5 } })).toMatchObject({ country: null, platform: null, build: null });
  });

  it('has the amounts of a purchase as its payload says', () => {
    const payload = { transactionId: 't', skuId: 's', price: '4.99', currency: 'USD' };
    expect(read({ type: 'Purchase', payload })).toMatchObject({
      transaction_id: 't',
      sku_id: 's',
      price: 4_990_000n,
      currency: 'USD',
      verified_by: null,
    });
    expect(read({ type: 'Purchase', payload: { price: 5, currency: 'EUR' } })).toMatchObject({
      transaction_id: null,
      price: 5_000_000n,
    });
    expect(read({ type: 'Other', payload }).price).toBeNull();
  });

  it('has what a purchase was decided to count as', () => {
    const payload = { transactionId: 't', skuId: 's', price: '4.99', currency: 'USD' };
    const sale = {
      transactionId: 'real',
      kind: 'purchase',
      skuId: 's2',
      price: '1',
      currency: 'EUR',
      promoId: null,
      store: 'apple',
    };
    expect(read({ type: 'Purchase', payload, sale })).toMatchObject({
      transaction_id: 'real',
      sku_id: 's2',
      price: 1_000_000n,
      currency: 'EUR',
      verified_by: 'apple',
    });
    expect(read({ type: 'Purchase', payload, sale: null })).toMatchObject({
      transaction_id: null,
      price: null,
    });
  });

  it.each([
    ['999999999999.999999', 999_999_999_999_999_999n],
    ['999999999999.9999999', null],
    ['999999999999999999999999999999', null],
  ])('has no price that the column cannot hold: %s', (price, expected) => {
    const sale = { transactionId: 't', kind: 'purchase', skuId: null, price, currency: 'EUR', promoId: null };
    expect(read({ type: 'Purchase', sale }).price).toBe(expected);
  });

  it('names the transaction that a refund is about', () => {
    expect(read({ type: 'Refund', payload: { transactionId: 't' } })).toMatchObject({
      transaction_id: 't',
      price: null,
    });
  });
});

it.each([
  ['4.99', 4_990_000n],
  ['0', 0n],
  ['123456789012.123456', 123_456_789_012_123_456n],
  ['4.989999771118164', 4_990_000n],
  ['0.0000004', 0n],
])('%s is %s millionths', (decimal, millionths) => {
  expect(millionthsOf(decimal)).toBe(millionths);
});

import { expect, it } from 'vitest';
import { decide } from '../../../src/decide/decide/decide.js';
import { compiled, facts, NOW, offer, payer, segment, sku } from '../support/fixtures.js';

const document = compiled({
  store: { sendFallback: false, holdoutPercent: 0, largestDiscountPercent: '60' },
  segments: [segment('big', 'spend["USD"].total > 100 || purchases.total >= 1')],
  catalogue: [
    sku('gems', { prices: { USD: { actualPrice: '10', offerPrice: '9', floorPrice: '5' } } }),
    sku('old', { active: false }),
    sku('late', { from: '2030-01-01T00:00:00Z' }),
  ],
  offers: [
    offer('thanks', {
      when: 'segment("big")',
      effect: { price: { setTo: { USD: '2' } }, promoId: 'thanks' },
    }),
    offer('sale', { skus: ['gems'] }),
    offer('extra', { combine: true, effect: { price: { discountPercent: '10' } } }),
    offer('nobody', { sharePercent: 0 }),
    offer('over', { until: '2020-01-01T00:00:00Z' }),
    offer('soon', { from: '2030-01-01T00:00:00Z' }),
    offer('spent', { limitPerPlayer: 1, effect: { promoId: 'used' } }),
    offer('broken', { when: '1 / adImpressions.total > 0' }),
  ],
});

it('explains rule by rule, with the values that decided', () => {
  const { trace } = decide(document, payer({ promoPurchases: { used: 1 } }), NOW, { trace: true });
  expect(trace?.flags).toEqual([
    { flagId: 'isPayer', value: true, because: 'purchase', schedule: null, rule: null },
  ]);
  expect(trace?.segments).toEqual([
    {
      segmentId: 'big',
      member: true,
      rule: {
        expression: 'spend["USD"].total > 100 || purchases.total >= 1',
        result: true,
        error: null,
        values: { 'spend["USD"].total': 4.99, 'purchases.total': 1 },
      },
      stay: null,
    },
  ]);
  expect(trace?.offers.map(({ offerId, outcome }) => [offerId, outcome])).toEqual([
    ['thanks', 'applies'],
    ['sale', 'applies'],
    ['extra', 'applies'],
    ['nobody', 'outside_share'],
    ['over', 'ended'],
    ['soon', 'not_started'],
    ['spent', 'limit_reached'],
    ['broken', 'rule_false'],
  ]);
  expect(trace?.offers[0]?.rule?.values).toEqual({ 'segments["big"]': true });
  expect(trace?.offers[6]).toMatchObject({ purchases: 1, sharePercent: 100 });
  expect(trace?.offers[7]?.rule).toMatchObject({ result: false, error: 'division by zero' });
});

it('gives children what everybody gets, and says why', () => {
  const child = payer({ ageGroup: 'child', promoPurchases: { used: 1 } });
  const { trace, store } = decide(document, child, NOW, { trace: true });
  expect(trace?.offers.map(({ offerId, outcome }) => [offerId, outcome])).toEqual([
    ['thanks', 'not_for_children'],
    ['sale', 'applies'],
    ['extra', 'applies'],
    ['nobody', 'outside_share'],
    ['over', 'ended'],
    ['soon', 'not_started'],
    ['spent', 'not_for_children'],
    ['broken', 'not_for_children'],
  ]);
  const teen = decide(document, payer({ ageGroup: 'teen' }), NOW);
  expect(teen.store.userSpecificPromoId).toBe('thanks');
  expect(store.userSpecificPromoId).not.toBe('thanks');
});

it('explains every price step by step: which offers applied, which rails were in the way', () => {
  const { trace } = decide(document, payer(), NOW, { trace: true });
  expect(trace?.skus).toMatchObject([
    {
      skuId: 'gems',
      isShown: true,
      currency: 'USD',
      actualPrice: '10.00',
      cataloguePrice: '9.00',
      offerPrice: '5.00',
      steps: [
        {
          offerId: 'thanks',
          applied: true,
          wantedPrice: '2.00',
          rails: ['floor_price', 'largest_discount'],
          price: '5.00',
        },
        { offerId: 'sale', applied: false, wantedPrice: null, rails: [], price: '5.00' },
        { offerId: 'extra', applied: true, wantedPrice: '4.50', rails: ['floor_price'], price: '5.00' },
        { offerId: 'spent', applied: false },
      ],
    },
    { skuId: 'late', isShown: false, absent: 'not_started', steps: [] },
    { skuId: 'old', isShown: false, absent: 'inactive', steps: [] },
  ]);
});

it('says nothing unless asked', () => {
  expect(decide(document, facts(), NOW).trace).toBeNull();
});

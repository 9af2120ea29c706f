import { describe, expect, it } from 'vitest';
import { bucketOf, isInShare, offerHoldoutSalt, userIdBytes } from '../../../src/decide/compile/bucket.js';
import { decide } from '../../../src/decide/decide/decide.js';
import type { OfferEntry } from '../../../src/decide/document/parts/offers.js';
import {
  compiled,
  DAY_MS,
  facts,
  NOW,
  offer,
  PUBLISHED_AT,
  payer,
  segment,
  sku,
} from '../support/fixtures.js';

const iso = (instant: number) => new Date(instant).toISOString();
const HOUR_MS = 3_600_000;

describe('offers', () => {
  const SALE = { effect: { price: { discountPercent: '20' }, promoId: 'sale' } } as const;
  const pricesOf = (document: ReturnType<typeof compiled>, player = facts(), now = NOW) =>
    decide(document, player, now).store.activeSkus.map(({ skuId, offerPrice }) => `${skuId} ${offerPrice}`);

  it('begin and end to the millisecond, and move the last update', () => {
    const [from, until] = [NOW + HOUR_MS, NOW + 3 * HOUR_MS];
    const document = compiled({
      catalogue: [sku('gems')],
      offers: [offer('happy_hour', { ...SALE, from: iso(from), until: iso(until) })],
    });
    const at = (now: number) => {
      const { store, validUntil } = decide(document, facts(), now);
      const price = store.activeSkus[0]?.offerPrice;
      return [price, store.userSpecificPromoId, store.lastUpdatedTimestamp, validUntil];
    };
    expect(at(from - 1)).toEqual(['10.00', null, PUBLISHED_AT, from]);
    expect(at(from)).toEqual(['8.00', 'sale', from, until]);
    expect(at(until - 1)).toEqual(['8.00', 'sale', from, until]);
    expect(at(until)).toEqual(['10.00', null, until, Infinity]);
  });

  it('move the last update of those in their share, whether or not their rule is true at the moment', () => {
    const payers = (sharePercent: number) =>
      compiled({
        catalogue: [sku('gems')],
        offers: [offer('payers', { ...SALE, when: 'flags.isPayer', from: iso(NOW - HOUR_MS), sharePercent })],
      });
    const lastUpdate = (share: number, player = facts()) =>
      decide(payers(share), player, NOW).store.lastUpdatedTimestamp;
    expect(lastUpdate(100)).toBe(NOW - HOUR_MS);
    expect(lastUpdate(0)).toBe(PUBLISHED_AT);
    expect(lastUpdate(100, payer({ lastPurchaseAt: NOW - 1 }))).toBe(NOW - 1);
  });

  it('a purchase is noticed at once: segment, offer, promotion and price', () => {
    const document = compiled({
      segments: [segment('payer', 'flags.isPayer')],
      catalogue: [sku('gems')],
      offers: [offer('thanks', { ...SALE, when: 'segment("payer")' })],
    });
    expect(decide(document, facts(), NOW).store.userSpecificPromoId).toBeNull();
    const { store, segments } = decide(document, payer(), NOW);
    expect(segments.map(({ segmentId }) => segmentId)).toEqual(['payer']);
    expect(store).toMatchObject({
      userSpecificPromoId: 'sale',
      lastUpdatedTimestamp: NOW,
      activeSkus: [{ skuId: 'gems', actualPrice: '10.00', offerPrice: '8.00' }],
    });
  });

  it('by a rule about time hold until the rule can change its result', () => {
    const document = compiled({
      catalogue: [sku('gems')],
      offers: [offer('welcome', { ...SALE, when: 'daysSinceFirstSeen < 7' })],
    });
    const end = NOW + 7 * DAY_MS;
    expect(decide(document, facts(), NOW).validUntil).toBe(NOW + DAY_MS);
    expect(decide(document, facts(), end - 1).validUntil).toBe(end);
    expect(pricesOf(document, facts(), end - 1)).toEqual(['gems 8.00']);
    expect(pricesOf(document, facts(), end)).toEqual(['gems 10.00']);
  });

  it('the first that matches wins a SKU; those marked combine apply as well, wherever they stand', () => {
    const percent = (discountPercent: string) => ({ effect: { price: { discountPercent } } });
    const first = offer('first', { ...percent('10'), skus: ['gems'] });
    const second = offer('second', percent('50'));
    const extra = offer('extra', { ...percent('10'), combine: true });
    const catalogue = [sku('gems'), sku('pass')];
    expect(pricesOf(compiled({ catalogue, offers: [first, second] }))).toEqual(['gems 9.00', 'pass 5.00']);
    expect(pricesOf(compiled({ catalogue, offers: [first, second, extra] }))).toEqual([
      'gems 8.10',
      'pass 4.50',
    ]);
    expect(pricesOf(compiled({ catalogue, offers: [extra, first, second] }))).toEqual([
      'gems 8.10',
      'pass 4.50',
    ]);
  });

  it('stop after so many purchases with their promotion', () => {
    const document = compiled({
      catalogue: [sku('gems')],
      offers: [offer('once', { ...SALE, limitPerPlayer: 2 })],
    });
    expect(pricesOf(document, facts({ promoPurchases: { sale: 1 } }))).toEqual(['gems 8.00']);
    expect(pricesOf(document, facts({ promoPurchases: { sale: 2 } }))).toEqual(['gems 10.00']);
  });

  it('show what is hidden and hide what is not, but never what is inactive or out of time', () => {
    const document = compiled({
      catalogue: [
        sku('secret', { hidden: true }),
        sku('plain'),
        sku('gone', { active: false }),
        sku('later', { from: iso(NOW + 1) }),
      ],
      offers: [
        offer('show', {
          effect: { visibility: 'show' },
          skus: ['secret', 'gone', 'later'],
          when: 'flags.isPayer',
        }),
        offer('hide', { effect: { visibility: 'hide' }, skus: ['plain'], when: 'flags.isPayer' }),
      ],
    });
    expect(pricesOf(document)).toEqual(['plain 10.00']);
    expect(pricesOf(document, payer())).toEqual(['secret 10.00']);
  });

  it('set a price per currency, and leave the others alone', () => {
    const catalogue = [
      sku('gems', {
        prices: {
          USD: { actualPrice: '10', offerPrice: '9' },
          JPY: { actualPrice: '1000', offerPrice: '900' },
        },
      }),
    ];
    const document = compiled({
      catalogue,
      offers: [offer('yen', { effect: { price: { setTo: { JPY: '750' } } } })],
    });
    expect(pricesOf(document)).toEqual(['gems 9.00']);
    expect(pricesOf(document, facts({ profile: { currency: { v: 'JPY', t: 1 } } }))).toEqual(['gems 750']);
    const paidIn = { paidCurrency: { v: 'JPY', t: 2 } };
    expect(pricesOf(document, facts({ profile: paidIn }))).toEqual(['gems 750']);
    expect(pricesOf(document, facts({ profile: { ...paidIn, currency: { v: 'USD', t: 1 } } }))).toEqual([
      'gems 9.00',
    ]);
    expect(pricesOf(document, facts({ profile: { currency: { v: 'CHF', t: 1 } } }))).toEqual(['gems 9.00']);
  });

  it('are nothing to a player who is held out', () => {
    const document = compiled({
      store: { sendFallback: false, holdoutPercent: 100, largestDiscountPercent: '100' },
      catalogue: [sku('gems')],
      offers: [offer('sale', { ...SALE, from: iso(NOW - HOUR_MS) })],
    });
    const { store, heldOut, validUntil, trace } = decide(document, facts(), NOW, { trace: true });
    expect(heldOut).toBe(true);
    expect(validUntil).toBe(Infinity);
    expect(store).toMatchObject({ userSpecificPromoId: null, lastUpdatedTimestamp: PUBLISHED_AT });
    expect(store.activeSkus[0]?.offerPrice).toBe('10.00');
    expect(trace?.offers[0]?.outcome).toBe('held_out');
  });

  describe('that hold some players out', () => {
    const ids = Array.from({ length: 60 }, (_, n) => `player-${n}`);
    const held = (userId: string, percent = 40) =>
      isInShare(bucketOf(offerHoldoutSalt('sale'), userIdBytes(userId)), percent);
    const document = (change: Partial<OfferEntry> = {}) =>
      compiled({
        catalogue: [sku('gems')],
        offers: [offer('sale', { ...SALE, holdoutPercent: 40, ...change })],
      });
    const decided = (userId: string, change: Partial<OfferEntry> = {}, more = {}) =>
      decide(document(change), facts({ userId, ...more }), NOW, { trace: true });
    const variantOf = (userId: string) => (held(userId) ? 'held_out' : 'offered');

    it('are kept from them for good, by a lot of their own', () => {
      expect(ids.some((id) => held(id)) && ids.some((id) => !held(id))).toBe(true);
      for (const id of ids) {
        const { store, holdouts, heldOut, trace } = decided(id);
        expect(store.activeSkus[0]?.offerPrice).toBe(held(id) ? '10.00' : '8.00');
        expect(store.activeSkus[0]?.promoId).toBe(held(id) ? undefined : 'sale');
        expect(heldOut).toBe(false);
        const arm = { experimentId: 'offer:sale', seed: '40', variantId: variantOf(id) };
        expect(holdouts).toEqual([{ ...arm, isStored: false, isPinned: false }]);
        expect(trace?.offers[0]).toMatchObject({
          outcome: held(id) ? 'held_out_of_offer' : 'applies',
          holdout: { percent: 40 },
        });
      }
    });

    it('are compared only if the offer would apply', () => {
      const others: [Partial<OfferEntry>, object?][] = [
        [{ when: 'country == "DE"' }],
        [{ sharePercent: 0 }],
        [{ from: iso(NOW + 1) }],
        [{ limitPerPlayer: 1 }, { promoPurchases: { sale: 1 } }],
        [{}, { ageGroup: 'child' }],
        [{ holdoutPercent: 0 }],
      ];
      for (const [change, more] of others) expect(decided('player-1', change, more).holdouts).toEqual([]);
    });

    it('are not children, who all get it', () => {
      for (const userId of ids) {
        const { store } = decided(userId, {}, { ageGroup: 'child' });
        expect(store.activeSkus[0]?.offerPrice).toBe('8.00');
      }
    });

    it('are stored once for each share', () => {
      const exposure = { experimentId: 'offer:sale', seed: '40', variantId: 'offered', exposedAt: NOW - 1 };
      const stored = (seed: string) =>
        decided('player-1', {}, { exposures: [{ ...exposure, seed }] }).holdouts.map(
          ({ isStored }) => isStored,
        );
      expect([stored('40'), stored('20')]).toEqual([[true], [false]]);
    });

    it('stay held out when the share rises', () => {
      for (const id of ids) {
        if (held(id)) expect(decided(id, { holdoutPercent: 70 }).holdouts[0]?.variantId).toBe('held_out');
      }
    });
  });

  it('that fail altogether leave the untargeted store, and are reported', () => {
    const good = compiled({
      catalogue: [sku('gems')],
      offers: [offer('sale', { ...SALE, holdoutPercent: 50 })],
    });
    const [first] = good.offers;
    if (first === undefined) throw new Error('no offer');
    expect(decide(good, facts(), NOW).holdouts).toHaveLength(1);
    const broken = Object.defineProperty({ ...first }, 'skus', {
      get: () => {
        throw new Error('a mistake in the code');
      },
    });
    const errors: string[] = [];
    const { store, validUntil, holdouts } = decide({ ...good, offers: [first, broken] }, facts(), NOW, {
      onError: (part, error) => errors.push(`${part}: ${(error as Error).message}`),
    });
    expect(store.activeSkus.map(({ offerPrice }) => offerPrice)).toEqual(['10.00']);
    expect(store.userSpecificPromoId).toBeNull();
    expect(errors).toEqual(['store: a mistake in the code']);
    expect(holdouts).toEqual([]);
    expect(validUntil).toBe(NOW + 1);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PlayerFacts } from '../../../src/decide/attributes/player-facts.js';
import { compileDocument } from '../../../src/decide/compile/compile-document.js';
import type { CompiledDocument } from '../../../src/decide/compile/compiled-document.js';
import { decide } from '../../../src/decide/decide/decide.js';
import type { OfferEntry } from '../../../src/decide/document/parts/offers.js';
import { runs } from '../../support/property-runs.js';
import { FLAGS, PROMOTIONS, pairedDocuments } from '../support/document-arbitrary.js';
import { moments, playerFacts } from '../support/facts-arbitrary.js';
import { compiled, facts, NOW, offer, PUBLISHED_AT, sku } from '../support/fixtures.js';

const players = playerFacts(FLAGS, PROMOTIONS);
const RUNS = { numRuns: runs(120) };

const documents = pairedDocuments.map(({ document }) => ({
  document,
  compiled: compileDocument(document, { version: 7, publishedAt: PUBLISHED_AT }, () => {}),
}));

const promoIds = (document: CompiledDocument, player: PlayerFacts, now = NOW) =>
  Object.fromEntries(
    decide(document, player, now).store.activeSkus.map(({ skuId, promoId }) => [skuId, promoId]),
  );

describe('the promotion of a SKU', () => {
  const discount = { discountPercent: '10' };
  const setTo = { setTo: { USD: '5' } };
  const badges = [{ assetId: 'b', type: 'image/png', url: 'https://cdn.example.com/b.png' }];
  const own = (skuId: string, effect: OfferEntry['effect'], combine = false) =>
    offer(`${effect.promoId ?? 'none'}-${skuId}`, { skus: [skuId], effect, combine });

  it('is that of its own offer, and the store names the first', () => {
    const document = compiled({
      catalogue: [sku('gems'), sku('pass'), sku('plain'), sku('reduced')],
      offers: [
        own('pass', { promoId: 'season', price: discount }),
        own('gems', { promoId: 'shiny', price: setTo }),
        own('reduced', { price: discount }),
      ],
    });
    expect(promoIds(document, facts())).toEqual({ gems: 'shiny', pass: 'season' });
    const { store } = decide(document, facts(), NOW);
    expect(store.userSpecificPromoId).toBe('season');
    expect(store.activeSkus.map(({ json }) => 'promoId' in JSON.parse(json))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it.each<[string, OfferEntry['effect'][], string | undefined]>([
    ['the first that has one', [{ badges }, { promoId: 'a', badges }, { promoId: 'b', badges }], 'a'],
    [
      'that of the price rather than of a badge',
      [
        { promoId: 'a', badges },
        { promoId: 'b', price: discount },
      ],
      'b',
    ],
    [
      'that of the price rather than of showing it',
      [
        { promoId: 'a', visibility: 'show' },
        { promoId: 'b', price: setTo },
      ],
      'b',
    ],
    [
      'the first of several discounts',
      [
        { promoId: 'a', price: discount },
        { promoId: 'b', price: discount },
      ],
      'a',
    ],
    [
      'the last price that is set',
      [
        { promoId: 'a', price: setTo },
        { promoId: 'b', price: setTo },
      ],
      'b',
    ],
    ['that which discounts a price that was set', [{ price: setTo }, { promoId: 'b', price: discount }], 'b'],
    [
      'not one whose discount was replaced',
      [
        { promoId: 'a', price: discount },
        { promoId: 'b', price: setTo },
      ],
      'b',
    ],
    ['one that applies, though another made the price', [{ promoId: 'a', badges }, { price: setTo }], 'a'],
    [
      'not one that sets no price in this currency',
      [
        { promoId: 'a', price: { setTo: { EUR: '5' } } },
        { promoId: 'b', price: discount },
      ],
      'b',
    ],
    ['none', [{ badges }, { price: setTo }], undefined],
  ])('is %s, where offers combine', (_, effects, promoId) => {
    const document = compiled({
      catalogue: [
        sku('gems', {
          prices: {
            USD: { actualPrice: '10', offerPrice: '10' },
            EUR: { actualPrice: '10', offerPrice: '10' },
          },
        }),
      ],
      offers: effects.map((effect, n) => offer(`o${n}`, { effect, combine: true })),
    });
    expect(promoIds(document, facts())).toEqual({ gems: promoId });
    expect(decide(document, facts(), NOW).store.userSpecificPromoId).toBe(promoId ?? null);
  });

  it('is none for an offer that came too late, and for a player who is held out', () => {
    const offers = [own('gems', { price: setTo }), own('gems', { promoId: 'late', price: discount })];
    expect(promoIds(compiled({ catalogue: [sku('gems')], offers }), facts())).toEqual({ gems: undefined });
    const store = { sendFallback: true, holdoutPercent: 100, largestDiscountPercent: '100' };
    const held = compiled({
      store,
      catalogue: [sku('gems')],
      offers: [own('gems', { promoId: 'p', price: setTo })],
    });
    expect(promoIds(held, facts())).toEqual({ gems: undefined });
  });

  it('is not in the store to fall back on', () => {
    const store = { sendFallback: true, holdoutPercent: 0, largestDiscountPercent: '100' };
    const document = compiled({
      store,
      catalogue: [sku('gems')],
      offers: [own('gems', { promoId: 'p', price: setTo })],
    });
    const { fallback } = decide(document, facts(), NOW).store;
    expect(fallback?.activeSkus.map(({ promoId, json }) => [promoId, json.includes('promoId')])).toEqual([
      [undefined, false],
    ]);
  });
});

describe('whatever the offers say', () => {
  it('a SKU whose price an offer made names the promotion of that offer', () => {
    fc.assert(
      fc.property(documents, players, moments, ({ document, compiled }, player, now) => {
        // Of offers that do not combine, one makes the price.
        const single = { ...compiled, offers: compiled.offers.map((each) => ({ ...each, combine: false })) };
        const { trace, store } = decide(single, player, now, { trace: true });
        for (const { skuId, promoId } of store.activeSkus) {
          const step = trace?.skus.find((each) => each.skuId === skuId)?.steps.find(({ applied }) => applied);
          const made = document.offers.find(({ offerId }) => offerId === step?.offerId);
          expect(promoId).toBe(made?.effect.promoId);
        }
      }),
      RUNS,
    );
  });

  it('the store names one of the promotions of its SKUs, and none only if there are none', () => {
    fc.assert(
      fc.property(documents, players, moments, ({ compiled }, player, now) => {
        const { store } = decide(compiled, player, now);
        const promotions = store.activeSkus.flatMap(({ promoId }) => promoId ?? []);
        if (promotions.length === 0) expect(store.userSpecificPromoId).toBeNull();
        else expect(promotions).toContain(store.userSpecificPromoId);
      }),
      RUNS,
    );
  });

  it('a purchase with the promotion of a SKU uses up its limit, and no other', () => {
    fc.assert(
      fc.property(documents, players, moments, ({ compiled }, player, now) => {
        const before = decide(compiled, player, now, { trace: true });
        for (const { promoId } of before.store.activeSkus) {
          if (promoId === undefined) continue;
          const bought = (player.promoPurchases[promoId] ?? 0) + 1;
          const promoPurchases = { ...player.promoPurchases, [promoId]: bought };
          const after = decide(compiled, { ...player, promoPurchases }, now, { trace: true });
          for (const [n, each] of (after.trace?.offers ?? []).entries()) {
            const { promoId: own, limitPerPlayer } = compiled.offers[n] ?? {
              promoId: null,
              limitPerPlayer: null,
            };
            if (own !== promoId || limitPerPlayer === null) expect(each).toEqual(before.trace?.offers[n]);
            else {
              expect(each.purchases).toBe(bought);
              if (bought >= limitPerPlayer) expect(each.outcome).not.toBe('applies');
            }
          }
        }
      }),
      RUNS,
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide } from '../../../src/decide/decide/decide.js';
import type { RenderedSku } from '../../../src/decide/decide/decision.js';
import type { ConfigDocument } from '../../../src/decide/document/document.js';
import type { OfferEntry } from '../../../src/decide/document/parts/offers.js';
import type { PricingSettings } from '../../../src/decide/document/parts/pricing.js';
import { runs } from '../../support/property-runs.js';
import { FLAGS, PROMOTIONS, pairedDocuments } from '../support/document-arbitrary.js';
import { moments, playerFacts } from '../support/facts-arbitrary.js';
import { compiled, facts, NOW, offer, segment, sku, storeJson } from '../support/fixtures.js';

const PRICING: PricingSettings = {
  notices: { US: 'Set by an algorithm with your data.', DE: 'Persönlicher Preis.' },
  forbiddenAttributes: [],
  largestSpreadPercent: null,
};

const inCountry = (country: string) => ({ profile: { country: { v: country, t: NOW - 1 } } });

function gems(
  offers: OfferEntry[],
  player = facts(inCountry('DE')),
  more: Partial<ConfigDocument> = {},
): RenderedSku | undefined {
  const document = compiled({ catalogue: [sku('gems')], offers, pricing: PRICING, ...more });
  return decide(document, player, NOW).store.activeSkus[0];
}

describe('the basis of a price', () => {
  const setTo = (price: string) => ({ price: { setTo: { USD: price } } });
  it.each<[string, string, OfferEntry[]]>([
    ['is the list without offers', 'list', []],
    ['is the list where an offer only marks the SKU', 'list', [offer('a', { effect: { promoId: 'p' } })]],
    [
      'is the list where a personal offer does not apply',
      'list',
      [offer('a', { when: 'sessions.total > 5' })],
    ],
    ['is scheduled for all players at a time', 'scheduled', [offer('a', { from: '2026-11-01T00:00:00Z' })]],
    ['is scheduled by country', 'scheduled', [offer('a', { when: 'country == "DE"' })]],
    ['is scheduled by platform', 'scheduled', [offer('a', { when: 'os == ""' })]],
    ['is scheduled by country through a segment', 'scheduled', [offer('a', { when: 'segment("german")' })]],
    ['is personal by what the player did', 'personal', [offer('a', { when: 'sessions.total < 5' })]],
    ['is personal through a segment', 'personal', [offer('a', { when: 'segment("fresh")' })]],
    ['is personal by a flag, which may be overridden', 'personal', [offer('a', { when: '!flags.isPayer' })]],
    ['is personal by the language', 'personal', [offer('a', { when: 'locale == ""' })]],
    ['is personal by a share of players', 'personal', [offer('a', { sharePercent: 99.999 })]],
    [
      'is personal by a limit on purchases',
      'personal',
      [offer('a', { limitPerPlayer: 1, effect: { price: { discountPercent: '10' }, promoId: 'p' } })],
    ],
    [
      'is personal where a personal discount comes on top',
      'personal',
      [offer('a', { combine: true, when: 'sessions.total < 5' }), offer('b', { combine: true })],
    ],
    [
      'is scheduled where a set price replaces a personal one',
      'scheduled',
      [offer('a', { combine: true, when: 'sessions.total < 5' }), offer('b', { effect: setTo('7') })],
    ],
    [
      'is personal where a personal offer keeps a price away',
      'personal',
      [offer('a', { when: 'sessions.total < 5', effect: { promoId: 'p' } }), offer('b')],
    ],
  ])('%s', (_name, basis, offers) => {
    const segments = [segment('german', 'country == "DE"'), segment('fresh', 'sessions.total < 5')];
    const document = compiled({ catalogue: [sku('gems')], offers, segments, pricing: PRICING });
    const { store, trace } = decide(document, facts(inCountry('DE')), NOW, { trace: true });
    expect(store.activeSkus[0]?.priceBasis).toBe(basis);
    expect(trace?.skus[0]?.priceBasis).toBe(basis);
    const notice = basis === 'personal' ? PRICING.notices.DE : undefined;
    expect(store.activeSkus[0]?.priceNotice).toBe(notice);
    expect(trace?.skus[0]?.priceNotice).toBe(notice ?? null);
  });

  it('is personal for whoever is not held out, and scheduled for every child', () => {
    const store = { sendFallback: false, holdoutPercent: 50, largestDiscountPercent: '100' };
    const ids = Array.from({ length: 20 }, (_, n) => `player-${n}`);
    const shown = ids.map((userId) => gems([offer('a')], facts({ userId }), { store }));
    expect(new Set(shown.map((each) => `${each?.offerPrice} ${each?.priceBasis}`))).toEqual(
      new Set(['9.00 personal', '10.00 list']),
    );
    for (const userId of ids) {
      const child = gems([offer('a')], facts({ userId, ageGroup: 'child' }), { store });
      expect(child).toMatchObject({ offerPrice: '9.00', priceBasis: 'scheduled' });
    }
  });

  it('is personal for whoever is not held out of the offer, and scheduled for every child', () => {
    const ids = Array.from({ length: 20 }, (_, n) => `player-${n}`);
    const drawn = [offer('a', { holdoutPercent: 50 })];
    const shown = ids.map((userId) => gems(drawn, facts({ userId })));
    expect(new Set(shown.map((each) => `${each?.offerPrice} ${each?.priceBasis}`))).toEqual(
      new Set(['9.00 personal', '10.00 list']),
    );
    const child = gems(drawn, facts({ userId: 'player-1', ageGroup: 'child' }));
    expect(child).toMatchObject({ offerPrice: '9.00', priceBasis: 'scheduled' });
  });

  it('comes with the notice of the country, or that of all others', () => {
    const personal = [offer('a', { when: 'sessions.total < 5' })];
    const notices = { US: 'For the US.', '*': 'For all others.' };
    const pricing = { ...PRICING, notices };
    expect(gems(personal, facts(inCountry('US')), { pricing })?.priceNotice).toBe('For the US.');
    expect(gems(personal, facts(inCountry('FR')), { pricing })?.priceNotice).toBe('For all others.');
    expect(gems(personal, facts(), { pricing })?.priceNotice).toBe('For all others.');
    expect(gems(personal, facts(inCountry('FR')))).not.toHaveProperty('priceNotice');
  });

  it('moves the timestamp with the country, on which notices depend', () => {
    const at = (pricing?: PricingSettings) =>
      decide(compiled({ catalogue: [sku('gems')], ...(pricing && { pricing }) }), facts(inCountry('DE')), NOW)
        .store.lastUpdatedTimestamp;
    expect(at(PRICING)).toBe(NOW - 1);
    expect(at()).toBeLessThan(NOW - 1);
  });
});

describe('whatever document and players', () => {
  const players = playerFacts(FLAGS, PROMOTIONS);
  const RUNS = { numRuns: runs(100) };
  const compile = (document: ConfigDocument) => {
    try {
      return compiled(document);
    } catch {
      return fc.pre(false) as never;
    }
  };

  it('no personal price is sent without its basis and the notice of its country', () => {
    fc.assert(
      fc.property(pairedDocuments, players, players, moments, ({ document }, one, two, now) => {
        const config = compile({ ...document, pricing: PRICING });
        // Two players with whom only what prices may not follow from is different.
        const { country, currency, paidCurrency } = one.profile;
        const shared = {
          ...(country && { country }),
          ...(currency && { currency }),
          ...(paidCurrency && { paidCurrency }),
        };
        const { country: _a, currency: _b, paidCurrency: _c, ...own } = two.profile;
        const other = { ...two, profile: { ...own, ...shared } };
        const [store, otherStore] = [one, other].map((player) => decide(config, player, now).store);
        for (const each of store?.activeSkus ?? []) {
          const same = otherStore?.activeSkus.find(({ skuId }) => skuId === each.skuId);
          if (each.priceBasis !== 'personal' && same !== undefined && same.priceBasis !== 'personal') {
            expect(each.offerPrice).toBe(same.offerPrice);
          }
          const notices: Record<string, string> = PRICING.notices;
          const notice = each.priceBasis === 'personal' ? notices[country?.v ?? ''] : undefined;
          expect(each.priceNotice).toBe(notice);
        }
        const sent = JSON.parse(storeJson(decide(config, one, now).store)) as {
          activeSkus: RenderedSku[];
          fallbackConfig: { activeSkus: RenderedSku[] } | null;
        };
        expect(sent.activeSkus.map(({ priceBasis, priceNotice }) => [priceBasis, priceNotice])).toEqual(
          store?.activeSkus.map(({ priceBasis, priceNotice }) => [priceBasis, priceNotice]),
        );
        expect(sent.activeSkus.every(({ priceBasis }) => priceBasis !== undefined)).toBe(true);
        for (const { priceBasis } of sent.fallbackConfig?.activeSkus ?? []) expect(priceBasis).toBe('list');
      }),
      RUNS,
    );
  });

  it('children get no personal price', () => {
    fc.assert(
      fc.property(pairedDocuments, players, moments, ({ document }, player, now) => {
        const config = compile({ ...document, pricing: PRICING });
        const { activeSkus } = decide(config, { ...player, ageGroup: 'child' }, now).store;
        for (const { priceBasis } of activeSkus) expect(priceBasis).not.toBe('personal');
      }),
      RUNS,
    );
  });

  it('nothing is said about prices in a game without the part', () => {
    fc.assert(
      fc.property(pairedDocuments, players, moments, ({ document }, player, now) => {
        const json = storeJson(decide(compile(document), player, now).store);
        expect(json).not.toMatch(/priceBasis|priceNotice/);
      }),
      RUNS,
    );
  });
});

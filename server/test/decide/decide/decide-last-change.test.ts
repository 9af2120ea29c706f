import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PlayerFacts } from '../../../src/decide/attributes/player-facts.js';
import { compileDocument } from '../../../src/decide/compile/compile-document.js';
import type { CompiledDocument } from '../../../src/decide/compile/compiled-document.js';
import { decide } from '../../../src/decide/decide/decide.js';
import { keyOf } from '../../../src/decide/own-attributes/own-definition.js';
import { runs } from '../../support/property-runs.js';
import { pairedDocuments } from '../support/document-arbitrary.js';
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
import { Life, lives } from '../support/player-life.js';

const iso = (instant: number) => new Date(instant).toISOString();
const HOUR_MS = 3_600_000;
const SALE = { effect: { price: { discountPercent: '50' }, promoId: 'sale' } } as const;

const lastChange = (document: CompiledDocument, player: PlayerFacts, now: number) =>
  decide(document, player, now).store.lastUpdatedTimestamp;

/** What the player sees, without the moment. */
function contentOf(document: CompiledDocument, player: PlayerFacts, now: number): string {
  const { activeSkus, userSpecificPromoId } = decide(document, player, now).store;
  return JSON.stringify([activeSkus.map(({ json }) => json), userSpecificPromoId]);
}

describe('the last update of a store', () => {
  it('never goes back, moves whenever the store changes, and is never in the future', () => {
    const wholeDays = fc.integer({ min: -9, max: 0 });
    fc.assert(
      fc.property(pairedDocuments, fc.uuid(), wholeDays, lives, ({ document }, userId, firstDay, steps) => {
        const published = compileDocument(document, { version: 7, publishedAt: PUBLISHED_AT });
        let now = NOW + firstDay * DAY_MS;
        const life = new Life(userId, now);
        const look = () => {
          const player = life.facts();
          return { content: contentOf(published, player, now), at: lastChange(published, player, now) };
        };
        let before = look();
        const compare = () => {
          const after = look();
          expect(after.at).toBeLessThanOrEqual(now);
          expect(after.at).toBeGreaterThanOrEqual(before.at);
          if (after.content !== before.content) expect(after.at).toBeGreaterThan(before.at);
          before = after;
        };
        for (const { waitMs, deed } of steps) {
          now += waitMs;
          compare();
          now++;
          life.happen(deed, now);
          compare();
        }
      }),
      { numRuns: runs(400) },
    );
  });

  it('moves when the back-fill gives the player an own attribute that an offer uses', () => {
    const attribute = {
      attributeId: 'level',
      description: '',
      eventType: 'Level_Up',
      member: 'payload.level',
      fold: 'max',
      type: 'integer',
    } as const;
    const reachedAt = NOW - HOUR_MS;
    const player = facts({ own: { at: reachedAt, [keyOf(attribute)]: 12 } });
    const lastChangeWith = (when: string, now = NOW) =>
      lastChange(
        compiled({ attributes: [attribute], catalogue: [sku('gems')], offers: [offer('o', { when })] }),
        player,
        now,
      );
    expect(lastChangeWith('own.level >= 10')).toBe(reachedAt);
    expect(lastChangeWith('own.level >= 20')).toBe(reachedAt);
    expect(lastChangeWith('country == "DE"')).toBe(PUBLISHED_AT);
    // The clock of another node may be ahead.
    expect(lastChangeWith('own.level >= 10', reachedAt - 1)).toBe(reachedAt - 1);
  });

  it('does not go back with a refund that no offer of the player depends on', () => {
    const document = compiled({
      flags: {
        isPayer: { payerForDays: null },
        custom: [{ flagId: 'vip', name: 'VIP', rule: null, defaultValue: false }],
      },
      catalogue: [sku('gems')],
      offers: [
        offer('vips', { ...SALE, when: 'flags.vip' }),
        offer('payers', { ...SALE, when: 'flags.isPayer', sharePercent: 0 }),
      ],
    });
    const bought = payer({ purchaseCount: 2, lastPurchaseAt: NOW + 4, lastEventAt: NOW + 4 });
    const refunded = payer({ lastPurchaseAt: NOW + 2, lastEventAt: NOW + 6 });
    expect([bought, refunded].map((player) => lastChange(document, player, NOW + 9))).toEqual([
      PUBLISHED_AT,
      PUBLISHED_AT,
    ]);
  });

  it('stays when an offer has been used up, and when it comes back with a refund', () => {
    const from = NOW - 2 * HOUR_MS;
    const document = compiled({
      catalogue: [sku('gems')],
      offers: [offer('once', { ...SALE, from: iso(from), limitPerPlayer: 1 })],
    });
    expect(lastChange(document, facts(), NOW)).toBe(from);
    const bought = payer({ promoPurchases: { sale: 1 }, lastPurchaseAt: NOW, lastEventAt: NOW });
    expect(lastChange(document, bought, NOW + 1)).toBe(NOW);
    const refunded = facts({ lastEventAt: NOW + HOUR_MS });
    expect(lastChange(document, refunded, NOW + DAY_MS)).toBe(NOW + HOUR_MS);
  });

  it.each([
    ['an event', 'events["Win"].total >= 3', NOW - HOUR_MS],
    ['an event, through a segment', 'segment("winners")', NOW - HOUR_MS],
    [
      'midnight, while there are days to lose',
      'events["Win"].last7d >= 3',
      Math.floor(NOW / DAY_MS) * DAY_MS,
    ],
    ['whole days since the first login', 'daysSinceFirstSeen >= 3', NOW - 2 * HOUR_MS],
    ['whole days since an event', 'daysSinceLastEvent >= 3', NOW - HOUR_MS],
    ['the last change of an override', 'flags.vip', NOW - 3 * HOUR_MS],
    ['nothing else', 'true', PUBLISHED_AT],
  ])('moves with %s where an offer depends on it', (_what, when, expected) => {
    const document = compiled({
      flags: {
        isPayer: { payerForDays: null },
        custom: [{ flagId: 'vip', name: 'VIP', rule: null, defaultValue: false }],
      },
      segments: [segment('winners', 'events["Win"].total >= 3')],
      catalogue: [sku('gems')],
      offers: [offer('winners', { ...SALE, when })],
    });
    const player = facts({
      createdAt: NOW - 9 * DAY_MS - 2 * HOUR_MS,
      lastEventAt:
        when.includes('last7d') || when.includes('LastEvent') ? NOW - DAY_MS - HOUR_MS : NOW - HOUR_MS,
      overridesAt: NOW - 3 * HOUR_MS,
    });
    expect(lastChange(document, player, NOW)).toBe(expected);
  });

  it('rests when windows have nothing left to lose', () => {
    const document = compiled({
      catalogue: [sku('gems')],
      offers: [offer('busy', { ...SALE, when: 'sessions.last28d > 2' })],
    });
    const end = (Math.floor(NOW / DAY_MS) + 28) * DAY_MS;
    const player = facts({ lastEventAt: NOW });
    expect(lastChange(document, player, end - 1)).toBe(end - DAY_MS);
    expect(lastChange(document, player, end + 90 * DAY_MS)).toBe(end);
    expect(lastChange(document, facts(), NOW)).toBe(PUBLISHED_AT);
  });

  it('moves with the language and the currency that were reported, if the catalogue has several', () => {
    const player = facts({
      lastEventAt: NOW,
      profile: { locale: { v: 'de', t: NOW - 2 }, currency: { v: 'EUR', t: NOW - 1 } },
    });
    const price = { actualPrice: '10', offerPrice: '10' };
    const name = { default: 'Gems', locales: { de: 'Edelsteine' } };
    const plain = compiled({ catalogue: [sku('gems')] });
    const translated = compiled({ catalogue: [sku('gems', { name })] });
    const priced = compiled({ catalogue: [sku('gems', { prices: { USD: price, EUR: price } })] });
    expect(lastChange(plain, player, NOW)).toBe(PUBLISHED_AT);
    expect(lastChange(translated, player, NOW)).toBe(NOW - 2);
    expect(lastChange(priced, player, NOW)).toBe(NOW - 1);
    // Without a currency, that of the last purchase counts.
    expect(lastChange(priced, facts({ lastEventAt: NOW }), NOW)).toBe(PUBLISHED_AT);
    const paid = facts({ lastEventAt: NOW, profile: { paidCurrency: { v: 'EUR', t: NOW - 3 } } });
    expect(lastChange(priced, paid, NOW)).toBe(NOW - 3);
  });

  it('moves with the country, the zone and the day where lowest prices are told', () => {
    const pricing = { notices: {}, forbiddenAttributes: [], largestSpreadPercent: null };
    const told = compiled({
      catalogue: [sku('gems')],
      pricing: { ...pricing, lowestPriceCountries: ['DE'] },
    });
    const silent = compiled({ catalogue: [sku('gems')], pricing });
    const inCountry = (v: string, t: number) => facts({ lastEventAt: t, profile: { country: { v, t } } });
    const at = Math.floor(NOW / DAY_MS) * DAY_MS + 5 * DAY_MS + HOUR_MS;
    const day = at - HOUR_MS;
    expect(lastChange(told, inCountry('FR', day - 2), at)).toBe(day - 2);
    expect(lastChange(told, inCountry('DE', day - 2), at)).toBe(day);
    expect(lastChange(told, inCountry('DE', day + 2), at)).toBe(day + 2);
    expect(lastChange(silent, inCountry('DE', day + 2), at)).toBe(PUBLISHED_AT);
  });

  it('is now for what a node whose clock is ahead has noted, and is looked at again at once', () => {
    const document = compiled({
      catalogue: [sku('gems')],
      offers: [offer('winners', { ...SALE, when: 'events["Win"].total >= 3' })],
    });
    const { store, validUntil } = decide(document, facts({ lastEventAt: NOW + 5 }), NOW);
    expect([store.lastUpdatedTimestamp, validUntil]).toEqual([NOW, NOW + 1]);
  });
});

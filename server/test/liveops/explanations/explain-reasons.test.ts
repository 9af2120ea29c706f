import { describe, expect, it } from 'vitest';
import type { PlayerFacts } from '../../../src/decide/attributes/player-facts.js';
import { compileDocument } from '../../../src/decide/compile/compile-document.js';
import { decide } from '../../../src/decide/decide/decide.js';
import type { ConfigDocument } from '../../../src/decide/document/document.js';
import { UNTRAINED_MODELS } from '../../../src/decide/predict/models-in-force.js';
import { nearMissesOf } from '../../../src/liveops/explanations/near-misses.js';
import { reasonsOf } from '../../../src/liveops/explanations/reasons.js';
import { configWith, DAY_MS, facts, NOW, offer, payer, segment, sku } from '../../decide/support/fixtures.js';

/** The reasons of the decision for a player at NOW. */
function told(overrides: Partial<ConfigDocument>, player: PlayerFacts) {
  const document = configWith(overrides);
  const compiled = compileDocument(document, { version: 1, publishedAt: NOW });
  const { trace } = decide(compiled, player, NOW, { trace: true });
  if (trace === null) throw new Error('there is no trace');
  const asked = { facts: player, atMs: NOW, models: UNTRAINED_MODELS };
  const nearMisses = nearMissesOf(document, compiled, asked);
  return reasonsOf({ document, facts: player, at: NOW, trace, nearMisses });
}

const price = (actualPrice: string, offerPrice = actualPrice, floorPrice?: string) => ({
  USD: { actualPrice, offerPrice, ...(floorPrice === undefined ? {} : { floorPrice }) },
});

describe('flags', () => {
  const payerFor = (payerForDays: number | null) => ({ flags: { isPayer: { payerForDays }, custom: [] } });

  it('have the purchase of a payer as their reason', () => {
    expect(told({}, facts()).flags).toEqual(['Flag isPayer is false: there is no purchase.']);
    expect(told({}, payer()).flags).toEqual([
      'Flag isPayer is true: the last purchase was at 2026-11-15T12:00:00.000Z.',
    ]);
    expect(told(payerFor(30), payer()).flags).toEqual([
      'Flag isPayer is true: the last purchase was at 2026-11-15T12:00:00.000Z and counts for 30 days.',
    ]);
    expect(told(payerFor(1), payer({ lastPurchaseAt: NOW - DAY_MS })).flags).toEqual([
      'Flag isPayer is false: the last purchase was at 2026-11-14T12:00:00.000Z and counted for 1 day.',
    ]);
  });

  it('have the override in force as their reason', () => {
    const override = (setAt: number, until: number | null) => ({
      flagId: 'isPayer',
      value: true,
      setAt,
      until,
    });
    const overrides = [override(NOW - DAY_MS, NOW + DAY_MS), override(NOW - 2 * DAY_MS, null)];
    expect(told({}, facts({ overrides })).flags).toEqual([
      'Flag isPayer is true: an override says so, since 2026-11-14T12:00:00.000Z, until 2026-11-16T12:00:00.000Z.',
    ]);
    expect(told({}, facts({ overrides: overrides.slice(1) })).flags).toEqual([
      'Flag isPayer is true: an override says so, since 2026-11-13T12:00:00.000Z.',
    ]);
  });

  it('have their rule as their reason, or that there is none', () => {
    const flag = (rule: string | null) => ({ flagId: 'beta', name: 'Beta', rule, defaultValue: false });
    const flags = (rule: string | null) => ({
      flags: { isPayer: { payerForDays: null }, custom: [flag(rule)] },
    });
    expect(told(flags('eventCount.total > 5\n  && country == "DE"'), facts({ eventCount: 7 })).flags[1]).toBe(
      'Flag beta is false: eventCount.total > 5 && country == "DE" is false (eventCount.total = 7, country = "").',
    );
    expect(told(flags(null), facts()).flags[1]).toBe('Flag beta is false, its default: it has no rule.');
    expect(told(flags('1 / eventCount.total > 0'), facts()).flags[1]).toBe(
      'Flag beta is false, its default: 1 / eventCount.total > 0 could not be worked out, division by zero (eventCount.total = 0).',
    );
  });
});

it('segments have the values of their rule as their reason', () => {
  const segments = [segment('payer', 'flags.isPayer'), segment('rich', 'spend["USD"].total > 7.5')];
  expect(told({ segments }, payer()).segments).toEqual([
    'In segment payer: flags.isPayer is true (flags["isPayer"] = true).',
    'Not in segment rich: spend["USD"].total > 7.5 is false (spend["USD"].total = 4.99). Would enter with spend["USD"].total of more than 7.5: 2.51 more than now.',
  ]);
});

it('offers have the condition that decided as their reason', () => {
  const offers = [
    offer('all'),
    offer('thanks', { when: 'flags.isPayer' }),
    offer('most', { sharePercent: 99.99 }),
    offer('none', { sharePercent: 0 }),
    offer('used', { limitPerPlayer: 2, effect: { promoId: 'spring' } }),
    offer('soon', { from: '2030-01-01T00:00:00Z' }),
    offer('over', { until: '2020-01-01T00:00:00Z' }),
    offer('german', { when: 'country == "DE"' }),
  ];
  const document = { catalogue: [sku('gems')], offers };
  const sentences = told(document, payer({ promoPurchases: { spring: 2 } })).offers;
  expect(sentences.map((sentence) => sentence.replace(/bucket is [\d.]+\d/, 'bucket is N'))).toEqual([
    'Offer all applies: it has no rule.',
    'Offer thanks applies: flags.isPayer is true (flags["isPayer"] = true).',
    "Offer most applies: it has no rule, and the player's bucket is N, inside of the share of 99.99%.",
    "Offer none does not apply: the player's bucket is N, outside of the share of 0%.",
    'Offer used does not apply: purchases with its promotion: 2, limit: 2.',
    'Offer soon does not apply: it begins at 2030-01-01T00:00:00Z.',
    'Offer over does not apply: it ended at 2020-01-01T00:00:00Z.',
    'Offer german does not apply: country == "DE" is false (country = "").',
  ]);
  const store = { sendFallback: false, holdoutPercent: 100, largestDiscountPercent: '100' };
  expect(told({ ...document, store }, payer()).offers[0]).toBe(
    'Offer all does not apply: the player is held out and gets the untargeted store.',
  );
  const held = { ...document, offers: [offer('all', { holdoutPercent: 99 })] };
  expect(told(held, payer()).offers[0]?.replace(/is [\d.]+\d,/, 'is N,')).toBe(
    'Offer all does not apply: the player is held out of it: the bucket for its hold-out is N, below 99%.',
  );
});

describe('SKUs', () => {
  it('have every step of their price as their reason', () => {
    const offers = [
      offer('thanks', { skus: ['gems'], effect: { price: { setTo: { USD: '7.5' } } } }),
      offer('late', { skus: ['gems'] }),
      offer('deep', { skus: ['pass'], effect: { price: { discountPercent: '90' } } }),
      offer('badge', { skus: ['pass'], combine: true, effect: { promoId: 'badge' } }),
    ];
    const catalogue = [
      sku('gems', { prices: price('10') }),
      sku('pass', { prices: price('10', '8', '5') }),
      sku('plain', { prices: price('3') }),
    ];
    expect(told({ catalogue, offers }, facts()).skus).toEqual([
      'gems costs 7.50 USD: catalogue 10.00; offer thanks asked for 7.50; offer late does not apply to it, because an earlier offer has won it.',
      'pass costs 5.00 USD: catalogue 8.00, reduced from 10.00; offer deep asked for 0.80, kept at 5.00 by the floor price; offer badge leaves the price; a purchase belongs to promotion badge.',
      'plain costs 3.00 USD: catalogue 3.00.',
    ]);
  });

  it('say what the price follows from, and the notice, where players are told', () => {
    const offers = [
      offer('sale', { skus: ['pass'] }),
      offer('mine', { skus: ['gems'], when: 'sessions.total == 0' }),
    ];
    const pricing = {
      notices: { '*': 'Just for you.' },
      forbiddenAttributes: [],
      largestSpreadPercent: null,
    };
    expect(
      told({ catalogue: [sku('gems'), sku('pass'), sku('plain')], offers, pricing }, facts()).skus,
    ).toEqual([
      'gems costs 9.00 USD: catalogue 10.00; offer mine asked for 9.00; the price is personal, and the player is told: "Just for you.".',
      'pass costs 9.00 USD: catalogue 10.00; offer sale asked for 9.00; the price follows from time, country and platform.',
      'plain costs 10.00 USD: catalogue 10.00.',
    ]);
  });

  it('have the offer or setting that hides them as their reason', () => {
    const offers = [
      offer('hide', { skus: ['gems'], effect: { visibility: 'hide' } }),
      offer('show', { skus: ['hero'], effect: { visibility: 'show', price: { discountPercent: '10' } } }),
    ];
    const catalogue = [
      sku('gems'),
      sku('hero', { hidden: true }),
      sku('secret', { hidden: true }),
      sku('late', { from: '2030-01-01T00:00:00Z' }),
      sku('past', { until: '2020-01-01T00:00:00Z' }),
      sku('off', { active: false }),
    ];
    expect(told({ catalogue, offers }, facts()).skus).toEqual([
      'gems is not shown: shown in the catalogue; offer hide hides it.',
      'hero costs 9.00 USD: catalogue 10.00, hidden there; offer show shows it and asked for 9.00.',
      'secret is not shown: hidden in the catalogue.',
      'late is not for sale: it begins at 2030-01-01T00:00:00Z.',
      'past is not for sale: it ended at 2020-01-01T00:00:00Z.',
      'off is not for sale: it is not active.',
    ]);
  });
});

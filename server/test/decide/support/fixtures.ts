import { blankFacts } from '../../../src/decide/attributes/blank-facts.js';
import type { PlayerDay, PlayerFacts } from '../../../src/decide/attributes/player-facts.js';
import { compileDocument } from '../../../src/decide/compile/compile-document.js';
import type { CompiledDocument } from '../../../src/decide/compile/compiled-document.js';
import type { StoreDecision } from '../../../src/decide/decide/decision.js';
import { stampedJson, storeContentJson } from '../../../src/decide/decide/store-json.js';
import { DEFAULT_DOCUMENT } from '../../../src/decide/document/default-document.js';
import type { ConfigDocument } from '../../../src/decide/document/document.js';
import type { SkuEntry } from '../../../src/decide/document/parts/catalogue.js';
import type { ExperimentEntry } from '../../../src/decide/document/parts/experiments.js';
import type { OfferEntry } from '../../../src/decide/document/parts/offers.js';
import type { SegmentEntry } from '../../../src/decide/document/parts/segments.js';
import type { ValueEntry } from '../../../src/decide/document/parts/values.js';
import { validateDocument } from '../../../src/decide/validate/validate-document.js';
import { DAY_MS } from '../../../src/platform/lib/day.js';

export { DAY_MS };
export const NOW = Date.parse('2026-11-15T12:00:00.000Z');
export const TODAY = Math.floor(NOW / DAY_MS);
export const PUBLISHED_AT = NOW - 10 * DAY_MS;

/** A player who logged in for the first time at NOW and has done nothing yet. */
export function facts(overrides: Partial<PlayerFacts> = {}): PlayerFacts {
  return { ...blankFacts('0198c1f2-7d7a-7b0e-8000-000000000000', NOW), ...overrides };
}

/** A player who paid once, at NOW. */
export function payer(overrides: Partial<PlayerFacts> = {}): PlayerFacts {
  return facts({ purchaseCount: 1, lastPurchaseAt: NOW, spend: { USD: 4.99 }, ...overrides });
}

export function day(epochDay: number, overrides: Partial<PlayerDay> = {}): PlayerDay {
  return {
    epochDay,
    events: 0,
    sessions: 0,
    adImpressions: 0,
    storeViews: 0,
    playMs: 0,
    eventCounts: {},
    purchases: 0,
    revenue: {},
    ...overrides,
  };
}

export function sku(skuId: string, overrides: Partial<SkuEntry> = {}): SkuEntry {
  return {
    skuId,
    name: { default: `Name of ${skuId}`, locales: {} },
    description: { default: `About ${skuId}`, locales: {} },
    prices: { USD: { actualPrice: '10', offerPrice: '10' } },
    defaultCurrency: 'USD',
    assets: [],
    active: true,
    from: null,
    until: null,
    ...overrides,
  };
}

export function offer(offerId: string, overrides: Partial<OfferEntry> = {}): OfferEntry {
  return {
    offerId,
    name: `Name of ${offerId}`,
    when: null,
    from: null,
    until: null,
    sharePercent: 100,
    skus: 'all',
    effect: { price: { discountPercent: '10' } },
    limitPerPlayer: null,
    combine: false,
    ...overrides,
  };
}

export function segment(
  segmentId: string,
  rule: string,
  overrides: Partial<SegmentEntry> = {},
): SegmentEntry {
  return { segmentId, name: `Name of ${segmentId}`, rule, visibleToClients: true, priority: 0, ...overrides };
}

export function value(key: string, overrides: Partial<ValueEntry> = {}): ValueEntry {
  return {
    key,
    type: 'integer',
    defaultValue: 1,
    description: '',
    visibleTo: 'clients',
    rules: [],
    ...overrides,
  };
}

/** A running experiment with two arms of equal size. */
export function experiment(experimentId: string, overrides: Partial<ExperimentEntry> = {}): ExperimentEntry {
  return {
    experimentId,
    name: `Name of ${experimentId}`,
    hypothesis: '',
    when: null,
    coveragePercent: 100,
    seed: '1',
    variants: [
      { variantId: 'a', name: 'Control', weight: 1 },
      { variantId: 'b', name: 'Treatment', weight: 1 },
    ],
    metrics: { primary: { kind: 'share', of: 'converted' }, secondary: [], guardrails: [] },
    plan: null,
    state: 'running',
    ...overrides,
  };
}

export function configWith(overrides: Partial<ConfigDocument> = {}): ConfigDocument {
  return { ...DEFAULT_DOCUMENT, segments: [], ...overrides };
}

/** Compiles a document of which every part must be usable. */
export function compiled(overrides: Partial<ConfigDocument> = {}): CompiledDocument {
  return compileDocument(configWith(overrides), { version: 7, publishedAt: PUBLISHED_AT }, (part, reason) => {
    throw new Error(`${part}: ${reason}`);
  });
}

/** All that is wrong with a document, as `pointer sentence`. */
export function problemsOf(document: unknown): string[] {
  const result = validateDocument(document);
  return result.ok ? [] : result.problems.map(({ pointer, message }) => `${pointer} ${message}`);
}

/** The StoreConfig as it is sent. */
export function storeJson(store: StoreDecision): string {
  return stampedJson(storeContentJson(store), store.lastUpdatedTimestamp);
}

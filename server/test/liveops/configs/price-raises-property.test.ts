import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ConfigDocument } from '../../../src/decide/document/document.js';
import { priceRaiseSteps } from '../../../src/liveops/configs/price-raises.js';
import { runSteps } from '../../../src/platform/lib/steps.js';
import { pairedDocuments } from '../../decide/support/document-arbitrary.js';
import { moments } from '../../decide/support/facts-arbitrary.js';
import { runs } from '../../support/property-runs.js';
import { obviousPriceRaises } from './obvious-price-raises.js';

const PARTS = ['catalogue', 'offers', 'segments', 'flags', 'store'] as const;

/** Without these, most offers of two documents are for other players, and nothing else about them matters. */
const forEverybody = (document: ConfigDocument): ConfigDocument => ({
  ...document,
  offers: document.offers.map((offer) => ({
    ...offer,
    when: null,
    sharePercent: 100,
    limitPerPlayer: null,
  })),
  store: { ...document.store, holdoutPercent: 0 },
});

/** A document, and one that has some of its parts and others of a third. */
const publications: fc.Arbitrary<[ConfigDocument, ConfigDocument]> = fc
  .tuple(pairedDocuments, pairedDocuments, fc.subarray([...PARTS]), fc.boolean(), fc.boolean())
  .map(([{ document }, other, changed, isForEverybody, isReordered]) => {
    const changes = changed.map((part) => [part, other.document[part]]);
    const next: ConfigDocument = { ...document, ...Object.fromEntries(changes) };
    const offers = isReordered ? next.offers.toReversed() : next.offers;
    return isForEverybody
      ? [forEverybody(document), forEverybody({ ...next, offers })]
      : [document, { ...next, offers }];
  });

describe('the search for price raises', () => {
  it('finds what the obvious search finds, in the same order', () => {
    let found = 0;
    fc.assert(
      fc.property(publications, moments, ([current, next], now) => {
        const raises = obviousPriceRaises(current, next, now);
        expect(runSteps(priceRaiseSteps(current, next, now))).toEqual(raises);
        found += raises.length;
      }),
      { numRuns: runs(150) },
    );
    expect(found).toBeGreaterThan(0);
  });
});

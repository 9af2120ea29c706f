import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileDocument } from '../../../src/decide/compile/compile-document.js';
import { decide } from '../../../src/decide/decide/decide.js';
import type { Decision, RenderedSku } from '../../../src/decide/decide/decision.js';
import { runs } from '../../support/property-runs.js';
import { FLAGS, type PairedDocument, PROMOTIONS, pairedDocuments } from '../support/document-arbitrary.js';
import { moments, playerFacts } from '../support/facts-arbitrary.js';
import { DAY_MS, PUBLISHED_AT, storeJson } from '../support/fixtures.js';
import { referenceDecision } from '../support/reference.js';

const players = playerFacts(FLAGS, PROMOTIONS);
const RUNS = { numRuns: runs(120) };

function compileWhole({ document }: PairedDocument) {
  const unusable: string[] = [];
  const compiled = compileDocument(document, { version: 7, publishedAt: PUBLISHED_AT }, (part, reason) =>
    unusable.push(`${part}: ${reason}`),
  );
  // Deep arithmetic may cost too much; all else compiles.
  fc.pre(unusable.every((reason) => /costs too much|levels|parts/.test(reason) === false));
  expect(unusable).toEqual([]);
  return compiled;
}

const withoutJson = ({ json: _json, ...sku }: RenderedSku) => sku;

/** What a decision says, in the form of the reference. */
function outcome({ flags, segments, heldOut, store }: Decision) {
  return {
    flags,
    segments: segments.map(({ segmentId }) => segmentId),
    heldOut,
    store: {
      ...store,
      activeSkus: store.activeSkus.map(withoutJson),
      fallback: store.fallback && {
        ...store.fallback,
        activeSkus: store.fallback.activeSkus.map(withoutJson),
      },
    },
  };
}

describe('decide', () => {
  it('equals the slow and obvious reference', () => {
    fc.assert(
      fc.property(pairedDocuments, players, moments, (paired, facts, now) => {
        const decision = decide(compileWhole(paired), facts, now);
        expect(outcome(decision)).toEqual(referenceDecision(paired, facts, now));
      }),
      RUNS,
    );
  });

  it('does not depend on whom it has decided for before', () => {
    const others = fc.array(players, { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(pairedDocuments, others, moments, (paired, list, now) => {
        const compiled = compileWhole(paired);
        for (const facts of list) {
          expect(decide(compiled, facts, now)).toEqual(decide(compileWhole(paired), facts, now));
        }
      }),
      RUNS,
    );
  });

  it('gives the same with and without an explanation, and the explanation says the same', () => {
    fc.assert(
      fc.property(pairedDocuments, players, moments, (paired, facts, now) => {
        const compiled = compileWhole(paired);
        const served = decide(compiled, facts, now);
        const { trace, ...explained } = decide(compiled, facts, now, { trace: true });
        expect({ ...explained, trace: null }).toEqual(served);

        const shown = trace?.skus.filter(({ isShown }) => isShown) ?? [];
        expect(
          shown.map(({ skuId, offerPrice, currency, promoId }) => [skuId, offerPrice, currency, promoId]),
        ).toEqual(
          served.store.activeSkus.map(({ skuId, offerPrice, currency, promoId = null }) => [
            skuId,
            offerPrice,
            currency,
            promoId,
          ]),
        );
        expect(
          trace?.segments
            .filter(({ member }) => member)
            .map(({ segmentId }) => segmentId)
            .sort(),
        ).toEqual(served.segments.map(({ segmentId }) => segmentId).sort());
        expect(new Map(trace?.flags.map(({ flagId, value }) => [flagId, value]))).toEqual(
          new Map(Object.entries(served.flags).map(([flagId, { value }]) => [flagId, value])),
        );
        // Prices follow from step to step, and the last one is the price.
        for (const { steps, offerPrice, cataloguePrice } of shown) {
          expect(steps.at(-1)?.price ?? cataloguePrice).toBe(offerPrice);
        }
      }),
      RUNS,
    );
  });

  it('breaks no rail, whatever the offers say', () => {
    fc.assert(
      fc.property(pairedDocuments, players, moments, (paired, facts, now) => {
        const { catalogue, store } = paired.document;
        for (const { skuId, currency, actualPrice, offerPrice } of decide(compileWhole(paired), facts, now)
          .store.activeSkus) {
          const entry = catalogue.find((sku) => sku.skuId === skuId)?.prices[currency];
          const [actual, price, floor] = [actualPrice, offerPrice, entry?.floorPrice ?? '0'].map(scaled);
          expect(price).toBeLessThanOrEqual(actual ?? 0n);
          expect(price).toBeGreaterThanOrEqual(floor ?? 0n);
          const share = 100_000_000n - scaled(store.largestDiscountPercent);
          expect((price ?? 0n) * 100_000_000n).toBeGreaterThanOrEqual((actual ?? 0n) * share);
        }
      }),
      RUNS,
    );
  });

  it('holds until the moment it names: nothing changes before it with time alone', () => {
    fc.assert(
      fc.property(pairedDocuments, players, moments, fc.double({ min: 0, max: 1, noNaN: true }), (...all) => {
        const [paired, facts, now, fraction] = all;
        const compiled = compileWhole(paired);
        const first = decide(compiled, facts, now);
        expect(first.validUntil).toBeGreaterThan(now);
        const horizon = Math.min(first.validUntil, now + 60 * DAY_MS);
        const within = Math.min(horizon - 1, now + Math.floor((horizon - now) * fraction));
        expect(outcome(decide(compiled, facts, within))).toEqual(outcome(first));
        expect(outcome(decide(compiled, facts, horizon - 1))).toEqual(outcome(first));
      }),
      { numRuns: runs(250) },
    );
  });

  it('is sent as JSON that says the same, prices with the decimals of their currency', () => {
    fc.assert(
      fc.property(pairedDocuments, players, moments, (paired, facts, now) => {
        const { store } = decide(compileWhole(paired), facts, now);
        const json = storeJson(store);
        const plain = (sku: RenderedSku) => ({
          ...withoutJson(sku),
          actualPrice: Number(sku.actualPrice),
          offerPrice: Number(sku.offerPrice),
          active: true,
        });
        expect(JSON.parse(json)).toEqual({
          activeSkus: store.activeSkus.map(plain),
          lastUpdatedTimestamp: store.lastUpdatedTimestamp,
          userSpecificPromoId: store.userSpecificPromoId,
          fallbackConfig: store.fallback && {
            ...store.fallback,
            activeSkus: store.fallback.activeSkus.map(plain),
          },
        });
        for (const { actualPrice, offerPrice } of store.activeSkus) {
          expect(json).toContain(`"actualPrice":${actualPrice},"offerPrice":${offerPrice},`);
        }
      }),
      RUNS,
    );
  });
});

/** A decimal in millionths. */
function scaled(decimal: string): bigint {
  const [integer = '0', fraction = ''] = decimal.split('.');
  return BigInt(integer + fraction.padEnd(6, '0'));
}

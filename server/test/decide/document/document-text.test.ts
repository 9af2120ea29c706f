import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileDocument } from '../../../src/decide/compile/compile-document.js';
import { createSkuCompiler } from '../../../src/decide/compile/compile-skus.js';
import type { CompiledDocument } from '../../../src/decide/compile/compiled-document.js';
import { decide } from '../../../src/decide/decide/decide.js';
import type { ConfigDocument } from '../../../src/decide/document/document.js';
import { readingSteps } from '../../../src/decide/document/document-text.js';
import type { Schedule } from '../../../src/decide/schedules/schedule.js';
import { runSteps } from '../../../src/platform/lib/steps.js';
import { runs } from '../../support/property-runs.js';
import { FLAGS, PROMOTIONS, pairedDocuments } from '../support/document-arbitrary.js';
import { moments, playerFacts } from '../support/facts-arbitrary.js';
import { configWith, PUBLISHED_AT, sku } from '../support/fixtures.js';

const EVENINGS: Schedule = {
  days: { every: 'day' },
  from: '18:00',
  lengthMinutes: 240,
  zone: 'studio',
  firstDate: null,
  lastDate: null,
  except: [],
};

/** A random document with what compiled SKUs follow from besides their entries: schedules, the studio's zone and notes about prices. */
const documents = fc
  .record({
    paired: pairedDocuments,
    studioZone: fc.constantFrom('UTC', 'Asia/Tokyo'),
    isScheduled: fc.boolean(),
    isNoted: fc.boolean(),
  })
  .map(({ paired: { document }, studioZone, isScheduled, isNoted }): ConfigDocument => {
    const catalogue = document.catalogue.map((entry, index) =>
      isScheduled && index === 0 ? { ...entry, schedule: EVENINGS } : entry,
    );
    const pricing = { notices: {}, forbiddenAttributes: [], largestSpreadPercent: null };
    return {
      ...document,
      catalogue,
      calendar: { studioZone },
      ...(isNoted ? { pricing } : {}),
    };
  });

/** Of two documents the parts and SKUs of either. */
const versions = fc
  .tuple(documents, documents, fc.infiniteStream(fc.boolean()))
  .map(([before, other, lots]): readonly [ConfigDocument, ConfigDocument] => {
    const isKept = () => lots.next().value === true;
    const former = new Map(before.catalogue.map((entry) => [entry.skuId, entry]));
    const kept = Object.entries(before).filter(([part]) => part !== 'catalogue' && isKept());
    const catalogue = other.catalogue.map((entry) => (isKept() ? (former.get(entry.skuId) ?? entry) : entry));
    return [before, { ...other, ...Object.fromEntries(kept), catalogue }];
  });

/** Schedules are functions, which only decisions compare. */
function compiledSkus({ skus }: CompiledDocument) {
  return skus.map(({ schedule, ...rest }) => ({ ...rest, zone: schedule?.zone }));
}

describe('a version that is read and compiled after another', () => {
  it('is the same as one that is compiled from scratch', () => {
    fc.assert(
      fc.property(versions, playerFacts(FLAGS, PROMOTIONS), moments, ([before, after], facts, now) => {
        const skuCompiler = createSkuCompiler();
        const first = runSteps(readingSteps(JSON.stringify(before)));
        expect(first.document).toEqual(before);
        compileDocument(first.document, { version: 7, publishedAt: PUBLISHED_AT, skuCompiler });

        const second = runSteps(readingSteps(JSON.stringify(after), first.entries));
        expect(second.document).toEqual(after);
        const publication = { version: 8, publishedAt: PUBLISHED_AT };
        const compiled = compileDocument(second.document, { ...publication, skuCompiler });
        const fromScratch = compileDocument(after, publication);
        expect(compiledSkus(compiled)).toEqual(compiledSkus(fromScratch));
        expect(decide(compiled, facts, now)).toEqual(decide(fromScratch, facts, now));
      }),
      { numRuns: runs(200) },
    );
  });

  it('shares what did not change with the one before', () => {
    const skuCompiler = createSkuCompiler();
    const compile = (document: ConfigDocument, version: number) =>
      compileDocument(document, { version, publishedAt: PUBLISHED_AT, skuCompiler }).skus;
    const before = configWith({ catalogue: [sku('gems'), sku('pass')] });
    const first = runSteps(readingSteps(JSON.stringify(before, null, 1)));
    const [gems, pass] = compile(first.document, 1);

    const changed = configWith({ catalogue: [sku('pass', { hidden: true }), sku('gems')] });
    const second = runSteps(readingSteps(JSON.stringify(changed, null, 1), first.entries));
    expect(second.document.catalogue[1]).toBe(first.document.catalogue[0]);
    const [passAfter, gemsAfter] = compile(second.document, 2);
    expect(gemsAfter).toBe(gems);
    expect(passAfter).not.toBe(pass);
    expect(passAfter?.hidden).toBe(true);

    const { store } = changed;
    const cheaper = { ...second.document, store: { ...store, largestDiscountPercent: '99' } };
    expect(compile(cheaper, 3)[1]).not.toBe(gems);
  });
});

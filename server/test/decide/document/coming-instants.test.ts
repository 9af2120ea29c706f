import fc from 'fast-check';
import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { compileDocument } from '../../../src/decide/compile/compile-document.js';
import { decide } from '../../../src/decide/decide/decide.js';
import { comingInstants } from '../../../src/decide/document/coming-instants.js';
import { ConfigDocument, DOCUMENT_REGISTRY } from '../../../src/decide/document/document.js';
import { listPart } from '../../../src/decide/document/document-part.js';
import { DocumentRegistry } from '../../../src/decide/document/document-registry.js';
import { pairedDocuments } from '../support/document-arbitrary.js';
import { configWith, DAY_MS, facts, NOW, offer, sku } from '../support/fixtures.js';

const text = (ms: number) => new Date(ms).toISOString();
const inDays = (days: number) => text(NOW + days * DAY_MS);
const days = (documents: readonly unknown[], options = {}) =>
  comingInstants(documents, NOW, options).instants.map(({ atMs }) => (atMs - NOW) / DAY_MS);

describe('the coming instants of documents', () => {
  it('are the beginnings and ends of offers and SKUs after now, in order, each once', () => {
    const before = configWith({ catalogue: [sku('gems', { from: inDays(3), until: inDays(-1) })] });
    const after = configWith({
      catalogue: [
        sku('gems', { from: inDays(2), until: inDays(5) }),
        sku('off', { active: false, from: inDays(9) }),
      ],
      offers: [
        offer('weekend', { from: inDays(2), until: inDays(4) }),
        offer('running', { from: inDays(-4), until: text(NOW) }),
        offer('nobody', { from: inDays(8), sharePercent: 0 }),
      ],
    });
    expect(comingInstants([before, after], NOW)).toEqual({
      instants: [
        { atMs: NOW + 2 * DAY_MS, begins: ['sku:gems', 'offer:weekend'], ends: [] },
        { atMs: NOW + 3 * DAY_MS, begins: ['sku:gems'], ends: [] },
        { atMs: NOW + 4 * DAY_MS, begins: [], ends: ['offer:weekend'] },
        { atMs: NOW + 5 * DAY_MS, begins: [], ends: ['sku:gems'] },
      ],
      leftOut: null,
    });
    expect(comingInstants([configWith()], NOW)).toEqual({ instants: [], leftOut: null });
  });

  it('are bounded: changed entries before others, beginnings before ends', () => {
    const document = configWith({
      offers: [
        offer('a', { from: inDays(1), until: inDays(2) }),
        offer('b', { from: inDays(3), until: inDays(4) }),
        offer('c', { from: inDays(5), until: inDays(6) }),
      ],
    });
    const changed = new Set(['offers/c']);
    expect(days([document], { changed, limit: 1 })).toEqual([5]);
    expect(days([document], { changed, limit: 2 })).toEqual([5, 6]);
    expect(days([document], { changed, limit: 4 })).toEqual([1, 3, 5, 6]);
    expect(days([document], { limit: 4 })).toEqual([1, 2, 3, 5]);
    expect(comingInstants([document], NOW, { limit: 4 }).leftOut).toEqual({
      instants: 2,
      firstAtMs: NOW + 4 * DAY_MS,
    });
  });

  it('are those of a new part, as soon as it says when its entries begin', () => {
    const SEASONS = listPart({
      ...{
        name: 'seasons',
        path: 'seasons',
        noun: 'season',
        title: 'Seasons',
        idMember: 'seasonId',
        limit: 3,
      },
      entry: Type.Object({ seasonId: Type.String(), start: Type.String() }),
      boundariesOf: ({ start }) => [{ change: 'begins', at: start }],
    });
    const schema = Type.Object({ ...ConfigDocument.properties, seasons: SEASONS.schema });
    const registry = new DocumentRegistry(schema, [...DOCUMENT_REGISTRY.parts, SEASONS]);
    const document = { ...configWith(), seasons: [{ seasonId: 'winter', start: inDays(6) }] };
    expect(comingInstants([document], NOW, { registry }).instants).toEqual([
      { atMs: NOW + 6 * DAY_MS, begins: ['season:winter'], ends: [] },
    ]);
  });

  it('are all that can change a store, where no rule depends on time', () => {
    fc.assert(
      fc.property(pairedDocuments, fc.integer({ min: 0, max: 60 * DAY_MS }), ({ document }, later) => {
        const timeless = configWith({
          catalogue: document.catalogue,
          offers: document.offers.map((each) => ({ ...each, when: null })),
        });
        const compiled = compileDocument(timeless, { version: 1, publishedAt: 0 });
        const shown = (atMs: number) =>
          decide(compiled, facts(), atMs).store.activeSkus.map(({ json }) => json);
        const { instants } = comingInstants([timeless], NOW, { limit: 100 });
        const last = instants.filter(({ atMs }) => atMs <= NOW + later).at(-1)?.atMs ?? NOW;
        expect(shown(NOW + later)).toEqual(shown(last));
      }),
      { numRuns: 300 },
    );
  });

  it('are in order, distinct, after now and within the limit, and none is forgotten', () => {
    fc.assert(
      fc.property(pairedDocuments, pairedDocuments, fc.nat({ max: 8 }), (one, other, limit) => {
        const documents = [one.document, other.document];
        const { instants, leftOut } = comingInstants(documents, NOW, { limit });
        const found = instants.map(({ atMs }) => atMs);
        expect(found).toEqual([...new Set(found)].toSorted((a, b) => a - b));
        expect(found.every((atMs) => atMs > NOW)).toBe(true);
        expect(found.length).toBeLessThanOrEqual(limit);
        const all = comingInstants(documents, NOW, { limit: 100 }).instants.length;
        expect(found.length + (leftOut?.instants ?? 0)).toBe(all);
      }),
    );
  });
});

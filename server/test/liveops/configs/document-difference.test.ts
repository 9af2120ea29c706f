import { describe, expect, it } from 'vitest';
import { DEFAULT_DOCUMENT } from '../../../src/decide/document/default-document.js';
import type { SegmentEntry } from '../../../src/decide/document/parts/segments.js';
import { documentDifference } from '../../../src/liveops/configs/document-difference.js';
import { nextSegmentVersions } from '../../../src/liveops/configs/segment-versions.js';
import { gameDocument, offer, sku } from '../../support/data-calls.js';

const segment = (segmentId: string, rule = 'true', name = segmentId): SegmentEntry => ({
  segmentId,
  name,
  rule,
  visibleToClients: true,
  priority: 0,
});

describe('the difference of two documents', () => {
  it('is nothing for equal ones, whatever the order of their members', () => {
    const document = gameDocument([sku('a')]);
    const reordered = Object.fromEntries(Object.entries(structuredClone(document)).reverse());
    expect(documentDifference(document, reordered as typeof document)).toEqual([]);
  });

  it('names each part that was added, removed or changed, as it was and as it is', () => {
    const before = gameDocument([sku('kept'), sku('gone')], { offers: [offer('sale')], payerForDays: 30 });
    const after = gameDocument([sku('kept', { offerPrice: '1.99' }), sku('new')], {
      offers: [offer('sale')],
      sendFallback: true,
    });
    expect(documentDifference(before, after).map(({ path, change }) => `${change} ${path}`)).toEqual([
      'changed flags/isPayer',
      'removed catalogue/gone',
      'changed catalogue/kept',
      'added catalogue/new',
      'changed store',
    ]);
    expect(documentDifference(before, after)).toContainEqual({
      path: 'flags/isPayer',
      change: 'changed',
      before: { payerForDays: 30 },
      after: { payerForDays: null },
    });
  });

  it('tells another order from other entries', () => {
    const before = gameDocument([], { offers: [offer('a'), offer('b'), offer('c')] });
    const after = gameDocument([], { offers: [offer('c'), offer('a')] });
    expect(documentDifference(before, after)).toEqual([
      { path: 'offers/b', change: 'removed', before: offer('b'), after: null },
      { path: 'offers', change: 'reordered', before: ['a', 'c'], after: ['c', 'a'] },
    ]);
  });
});

describe('the version of a segment', () => {
  const document = (...segments: ReturnType<typeof segment>[]) => ({ ...DEFAULT_DOCUMENT, segments });

  it('goes up when rule or name change, also for one that was deleted and comes back', () => {
    const first = document(segment('a'), segment('b'));
    const second = document(segment('a', 'false'), segment('c'));
    const third = document(segment('a', 'false', 'Anna'), segment('b'), { ...segment('c'), priority: 5 });
    const afterSecond = nextSegmentVersions({ document: first, segmentVersions: {} }, second);
    expect(afterSecond).toEqual({ a: 2, b: 1, c: 1 });
    const afterThird = nextSegmentVersions({ document: second, segmentVersions: afterSecond }, third);
    expect(afterThird).toEqual({ a: 3, b: 2, c: 1 });
  });

  it('goes up when one of two thresholds changes', () => {
    const leaving = (leaveBelow: number) =>
      document({ ...segment('a'), thresholds: { prediction: 'churn', enterAbove: 0.7, leaveBelow } });
    const before = { document: leaving(0.5), segmentVersions: {} };
    expect(nextSegmentVersions(before, leaving(0.5))).toEqual({ a: 1 });
    expect(nextSegmentVersions(before, leaving(0.4))).toEqual({ a: 2 });
    expect(nextSegmentVersions(before, document(segment('a')))).toEqual({ a: 2 });
  });
});

import { describe, expect, it } from 'vitest';
import { mergeDocuments } from '../src/lib/merge.js';
import { document, offer, sku } from './documents.js';

const base = document();
const withPrice = (skuId: string, price: string) =>
  document({ catalogue: base.catalogue.map((each) => (each.skuId === skuId ? sku(skuId, price) : each)) });

describe('two editors of one draft', () => {
  it('keep what each of them changed', () => {
    const mine = withPrice('gems', '2.00');
    const theirs = { ...withPrice('chest', '6.00'), offers: [offer('weekend')] };
    const { document: merged, conflicts } = mergeDocuments(base, mine, theirs);
    expect(conflicts).toEqual([]);
    expect(merged).toEqual({
      ...base,
      catalogue: [sku('gems', '2.00'), sku('chest', '6.00'), sku('pass', '9.00')],
      offers: [offer('weekend')],
    });
  });

  it('are told where both changed the same entry, and mine stays there', () => {
    const { document: merged, conflicts } = mergeDocuments(
      base,
      withPrice('gems', '2.00'),
      withPrice('gems', '3.00'),
    );
    expect(conflicts).toEqual(['catalogue/gems']);
    expect(merged.catalogue[0]).toEqual(sku('gems', '2.00'));
  });

  it('do not differ where both did the same', () => {
    const same = withPrice('gems', '2.00');
    expect(mergeDocuments(base, same, structuredClone(same))).toEqual({ document: same, conflicts: [] });
  });

  it('keep what one removed removed, and what one added', () => {
    const mine = document({ catalogue: base.catalogue.slice(1) });
    const theirs = document({ catalogue: [...base.catalogue, sku('new', '3.00')] });
    const { document: merged, conflicts } = mergeDocuments(base, mine, theirs);
    expect(merged.catalogue.map(({ skuId }) => skuId)).toEqual(['chest', 'pass', 'new']);
    expect(conflicts).toEqual([]);
  });

  it('are told when one removed what the other changed', () => {
    const mine = document({ catalogue: base.catalogue.slice(1) });
    expect(mergeDocuments(base, mine, withPrice('gems', '3.00')).conflicts).toEqual(['catalogue/gems']);
  });

  it('keep my order where I changed it, else theirs', () => {
    const reversed = document({ catalogue: [...base.catalogue].reverse() });
    const order = (merged: typeof base) => merged.catalogue.map(({ skuId }) => skuId);
    expect(order(mergeDocuments(base, reversed, base).document)).toEqual(['pass', 'chest', 'gems']);
    expect(order(mergeDocuments(base, base, reversed).document)).toEqual(['pass', 'chest', 'gems']);
  });

  it('keep a part that only one of them has', () => {
    const told = { visibleToClients: ['churn' as const], off: [] };
    const theirs = document({ predictions: told });
    expect(mergeDocuments(base, withPrice('gems', '2.00'), theirs).document.predictions).toEqual(told);
    expect(mergeDocuments(base, theirs, withPrice('gems', '2.00')).document.predictions).toEqual(told);
    expect(mergeDocuments(theirs, base, theirs).document).not.toHaveProperty('predictions');
  });

  it('are told when both changed the settings of the store', () => {
    const mine = document({ store: { ...base.store, holdoutPercent: 5 } });
    const theirs = document({ store: { ...base.store, holdoutPercent: 10 } });
    const { document: merged, conflicts } = mergeDocuments(base, mine, theirs);
    expect([merged.store.holdoutPercent, conflicts]).toEqual([5, ['store']]);
    expect(mergeDocuments(base, base, theirs).document.store.holdoutPercent).toBe(10);
  });
});

import { describe, expect, it } from 'vitest';
import { whoChanged } from '../src/lib/conflict-parts.js';
import type { DocumentChange } from '../src/lib/document.js';
import { otherEditors } from '../src/lib/draft-editors.js';
import { mergeDocuments } from '../src/lib/merge.js';
import { document, offer, sku } from './documents.js';

const AT = (minute: number) => `2026-11-15T12:${String(minute).padStart(2, '0')}:00.000Z`;
const editor = (name: string, windowId: string, changedAt: string | null = null) => ({
  ...{ name, email: `${name.toLowerCase()}@studio.example`, windowId, openedAt: AT(0), changedAt },
});
const ana = { windowId: 'w1', email: 'ana@studio.example' };
const unedited = { isEdited: false, updatedByEmail: 'ben@studio.example', updatedAt: AT(1) };

describe('the other editors of a draft', () => {
  it('do not include the own window', () => {
    expect(otherEditors(unedited, [editor('Ana', 'w1')], ana)).toEqual([]);
  });

  it('are people, each with the last change of any window that is not saved', () => {
    const windows = [
      editor('Zoe', 'w5'),
      editor('Ben', 'w2', AT(3)),
      editor('Ben', 'w3'),
      editor('Ben', 'w4', AT(2)),
    ];
    expect(otherEditors(unedited, windows, ana)).toEqual([
      { email: 'ben@studio.example', name: 'Ben', isYou: false, changedAt: AT(3), savedAt: null },
      { email: 'zoe@studio.example', name: 'Zoe', isYou: false, changedAt: null, savedAt: null },
    ]);
  });

  it('include the own account in another window, and say who saved the draft', () => {
    const edited = { ...unedited, isEdited: true };
    expect(otherEditors(edited, [editor('Ana', 'w9'), editor('Ben', 'w2')], ana)).toMatchObject([
      { isYou: true, savedAt: null },
      { isYou: false, savedAt: AT(1) },
    ]);
  });
});

it('a difference between two editors is sorted by who made it, theirs from before to after', () => {
  const base = document();
  const mine = {
    ...base,
    catalogue: [sku('gems', '2.00'), ...base.catalogue.slice(1)],
    offers: [offer('mine')],
  };
  const theirs = { ...base, catalogue: [...base.catalogue.slice(0, 2), sku('pass', '8.00')] };
  const { document: merged } = mergeDocuments(base, mine, theirs);
  const change = (path: string, kind: DocumentChange['change'], before: unknown, after: unknown) => ({
    ...{ path, change: kind, before, after },
  });
  const difference = [
    change('catalogue/gems', 'changed', theirs.catalogue[0], mine.catalogue[0]),
    change('catalogue/pass', 'changed', theirs.catalogue[2], mine.catalogue[2]),
    change('offers/mine', 'added', null, mine.offers[0]),
  ];
  expect(whoChanged(difference, theirs, merged)).toEqual({
    mine: [difference[0], difference[2]],
    theirs: [change('catalogue/pass', 'changed', mine.catalogue[2], theirs.catalogue[2])],
  });
});

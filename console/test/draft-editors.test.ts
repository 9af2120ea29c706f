import { describe, expect, it } from 'vitest';
import { documentDifference } from '../src/lib/document-difference.js';
import { otherEditors } from '../src/lib/draft-editors.js';
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

it('each editor is shown with what that editor changed, from before to after', () => {
  const base = document();
  const mine = { ...base, catalogue: [sku('pass', '9.00'), sku('gems', '2.00')], offers: [offer('mine')] };
  expect(documentDifference(base, mine)).toEqual([
    { path: 'catalogue/gems', change: 'changed', before: base.catalogue[0], after: mine.catalogue[1] },
    { path: 'catalogue/chest', change: 'removed', before: base.catalogue[1], after: null },
    { path: 'catalogue', change: 'reordered', before: ['gems', 'pass'], after: ['pass', 'gems'] },
    { path: 'offers/mine', change: 'added', before: null, after: mine.offers[0] },
  ]);
  expect(documentDifference(base, structuredClone(base))).toEqual([]);
});

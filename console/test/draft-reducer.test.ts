import { describe, expect, it } from 'vitest';
import { ApiProblem } from '../src/api/client.js';
import {
  AS_SAVED,
  asideOnTop,
  type Draft,
  type DraftAction,
  type DraftState,
  draftReducer,
} from '../src/draft/draft-reducer.js';
import type { ConfigDocument } from '../src/lib/document.js';
import { document, sku } from './documents.js';

const draft = (revision: number, of: ConfigDocument = document()): Draft => ({
  revision,
  basedOn: 7,
  isEdited: true,
  document: of,
  updatedAt: '2026-11-15T12:00:00.000Z',
  updatedBy: 'Ana',
  updatedByEmail: 'ana@studio.example',
});
const run = (state: DraftState, ...actions: DraftAction[]) => actions.reduce(draftReducer, state);
const gems = (price: string) => (of: ConfigDocument) => ({
  ...of,
  catalogue: [sku('gems', price), ...of.catalogue.slice(1)],
});
const holdout = (holdoutPercent: number) => (of: ConfigDocument) => ({
  ...of,
  store: { ...of.store, holdoutPercent },
});
const problem = new ApiProblem(409, 'draft_conflict', 'Another editor has changed the draft.');
const first = draft(1);
const edited = run(AS_SAVED, { type: 'edit', draft: first, change: gems('2.00') });
const theirs = draft(2, holdout(5)(gems('3.00')(document())));
const inConflict = run(edited, { type: 'save' }, { type: 'saveFailed', problem, theirs });

describe('the draft in a window', () => {
  it('is edited on the revision that the editing began with', () => {
    const later = run(edited, { type: 'edit', draft: draft(5), change: holdout(5) });
    expect(later.working).toEqual({ base: first, document: holdout(5)(gems('2.00')(document())) });
  });

  it('is as saved again when the change is taken back, or undone', () => {
    expect(run(edited, { type: 'edit', draft: first, change: gems('1.00') })).toEqual(AS_SAVED);
    expect(run(edited, { type: 'undo' })).toEqual(AS_SAVED);
  });

  it('is as saved after a save', () => {
    const saving = run(edited, { type: 'save' });
    expect(saving.isSaving).toBe(true);
    const saved = draft(2, gems('2.00')(document()));
    expect(run(saving, { type: 'saved', draft: saved, sent: saved.document })).toEqual(AS_SAVED);
  });

  it('keeps what was typed while it was saved', () => {
    const saved = draft(2, gems('2.00')(document()));
    const after = run(
      edited,
      { type: 'save' },
      { type: 'edit', draft: first, change: holdout(5) },
      { type: 'saved', draft: saved, sent: saved.document },
    );
    expect(after).toEqual({ ...AS_SAVED, working: { base: saved, document: holdout(5)(saved.document) } });
  });

  it('keeps what was typed when a save fails, until the next change', () => {
    const failed = run(edited, { type: 'save' }, { type: 'saveFailed', problem });
    expect(failed).toEqual({ ...edited, saveProblem: problem });
    expect(run(failed, { type: 'edit', draft: first, change: gems('4.00') }).saveProblem).toBeNull();
  });

  it('takes a newer version, and is not as saved even if nothing else differs', () => {
    const rebased = run(
      AS_SAVED,
      { type: 'rebase', draft: first, document: document(), basedOn: 8 },
      { type: 'edit', draft: first, change: (of) => of },
    );
    expect(rebased.working).toEqual({ base: first, document: document(), basedOn: 8 });
  });
});

describe('a conflict with another editor', () => {
  it('is shown until it is decided, and a later decision loses nothing', () => {
    expect(inConflict).toEqual({ ...edited, saveProblem: problem, conflict: { theirs, choices: {} } });
    expect(run(inConflict, { type: 'decideLater' })).toEqual({ ...edited, saveProblem: problem });
  });

  it('puts mine on top of theirs, on their revision', () => {
    const onTop = run(inConflict, { type: 'putMineOnTop' });
    expect(onTop).toEqual({
      ...AS_SAVED,
      working: { base: theirs, document: gems('2.00')(theirs.document) },
    });
  });

  it('takes the side that was chosen of each value that both changed', () => {
    const choose = (member: string): DraftAction => ({
      ...{ type: 'choose', key: `catalogue/gems › prices › USD › ${member}`, side: 'theirs' },
    });
    const chosen = run(inConflict, choose('actualPrice'), { type: 'putMineOnTop' });
    expect(chosen.working?.document.catalogue[0]?.prices).toEqual({
      USD: { actualPrice: '3.00', offerPrice: '2.00' },
    });
    const all = run(inConflict, choose('actualPrice'), choose('offerPrice'), { type: 'putMineOnTop' });
    // Nothing of mine is left, so there is nothing to save.
    expect(all).toEqual(AS_SAVED);
  });

  it('sets mine aside, from where it is put on top later or dropped', () => {
    const loaded = run(inConflict, { type: 'loadTheirs' });
    const aside = { base: first.document, document: gems('2.00')(document()) };
    expect(loaded).toEqual({ ...AS_SAVED, aside });
    const onTop = gems('2.00')(theirs.document);
    expect(asideOnTop(aside, theirs.document)).toEqual(onTop);
    expect(run(loaded, { type: 'takeOverAside', draft: theirs })).toEqual({
      ...AS_SAVED,
      working: { base: theirs, document: onTop },
    });
    expect(run(loaded, { type: 'dropAside' })).toEqual(AS_SAVED);
  });

  it.each(['putMineOnTop', 'loadTheirs', 'decideLater'] as const)('has no %s without one', (type) => {
    expect(run(AS_SAVED, { type })).toEqual(AS_SAVED);
  });
});

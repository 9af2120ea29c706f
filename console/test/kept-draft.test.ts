import { beforeEach, describe, expect, it } from 'vitest';
import { AS_SAVED, type Draft, draftReducer, type Working } from '../src/draft/draft-reducer.js';
import {
  findKeptDraft,
  forgetDraft,
  forgetDraftsOf,
  type KeptDraft,
  keepDraft,
} from '../src/draft/kept-draft.js';
import { document } from './documents.js';

/** As much as a browser offers, with a limit. */
class MemoryStorage implements Storage {
  [name: string]: unknown;
  readonly #items = new Map<string, string>();
  maxLength = Number.POSITIVE_INFINITY;
  get length() {
    return this.#items.size;
  }
  key = (index: number) => [...this.#items.keys()][index] ?? null;
  getItem = (key: string) => this.#items.get(key) ?? null;
  removeItem = (key: string) => void this.#items.delete(key);
  clear = () => this.#items.clear();
  setItem = (key: string, value: string) => {
    if (value.length > this.maxLength) throw new DOMException('full', 'QuotaExceededError');
    this.#items.set(key, value);
  };
}

const draft: Draft = {
  revision: 1,
  basedOn: 7,
  isEdited: true,
  document: document(),
  updatedAt: '2026-11-15T12:00:00.000Z',
  updatedBy: 'Ana',
  updatedByEmail: 'ana@studio.example',
};
const working: Working = { base: draft, document: { ...document(), catalogue: [] } };
const kept = (at: string): KeptDraft => ({ working, aside: null, at });
const EARLY = '2026-11-15T12:00:00.000Z';
const LATE = '2026-11-15T13:00:00.000Z';
const PLACE = { accountId: 'ana', studio: 'acme', game: 'gems' };
const nobody = () => false;

let storage: MemoryStorage;
beforeEach(() => {
  storage = new MemoryStorage();
});

describe('a draft that is kept in the browser', () => {
  it('is found again by account, studio and game', () => {
    keepDraft(storage, PLACE, 'one', kept(EARLY));
    expect(findKeptDraft(storage, PLACE, nobody)).toMatchObject({ ...kept(EARLY), windowId: 'one' });
    for (const other of [{ accountId: 'ben' }, { studio: 'else' }, { game: 'gem' }])
      expect(findKeptDraft(storage, { ...PLACE, ...other }, nobody)).toBeUndefined();
  });

  it('is the newest of the windows that are closed', () => {
    keepDraft(storage, PLACE, 'one', kept(EARLY));
    keepDraft(storage, PLACE, 'two', kept(LATE));
    expect(findKeptDraft(storage, PLACE, nobody)?.windowId).toBe('two');
    expect(findKeptDraft(storage, PLACE, (id) => id === 'two')?.windowId).toBe('one');
    forgetDraft(storage, PLACE, 'two');
    expect(findKeptDraft(storage, PLACE, nobody)?.windowId).toBe('one');
  });

  it('is gone after signing out, and those of others stay', () => {
    keepDraft(storage, PLACE, 'one', kept(EARLY));
    keepDraft(storage, { ...PLACE, game: 'other' }, 'one', kept(EARLY));
    keepDraft(storage, { ...PLACE, accountId: 'ana2' }, 'one', kept(EARLY));
    forgetDraftsOf(storage, 'ana');
    expect(storage.length).toBe(1);
  });

  it('is not kept where there is no room, and no older one is found instead', () => {
    keepDraft(storage, PLACE, 'one', kept(EARLY));
    storage.maxLength = 10;
    expect(keepDraft(storage, PLACE, 'one', kept(LATE))).toBe(false);
    expect(findKeptDraft(storage, PLACE, nobody)).toBeUndefined();
  });

  it.each(['', '{', '{}', '{"working":{"base":{}},"at":"x"}', 'null'])('is not read from %j', (text) => {
    storage.setItem('savepoint-draft/ana/acme/gems/one', text);
    expect(findKeptDraft(storage, PLACE, nobody)).toBeUndefined();
  });
});

describe('a draft that is restored', () => {
  const restored = draftReducer(AS_SAVED, { type: 'restore', working, aside: null, at: EARLY });

  it('is edited as before, and says so until it is saved or undone', () => {
    expect(restored).toEqual({ ...AS_SAVED, working, restoredAt: EARLY });
    const saved = { ...draft, revision: 2, document: working.document };
    expect(draftReducer(restored, { type: 'saved', draft: saved, sent: working.document })).toEqual(AS_SAVED);
    expect(draftReducer(restored, { type: 'undo' })).toEqual(AS_SAVED);
  });

  it('does not replace what was typed meanwhile', () => {
    const typed = { ...AS_SAVED, working: { base: draft, document: document() } };
    expect(draftReducer(typed, { type: 'restore', working, aside: null, at: EARLY })).toEqual(typed);
  });
});

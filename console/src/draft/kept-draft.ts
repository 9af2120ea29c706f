import type { Aside, Working } from './draft-reducer.js';

/**
 * What was typed and not saved, kept in the browser until it is saved: a reload, a crash or a lost connection loses nothing (ADR 0037).
 * Each window keeps its own, by account, studio and game, so that two windows do not overwrite each other.
 */
export type KeptDraft = Readonly<{ working: Working | null; aside: Aside | null; at: string }>;
export type KeptPlace = Readonly<{ accountId: string; studio: string; game: string }>;
type Found = KeptDraft & Readonly<{ key: string; windowId: string }>;

const PREFIX = 'savepoint-draft';

const prefixOf = ({ accountId, studio, game }: KeptPlace) => `${PREFIX}/${accountId}/${studio}/${game}/`;

/** False if the browser has no room for it, or forbids it. */
export function keepDraft(storage: Storage, place: KeptPlace, windowId: string, kept: KeptDraft): boolean {
  try {
    storage.setItem(`${prefixOf(place)}${windowId}`, JSON.stringify(kept));
    return true;
  } catch {
    // An older state would be worse than none.
    storage.removeItem(`${prefixOf(place)}${windowId}`);
    return false;
  }
}

export function forgetDraft(storage: Storage, place: KeptPlace, windowId: string): void {
  storage.removeItem(`${prefixOf(place)}${windowId}`);
}

/** For signing out: the next person at this computer finds nothing. */
export function forgetDraftsOf(storage: Storage, accountId: string): void {
  for (const key of keysOf(storage, `${PREFIX}/${accountId}/`)) storage.removeItem(key);
}

/** The newest one that no open window still has. Its key is for `forgetDraft` once this window has taken it over. */
export function findKeptDraft(
  storage: Storage,
  place: KeptPlace,
  isOpenElsewhere: (windowId: string) => boolean,
): Found | undefined {
  const prefix = prefixOf(place);
  const found = keysOf(storage, prefix).flatMap((key) => {
    const windowId = key.slice(prefix.length);
    const kept = isOpenElsewhere(windowId) ? undefined : read(storage.getItem(key));
    return kept === undefined ? [] : [{ ...kept, key, windowId }];
  });
  return found.toSorted((one, other) => other.at.localeCompare(one.at))[0];
}

function keysOf(storage: Storage, prefix: string): string[] {
  const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '');
  return keys.filter((key) => key.startsWith(prefix));
}

/** Undefined for what another version of the console wrote. */
function read(text: string | null): KeptDraft | undefined {
  try {
    const { working, aside, at } = JSON.parse(text ?? '') as KeptDraft;
    const isWhole =
      working === null || (working.base.revision >= 0 && working.document.catalogue !== undefined);
    return isWhole && typeof at === 'string' ? { working, aside: aside ?? null, at } : undefined;
  } catch {
    return undefined;
  }
}

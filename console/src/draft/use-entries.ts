import { type Problem, problemsUnder, replacedAt } from '../lib/document.js';
import { useDraft } from './draft-context.js';

type Options<Entry> = {
  entries: readonly Entry[];
  idOf: (entry: Entry) => string;
  /** Where the list is in the document: `/offers`. */
  pointer: string;
  /** Puts a changed list into the draft. */
  set: (change: (entries: readonly Entry[]) => Entry[]) => void;
  /** Which entry is open beside the list, as the address says it. */
  openId: string | undefined;
  onOpen: (id: string | undefined, isReplaced: boolean) => void;
};

export type OpenEntry<Entry> = {
  entry: Entry;
  pointer: string;
  problems: (Problem & { member: string })[];
  onChange: (entry: Entry) => void;
  onRemove: () => void;
  onClose: () => void;
};

/** A list of the document with one of its entries open in a panel: SKUs, offers, segments, flags. */
export function useEntries<Entry>({ entries, idOf, pointer, set, openId, onOpen }: Options<Entry>): {
  open: OpenEntry<Entry> | undefined;
  add: (entry: Entry) => void;
} {
  const { problems } = useDraft();
  const index = entries.findIndex((entry) => idOf(entry) === openId);
  const entry = entries[index];
  const open = entry !== undefined && {
    entry,
    pointer: `${pointer}/${index}`,
    problems: problemsUnder(problems, `${pointer}/${index}`),
    onChange: (next: Entry) => {
      set((before) => replacedAt(before, index, next));
      // The panel stays open while the id is typed.
      if (idOf(next) !== openId) onOpen(idOf(next), true);
    },
    onRemove: () => {
      set((before) => before.filter((_, at) => at !== index));
      onOpen(undefined, false);
    },
    onClose: () => onOpen(undefined, false),
  };
  return {
    open: open || undefined,
    add: (added) => {
      set((before) => [...before, added]);
      onOpen(idOf(added), false);
    },
  };
}

import { useState } from 'react';
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

/**
 * The entry whose id is typed. The address says the new id some renders later, and another entry may have it meanwhile, so this one is found
 * by its place. `ids`: those that the address may say, from the one it said last to the one that the entry has now.
 */
type Renamed = { index: number; ids: readonly string[] };

/** A list of the document with one of its entries open in a panel: SKUs, offers, segments, flags. */
export function useEntries<Entry>({ entries, idOf, pointer, set, openId, onOpen }: Options<Entry>): {
  open: OpenEntry<Entry> | undefined;
  add: (entry: Entry) => void;
} {
  const { problems } = useDraft();
  const [renamed, setRenamed] = useState<Renamed>();
  const index = placeOf(
    entries.map((each) => idOf(each)),
    openId,
    renamed,
  );
  const entry = entries[index];
  const close = () => {
    setRenamed(undefined);
    onOpen(undefined, false);
  };
  const open = entry !== undefined && {
    entry,
    pointer: `${pointer}/${index}`,
    problems: problemsUnder(problems, `${pointer}/${index}`),
    onChange: (next: Entry) => {
      set((before) => replacedAt(before, index, next));
      if (idOf(next) === idOf(entry)) return;
      const known = renamed?.index === index && openId !== idOf(entry) ? renamed.ids : [idOf(entry)];
      setRenamed({ index, ids: [...known, idOf(next)] });
      onOpen(idOf(next), true);
    },
    onRemove: () => {
      set((before) => before.filter((_, at) => at !== index));
      close();
    },
    onClose: close,
  };
  return {
    open: open || undefined,
    add: (added) => {
      set((before) => [...before, added]);
      onOpen(idOf(added), false);
    },
  };
}

function placeOf(ids: readonly string[], openId: string | undefined, renamed: Renamed | undefined): number {
  if (openId === undefined) return -1;
  const isRenamed = renamed?.ids.includes(openId) === true && ids[renamed.index] === renamed.ids.at(-1);
  return isRenamed ? renamed.index : ids.indexOf(openId);
}

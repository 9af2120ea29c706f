import type { DocumentChange, Offer } from './document.js';
import { isMembers } from './document-parts.js';
import { effectInWords } from './effect.js';
import type { Clash } from './merge.js';

/** A difference of documents in words: which part, and its values before and after. */
export type ChangeLine = { label: string; before: string | null; after: string | null };
export type DescribedChange = {
  path: string;
  kind: string;
  name: string;
  change: DocumentChange['change'];
  /** What an offer that has come or gone does. */
  words: string | null;
  lines: ChangeLine[];
};

const KINDS: readonly (readonly [string, string])[] = [
  ['catalogue/', 'SKU'],
  ['offers/', 'Offer'],
  ['segments/', 'Segment'],
  ['flags/custom/', 'Flag'],
  ['values/', 'Value'],
  ['attributes/', 'Attribute'],
];
const WHOLE: Readonly<Record<string, string>> = {
  catalogue: 'Order of the catalogue',
  offers: 'Order of the offers',
  segments: 'Order of the segments',
  'flags/custom': 'Order of the flags',
  values: 'Order of the values',
  attributes: 'Order of the attributes',
  'flags/isPayer': 'Flag isPayer',
  store: 'Store settings',
  predictions: 'Predictions that clients get',
};

export function describeChange({ path, change, before, after }: DocumentChange): DescribedChange {
  const known = KINDS.find(([prefix]) => path.startsWith(prefix));
  const kind = known?.[1] ?? WHOLE[path] ?? path;
  const name = known === undefined ? '' : path.slice(known[0].length);
  const entry = change === 'added' ? after : change === 'removed' ? before : null;
  const words = kind === 'Offer' && entry !== null ? effectInWords(entry as Offer) : null;
  return { path, kind, name, change, words, lines: linesOf(change, before, after, name) };
}

function linesOf(
  change: DocumentChange['change'],
  before: unknown,
  after: unknown,
  name: string,
): ChangeLine[] {
  if (change === 'reordered') return [{ label: 'order', before: listed(before), after: listed(after) }];
  const lines = leafChanges(before ?? undefined, after ?? undefined, []);
  if (change === 'changed') return lines;
  // Of a whole entry, what is not set says nothing, and its id is its name already.
  return lines.filter(({ label, before, after }) => {
    const value = before ?? after;
    return value !== '' && value !== 'none' && !((label.endsWith('Id') || label === 'key') && value === name);
  });
}

/** Every value that differs, by its path within the part. */
function leafChanges(before: unknown, after: unknown, way: readonly string[]): ChangeLine[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  // A value that has come or gone is listed member by member, too.
  const [old, present] = [before ?? {}, after ?? {}];
  if (isMembers(old) && isMembers(present) && (isMembers(before) || isMembers(after))) {
    const names = [...new Set([...Object.keys(old), ...Object.keys(present)])];
    return names.flatMap((name) => leafChanges(old[name], present[name], [...way, name]));
  }
  return [{ label: way.join(' › '), before: shown(before), after: shown(after) }];
}

/** A clash of two editors in words: which value of which part, and what each side makes of it. */
export function describeClash({ path, members, base, mine, theirs }: Clash) {
  const { kind, name } = describeChange({ path, change: 'changed', before: null, after: null });
  // The values of an entry that one editor removed are listed among the changes of the other.
  const isRemoval = mine === undefined || theirs === undefined;
  const words = (value: unknown) =>
    value === undefined ? 'removed' : isRemoval && isMembers(value) ? 'kept, as changed' : allShown(value);
  return {
    label: [`${kind} ${name}`.trim(), ...members].join(' › '),
    base: base === undefined || isRemoval ? null : allShown(base),
    mine: words(mine),
    theirs: words(theirs),
  };
}

/** Also of a value with members: `prediction churn, enterAbove 0.7`. */
function allShown(value: unknown): string | null {
  if (!isMembers(value)) return shown(value);
  return leafChanges({}, value, [])
    .map(({ label, after }) => `${label} ${after}`)
    .join(', ');
}

function shown(value: unknown): string | null {
  if (value === undefined) return null;
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return listed(value);
  return value === null ? 'none' : JSON.stringify(value);
}

function listed(value: unknown): string {
  return Array.isArray(value) ? value.map(String).join(', ') : '';
}

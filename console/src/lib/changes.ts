import type { DocumentChange } from './document.js';

/** A difference of documents in words: which part, and its values before and after. */
export type ChangeLine = { label: string; before: string | null; after: string | null };
export type DescribedChange = {
  path: string;
  kind: string;
  name: string;
  change: DocumentChange['change'];
  lines: ChangeLine[];
};

const KINDS: readonly (readonly [string, string])[] = [
  ['catalogue/', 'SKU'],
  ['offers/', 'Offer'],
  ['segments/', 'Segment'],
  ['flags/custom/', 'Flag'],
];
const WHOLE: Readonly<Record<string, string>> = {
  catalogue: 'Order of the catalogue',
  offers: 'Order of the offers',
  segments: 'Order of the segments',
  'flags/custom': 'Order of the flags',
  'flags/isPayer': 'Flag isPayer',
  store: 'Store settings',
  predictions: 'Predictions that clients get',
};

export function describeChange({ path, change, before, after }: DocumentChange): DescribedChange {
  const known = KINDS.find(([prefix]) => path.startsWith(prefix));
  const kind = known?.[1] ?? WHOLE[path] ?? path;
  const name = known === undefined ? '' : path.slice(known[0].length);
  const lines = change === 'changed' ? leafChanges(before, after, []) : [];
  if (change === 'reordered') lines.push({ label: 'order', before: listed(before), after: listed(after) });
  return { path, kind, name, change, lines };
}

/** Every value that differs, by its path within the part. */
function leafChanges(before: unknown, after: unknown, way: readonly string[]): ChangeLine[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (isRecord(before) && isRecord(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return names.flatMap((name) => leafChanges(before[name], after[name], [...way, name]));
  }
  return [{ label: way.join(' › '), before: shown(before), after: shown(after) }];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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

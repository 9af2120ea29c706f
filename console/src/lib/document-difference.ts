import { type ConfigDocument, type DocumentChange, isSame } from './document.js';
import { entriesOf, partsOf } from './document-parts.js';

/**
 * What changed between two documents of this window, in the form in which the service compares documents that it has. What an editor
 * began with is no longer kept there.
 */
export function documentDifference(before: ConfigDocument, after: ConfigDocument): DocumentChange[] {
  const [old, present] = [partsOf(before), partsOf(after)];
  return [...new Set([...old.keys(), ...present.keys()])].flatMap((path) => {
    const [was, is] = [old.get(path), present.get(path)];
    const [oldEntries, entries] = [entriesOf(path, was), entriesOf(path, is)];
    return oldEntries === undefined || entries === undefined
      ? partDifference(path, was, is)
      : listDifference(path, oldEntries, entries);
  });
}

function partDifference(path: string, before: unknown, after: unknown): DocumentChange[] {
  if (isSame(before, after)) return [];
  const change = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
  return [{ path, change, before: before ?? null, after: after ?? null }];
}

function listDifference(
  path: string,
  before: ReadonlyMap<string, unknown>,
  after: ReadonlyMap<string, unknown>,
): DocumentChange[] {
  const ids = [...new Set([...before.keys(), ...after.keys()])];
  const changes = ids.flatMap((id) => partDifference(`${path}/${id}`, before.get(id), after.get(id)));
  const oldOrder = [...before.keys()].filter((id) => after.has(id));
  const order = [...after.keys()].filter((id) => before.has(id));
  return isSame(oldOrder, order)
    ? changes
    : [...changes, { path, change: 'reordered', before: oldOrder, after: order }];
}

import { type ConfigDocument, DOCUMENT_REGISTRY } from '../../decide/document/document.js';
import { entriesOf, idOf, type ListPart, partOf } from '../../decide/document/document-part.js';
import type { DocumentRegistry } from '../../decide/document/document-registry.js';
import { isSameJson } from '../../platform/lib/same-json.js';
import { runSteps, type Steps } from '../../platform/lib/steps.js';

/** A part of a document that is not as it was. */
export type DocumentChange = Readonly<{
  /** `offers/winter_sale`, `store`, `flags/isPayer`; the list itself when only its order changed. */
  path: string;
  change: 'added' | 'removed' | 'changed' | 'reordered';
  /** The part as it was and as it is, null where there is none; of a list the ids in their order. */
  before: unknown;
  after: unknown;
}>;

/** What changed, entry by entry: lists are compared by the ids of their entries, not by their places. */
export function documentDifference(
  before: ConfigDocument,
  after: ConfigDocument,
  registry?: DocumentRegistry,
): DocumentChange[] {
  return runSteps(differenceSteps(before, after, registry));
}

/** The same in steps, one for each entry. */
export function* differenceSteps(
  before: ConfigDocument,
  after: ConfigDocument,
  { parts }: DocumentRegistry = DOCUMENT_REGISTRY,
): Steps<DocumentChange[]> {
  const changes: DocumentChange[] = [];
  for (const part of parts) {
    changes.push(
      ...(part.kind === 'list'
        ? yield* listDifference(part, entriesOf(before, part), entriesOf(after, part))
        : partDifference(part.path, partOf(before, part), partOf(after, part))),
    );
  }
  return changes;
}

function partDifference(path: string, before: unknown, after: unknown): DocumentChange[] {
  return isSameJson(before, after) ? [] : [{ path, change: 'changed', before, after }];
}

function* listDifference(
  part: ListPart,
  before: readonly unknown[],
  after: readonly unknown[],
): Steps<DocumentChange[]> {
  const { path } = part;
  const old = new Map(before.map((entry) => [idOf(part, entry), entry]));
  const present = new Map(after.map((entry) => [idOf(part, entry), entry]));
  const changes: DocumentChange[] = [];
  for (const [id, entry] of old) {
    if (!present.has(id)) {
      changes.push({ path: `${path}/${id}`, change: 'removed', before: entry, after: null });
    }
  }
  for (const [id, entry] of present) {
    const former = old.get(id);
    if (former === undefined) {
      changes.push({ path: `${path}/${id}`, change: 'added', before: null, after: entry });
    } else changes.push(...partDifference(`${path}/${id}`, former, entry));
    yield;
  }
  const oldOrder = [...old.keys()].filter((id) => present.has(id));
  const newOrder = [...present.keys()].filter((id) => old.has(id));
  if (oldOrder.some((id, index) => id !== newOrder[index])) {
    changes.push({ path, change: 'reordered', before: oldOrder, after: newOrder });
  }
  return changes;
}

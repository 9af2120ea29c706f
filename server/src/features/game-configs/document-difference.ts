import { canonicalJson } from '../../lib/canonical-json.js';
import { runSteps, type Steps } from '../../lib/steps.js';
import { DEFAULT_PREDICTIONS } from '../../personalisation/document/default-document.js';
import type { ConfigDocument } from '../../personalisation/document/document.js';

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
export function documentDifference(before: ConfigDocument, after: ConfigDocument): DocumentChange[] {
  return runSteps(differenceSteps(before, after));
}

/** The same in steps, one for each entry. */
export function* differenceSteps(before: ConfigDocument, after: ConfigDocument): Steps<DocumentChange[]> {
  return [
    ...partDifference('flags/isPayer', before.flags.isPayer, after.flags.isPayer),
    ...(yield* listDifference(
      'flags/custom',
      before.flags.custom,
      after.flags.custom,
      ({ flagId }) => flagId,
    )),
    ...(yield* listDifference('segments', before.segments, after.segments, ({ segmentId }) => segmentId)),
    ...(yield* listDifference('catalogue', before.catalogue, after.catalogue, ({ skuId }) => skuId)),
    ...partDifference('store', before.store, after.store),
    ...(yield* listDifference('offers', before.offers, after.offers, ({ offerId }) => offerId)),
    ...partDifference(
      'predictions',
      before.predictions ?? DEFAULT_PREDICTIONS,
      after.predictions ?? DEFAULT_PREDICTIONS,
    ),
  ];
}

function partDifference(path: string, before: unknown, after: unknown): DocumentChange[] {
  return canonicalJson(before) === canonicalJson(after) ? [] : [{ path, change: 'changed', before, after }];
}

function* listDifference<T>(
  path: string,
  before: readonly T[],
  after: readonly T[],
  idOf: (entry: T) => string,
): Steps<DocumentChange[]> {
  const old = new Map(before.map((entry) => [idOf(entry), entry]));
  const present = new Map(after.map((entry) => [idOf(entry), entry]));
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

import { type ConfigDocument, type DocumentChange, isSame } from './document.js';

/**
 * Sorts a difference from their document to mine: what I changed, as it is on top of theirs, and what they changed, as it was before
 * them. `merged` is theirs with my changes on top.
 */
export function whoChanged(
  difference: readonly DocumentChange[],
  theirs: ConfigDocument,
  merged: ConfigDocument,
): { mine: DocumentChange[]; theirs: DocumentChange[] } {
  const isMine = ({ path }: DocumentChange) => !isSame(partAt(theirs, path), partAt(merged, path));
  return {
    mine: difference.filter(isMine),
    theirs: difference.filter((change) => !isMine(change)).map(turned),
  };
}

const TURNED = { added: 'removed', removed: 'added', changed: 'changed', reordered: 'reordered' } as const;

function turned({ path, change, before, after }: DocumentChange): DocumentChange {
  return { path, change: TURNED[change], before: after, after: before };
}

/** The part that a path of a difference names; of a list its ids, because such a path is about the order. */
function partAt({ flags, segments, catalogue, offers, ...others }: ConfigDocument, path: string): unknown {
  const lists: Readonly<Record<string, readonly (readonly [string, unknown])[]>> = {
    'flags/custom': flags.custom.map((each) => [each.flagId, each]),
    segments: segments.map((each) => [each.segmentId, each]),
    catalogue: catalogue.map((each) => [each.skuId, each]),
    offers: offers.map((each) => [each.offerId, each]),
  };
  for (const [name, entries] of Object.entries(lists)) {
    if (path === name) return entries.map(([id]) => id);
    if (path.startsWith(`${name}/`)) return new Map(entries).get(path.slice(name.length + 1));
  }
  return path === 'flags/isPayer' ? flags.isPayer : (others as Record<string, unknown>)[path];
}

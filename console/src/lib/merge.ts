import { type ConfigDocument, isSame } from './document.js';

/**
 * Merges two edits of one draft, entry by entry. An entry that only one editor changed is taken from that editor: a price of one SKU
 * and a new offer go together. Where both changed an entry, mine is taken and the entry is named, so that the editor looks at it.
 */
export type Merge = { document: ConfigDocument; conflicts: string[] };

export function mergeDocuments(base: ConfigDocument, mine: ConfigDocument, theirs: ConfigDocument): Merge {
  const conflicts: string[] = [];
  const part = <T>(path: string, my: T, their: T, old: T): T => {
    if (isSame(my, old)) return their;
    if (!isSame(their, old) && !isSame(my, their)) conflicts.push(path);
    return my;
  };
  const list = <T>(
    path: string,
    of: (document: ConfigDocument) => readonly T[],
    idOf: (entry: T) => string,
  ): T[] => mergeLists(of(base), of(mine), of(theirs), idOf, (id) => conflicts.push(`${path}/${id}`));
  const lists = {
    flags: {
      isPayer: part('flags/isPayer', mine.flags.isPayer, theirs.flags.isPayer, base.flags.isPayer),
      custom: list(
        'flags/custom',
        ({ flags }) => flags.custom,
        ({ flagId }) => flagId,
      ),
    },
    segments: list(
      'segments',
      ({ segments }) => segments,
      ({ segmentId }) => segmentId,
    ),
    catalogue: list(
      'catalogue',
      ({ catalogue }) => catalogue,
      ({ skuId }) => skuId,
    ),
    store: part('store', mine.store, theirs.store, base.store),
    offers: list(
      'offers',
      ({ offers }) => offers,
      ({ offerId }) => offerId,
    ),
  };
  // Every other member of a document, now or in a later version of the service, is one part.
  const names = [
    ...new Set([base, mine, theirs].flatMap((each) => Object.keys(each))),
  ] as (keyof ConfigDocument)[];
  const others = names
    .filter((name) => !(name in lists))
    .map((name) => [name, part(name, mine[name], theirs[name], base[name])] as const)
    .filter(([, value]) => value !== undefined);
  const document: ConfigDocument = { ...lists, ...Object.fromEntries(others) };
  return { document, conflicts };
}

function mergeLists<T>(
  base: readonly T[],
  mine: readonly T[],
  theirs: readonly T[],
  idOf: (entry: T) => string,
  onConflict: (id: string) => void,
): T[] {
  const byId = (list: readonly T[]) => new Map(list.map((entry) => [idOf(entry), entry]));
  const [old, ours, others] = [byId(base), byId(mine), byId(theirs)];
  // My order where I changed it, otherwise theirs; entries that only the other document has come last.
  const isReordered = !isSame(order(mine, old, idOf), order(base, ours, idOf));
  const ids = new Set([
    ...(isReordered ? [...ours.keys(), ...others.keys()] : [...others.keys(), ...ours.keys()]),
  ]);
  return [...ids].flatMap((id) => {
    const [was, my, their] = [old.get(id), ours.get(id), others.get(id)];
    const isMine = !isSame(my, was);
    if (isMine && !isSame(their, was) && !isSame(my, their)) onConflict(id);
    const kept = isMine ? my : their;
    return kept === undefined ? [] : [kept];
  });
}

/** Ids in order, of those that both have. */
function order<T>(list: readonly T[], other: ReadonlyMap<string, T>, idOf: (entry: T) => string): string[] {
  return list.map(idOf).filter((id) => other.has(id));
}

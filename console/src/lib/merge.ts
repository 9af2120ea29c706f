import { type ConfigDocument, isSame } from './document.js';
import { documentOf, entriesOf, isMembers, partsOf } from './document-parts.js';

export type Side = 'mine' | 'theirs';
/** A value that both editors changed, each to something else. Undefined where an editor removed it. */
export type Clash = Readonly<{
  /** Which one it is among the clashes of a merge. */
  key: string;
  /** The part that it is in, as in a difference: `catalogue/gems`; of an order the list itself. */
  path: string;
  /** Where it is within the part: `prices`, `USD`, `actualPrice`. */
  members: readonly string[];
  base: unknown;
  mine: unknown;
  theirs: unknown;
}>;
export type Merge = { document: ConfigDocument; clashes: Clash[] };
/** Which side is taken of a clash, by its key. Mine where nothing is chosen. */
export type Choices = Readonly<Record<string, Side>>;

type Three<T> = Readonly<{ base: T; mine: T; theirs: T }>;
type Place = Pick<Clash, 'path' | 'members'>;
type Settle = (place: Place, values: Three<unknown>) => unknown;

/**
 * Merges two edits of one draft, member by member: a new price and a new name of one SKU go together. `base` is what both began with.
 * Only a value that both changed is a clash.
 */
export function mergeDocuments(
  base: ConfigDocument,
  mine: ConfigDocument,
  theirs: ConfigDocument,
  choices: Choices = {},
): Merge {
  const clashes: Clash[] = [];
  const settle: Settle = (place, values) => {
    const key = [place.path, ...place.members].join(' › ');
    clashes.push({ key, ...place, ...values });
    return values[choices[key] ?? 'mine'];
  };
  const parts = { base: partsOf(base), mine: partsOf(mine), theirs: partsOf(theirs) };
  const paths = new Set([...parts.base.keys(), ...parts.mine.keys(), ...parts.theirs.keys()]);
  const merged = [...paths].map((path) => {
    const values = each(parts, (of) => of.get(path));
    return [path, mergePart(path, values, settle)] as const;
  });
  return { document: documentOf(new Map(merged)), clashes };
}

function mergePart(path: string, values: Three<unknown>, settle: Settle): unknown {
  const { base, mine, theirs } = each(values, (part) => entriesOf(path, part));
  if (base === undefined || mine === undefined || theirs === undefined)
    return mergeValue({ path, members: [] }, values, settle);
  const lists = { base, mine, theirs };
  return mergedIds(
    each(lists, (list) => [...list.keys()]),
    (orders) => settle({ path, members: [] }, orders),
  ).flatMap((id) => {
    const place = { path: `${path}/${id}`, members: [] };
    const entry = mergeValue(
      place,
      each(lists, (list) => list.get(id)),
      settle,
    );
    return entry === undefined ? [] : [entry];
  });
}

function mergeValue(place: Place, values: Three<unknown>, settle: Settle): unknown {
  const { base, mine, theirs } = values;
  if (isSame(mine, base)) return theirs;
  if (isSame(theirs, base) || isSame(mine, theirs)) return mine;
  if (isMembers(mine) && isMembers(theirs) && !isOneValue(place, mine, theirs)) {
    const records = { base: isMembers(base) ? base : {}, mine, theirs };
    const names = new Set(Object.values(records).flatMap((record) => Object.keys(record)));
    const members = [...names].map((name) => {
      const inner = { ...place, members: [...place.members, name] };
      const value = mergeValue(
        inner,
        each(records, (record) => record[name]),
        settle,
      );
      return [name, value] as const;
    });
    return Object.fromEntries(members.filter(([, value]) => value !== undefined));
  }
  if (isTexts(base) && isTexts(mine) && isTexts(theirs)) return mergeTexts({ base, mine, theirs });
  return settle(place, values);
}

/** Members that mean something together only: thresholds belong to one prediction, and a price is either an amount or a discount. */
function isOneValue({ path, members }: Place, mine: object, theirs: object): boolean {
  if (path.startsWith('segments/')) return members.join('/') === 'thresholds';
  const isPrice = path.startsWith('offers/') && members.join('/') === 'effect/price';
  return isPrice && !isSame(Object.keys(mine), Object.keys(theirs));
}

/** SKUs of an offer, predictions that are visible: what either editor added or removed. */
function mergeTexts({ base, mine, theirs }: Three<readonly string[]>): string[] {
  const added = mine.filter((text) => !base.includes(text) && !theirs.includes(text));
  return [...theirs.filter((text) => mine.includes(text) || !base.includes(text)), ...added];
}

/** My order where I changed it, otherwise theirs; entries that only the other document has come last. Ids of removed entries are included. */
function mergedIds(
  ids: Three<readonly string[]>,
  settleOrder: (orders: Three<readonly string[]>) => unknown,
): string[] {
  const orders = each(ids, (list) =>
    list.filter((id) => Object.values(ids).every((other) => other.includes(id))),
  );
  const { base, mine, theirs } = orders;
  const isMine = !isSame(mine, base);
  const isClash = isMine && !isSame(theirs, base) && !isSame(mine, theirs);
  const isMineFirst = isClash ? settleOrder(orders) === mine : isMine;
  return [
    ...new Set(
      isMineFirst ? [...ids.mine, ...ids.theirs, ...ids.base] : [...ids.theirs, ...ids.mine, ...ids.base],
    ),
  ];
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function each<T, U>({ base, mine, theirs }: Three<T>, of: (value: T) => U): Three<U> {
  return { base: of(base), mine: of(mine), theirs: of(theirs) };
}

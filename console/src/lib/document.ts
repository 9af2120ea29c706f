import type { Schemas } from '../api/client.js';

/** A configuration document and its parts, by the names of the API. */
export type ConfigDocument = Schemas['ConfigDocument'];
export type Sku = ConfigDocument['catalogue'][number];
export type SkuPrice = Sku['prices'][string];
export type Offer = ConfigDocument['offers'][number];
export type Segment = ConfigDocument['segments'][number];
export type CustomFlag = ConfigDocument['flags']['custom'][number];
export type GameValue = NonNullable<ConfigDocument['values']>[number];
export type Experiment = NonNullable<ConfigDocument['experiments']>[number];
export type OwnAttribute = NonNullable<ConfigDocument['attributes']>[number];
export type ValueRule = GameValue['rules'][number];
export type StoreSettings = ConfigDocument['store'];
export type Problem = Schemas['DocumentProblem'];
export type DocumentChange = Schemas['DocumentChange'];

/** The list with one entry at another place. */
export function moved<T>(list: readonly T[], from: number, to: number): T[] {
  const copy = [...list];
  const [entry] = copy.splice(from, 1);
  if (entry !== undefined) copy.splice(Math.max(0, Math.min(copy.length, to)), 0, entry);
  return copy;
}

export function replacedAt<T>(list: readonly T[], index: number, entry: T): T[] {
  return list.map((each, at) => (at === index ? entry : each));
}

/** All currencies that any SKU has a price in, the most frequent first. */
export function currenciesOf(catalogue: readonly Sku[]): string[] {
  const counts = new Map<string, number>();
  for (const { prices } of catalogue) {
    for (const currency of Object.keys(prices)) counts.set(currency, (counts.get(currency) ?? 0) + 1);
  }
  return [...counts].sort(([a, m], [b, n]) => n - m || a.localeCompare(b)).map(([currency]) => currency);
}

/** An id that is not taken: `new_sku`, `new_sku_2`. */
export function freeId(base: string, taken: readonly string[]): string {
  if (!taken.includes(base)) return base;
  for (let n = 2; ; n += 1) if (!taken.includes(`${base}_${n}`)) return `${base}_${n}`;
}

/** Problems of one part, with their pointers relative to it: `/catalogue/3/prices/USD` under `/catalogue/3` is `prices/USD`. */
export function problemsUnder(
  problems: readonly Problem[],
  pointer: string,
): (Problem & { member: string })[] {
  return problems
    .filter((each) => each.pointer === pointer || each.pointer.startsWith(`${pointer}/`))
    .map((each) => ({ ...each, member: each.pointer.slice(pointer.length + 1) }));
}

export function isSame(one: unknown, other: unknown): boolean {
  return canonical(one) === canonical(other);
}

/** Sorts members, so that documents compare as equal whatever the order of their members. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}

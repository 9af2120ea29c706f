/** ` Did you mean "country"?` for a misspelt name, or nothing when no name is near. */
export type Suggest = (name: string, names: Iterable<string>) => string;

/** Comparing names is the most expensive part of reporting mistakes, so only the first few get suggestions. */
const MAX_SUGGESTIONS = 20;
/** Longer names are not typed by hand. */
const MAX_LENGTH = 64;
/** Letters held against letters, about 10 ns each: some names of 1,000 SKUs, or all that a document of ordinary size has. */
const MAX_COMPARISONS = 3_000_000;

/** Suggestions for the first names that it is asked about, for one document or rule. */
export function createSuggest(): Suggest {
  let suggestions = MAX_SUGGESTIONS;
  const budget = { comparisons: MAX_COMPARISONS };
  return (name, names) => {
    if (suggestions === 0) return '';
    suggestions--;
    return didYouMean(nearestName(name, names, budget));
  };
}

/** The sentence about one name; empty when none is near. */
export function didYouMean(nearest: string | undefined): string {
  return nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
}

/** The name that was probably meant, or undefined when none is near. A budget that is used up ends the search for good. */
export function nearestName(
  name: string,
  names: Iterable<string>,
  budget = { comparisons: MAX_COMPARISONS },
): string | undefined {
  if (name.length > MAX_LENGTH) return undefined;
  let nearest: string | undefined;
  const wanted = name.toLowerCase();
  // A third of the letters may differ: beyond that it is another word.
  let best = Math.floor(name.length / 3) + 1;
  for (const candidate of names) {
    if (Math.abs(candidate.length - name.length) >= best) continue;
    budget.comparisons -= name.length * candidate.length;
    if (budget.comparisons < 0) return undefined;
    const distance = editDistance(wanted, candidate.toLowerCase(), best);
    if (distance < best) [nearest, best] = [candidate, distance];
  }
  return nearest;
}

/**
 * How many letters have to be changed, added, taken away or swapped with their neighbour; any number from `limit` on means that
 * there are at least so many.
 */
export function editDistance(a: string, b: string, limit: number): number {
  let last = Array.from({ length: b.length + 1 }, (_, n) => n);
  let [beforeLast, row] = [last.slice(), last.slice()];
  for (let i = 1; i <= a.length; i++) {
    const letter = a.charCodeAt(i - 1);
    const former = a.charCodeAt(i - 2);
    let least = i;
    row[0] = i;
    for (let j = 1; j <= b.length; j++) {
      const other = b.charCodeAt(j - 1);
      const change = (last[j - 1] ?? 0) + (letter === other ? 0 : 1);
      let distance = Math.min(change, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1);
      if (i > 1 && j > 1 && letter === b.charCodeAt(j - 2) && former === other) {
        distance = Math.min(distance, (beforeLast[j - 2] ?? 0) + 1);
      }
      row[j] = distance;
      if (distance < least) least = distance;
    }
    // A swap reaches back over one row, but costs more than it saves: it never falls again below the least of a row.
    if (least >= limit) return limit;
    [beforeLast, last, row] = [last, row, beforeLast];
  }
  return last[b.length] ?? 0;
}

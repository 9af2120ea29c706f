/** ` Did you mean "country"?` for a misspelt name, or nothing when no name is near. */
export type Suggest = (name: string, names: Iterable<string>) => string;

/** Comparing names is the most expensive part of telling mistakes: who makes more of them reads the first few first. */
const MAX_SUGGESTIONS = 20;
/** Longer names are not typed by hand. */
const MAX_LENGTH = 64;
/** Letters held against letters, about 10 ns each: some names of 1,000 SKUs, or all that a document of ordinary size has. */
const MAX_COMPARISONS = 3_000_000;

/** Suggestions for the first names that it is asked about, for one document or rule. */
export function createSuggest(): Suggest {
  let suggestions = MAX_SUGGESTIONS;
  let comparisons = MAX_COMPARISONS;
  return (name, names) => {
    if (name.length > MAX_LENGTH || suggestions === 0) return '';
    suggestions--;
    let nearest: string | undefined;
    const wanted = name.toLowerCase();
    // A third of the letters may differ: beyond that it is another word.
    let best = Math.floor(name.length / 3) + 1;
    for (const candidate of names) {
      if (Math.abs(candidate.length - name.length) >= best) continue;
      comparisons -= name.length * candidate.length;
      if (comparisons < 0) return '';
      const distance = editDistance(wanted, candidate.toLowerCase(), best);
      if (distance < best) [nearest, best] = [candidate, distance];
    }
    return nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
  };
}

/** How many letters have to be changed; any number from `limit` on means that there are at least so many. */
function editDistance(a: string, b: string, limit: number): number {
  let previous = Array.from({ length: b.length + 1 }, (_, n) => n);
  let row = previous.slice();
  for (let i = 1; i <= a.length; i++) {
    const letter = a.charCodeAt(i - 1);
    let least = i;
    row[0] = i;
    for (let j = 1; j <= b.length; j++) {
      const swap = (previous[j - 1] ?? 0) + (letter === b.charCodeAt(j - 1) ? 0 : 1);
      const distance = Math.min(swap, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1);
      row[j] = distance;
      if (distance < least) least = distance;
    }
    // It never falls again below the least of a row.
    if (least >= limit) return limit;
    [previous, row] = [row, previous];
  }
  return previous[b.length] ?? 0;
}

/** The code points that one place of a pattern accepts: ranges, and Unicode properties, whose tables the runtime has. */
export type CodePointSet = Readonly<{ ranges: Ranges; properties: readonly RegExp[]; isNegated: boolean }>;

/** `from, to, from, to` and so on, both included. Sorted and apart in a set. */
export type Ranges = readonly number[];

const LAST_CODE_POINT = 0x10ffff;

export const DIGITS: Ranges = [0x30, 0x39];
export const WORD: Ranges = [0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a];
export const LINE_ENDS: Ranges = [0x0a, 0x0a, 0x0d, 0x0d, 0x2028, 0x2029];
/** White space and line ends of ECMAScript. */
export const SPACE: Ranges = [
  0x09, 0x0d, 0x20, 0x20, 0xa0, 0xa0, 0x1680, 0x1680, 0x2000, 0x200a, 0x2028, 0x2029, 0x202f, 0x202f, 0x205f,
  0x205f, 0x3000, 0x3000, 0xfeff, 0xfeff,
];

export function createSet(
  ranges: Ranges,
  properties: readonly RegExp[] = [],
  isNegated = false,
): CodePointSet {
  return { ranges: sortRanges(ranges), properties, isNegated };
}

export function isInSet({ ranges, properties, isNegated }: CodePointSet, codePoint: number): boolean {
  return (isInRanges(ranges, codePoint) || hasProperty(properties, codePoint)) !== isNegated;
}

export function isWordCharacter(codePoint: number): boolean {
  return isInRanges(WORD, codePoint);
}

/** The code points that are in none of these sorted ranges. */
export function outsideOf(ranges: Ranges): number[] {
  const outside: number[] = [];
  let from = 0;
  for (let at = 0; at < ranges.length; at += 2) {
    const [first = 0, last = 0] = [ranges[at], ranges[at + 1]];
    if (first > from) outside.push(from, first - 1);
    from = last + 1;
  }
  if (from <= LAST_CODE_POINT) outside.push(from, LAST_CODE_POINT);
  return outside;
}

function hasProperty(properties: readonly RegExp[], codePoint: number): boolean {
  if (properties.length === 0) return false;
  const text = String.fromCodePoint(codePoint);
  return properties.some((property) => property.test(text));
}

/** A binary search for the last range that begins at or before the code point. */
function isInRanges(ranges: Ranges, codePoint: number): boolean {
  let low = 0;
  let high = ranges.length / 2;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[2 * middle] ?? 0) <= codePoint) low = middle + 1;
    else high = middle;
  }
  return low > 0 && codePoint <= (ranges[2 * low - 1] ?? 0);
}

function sortRanges(ranges: Ranges): number[] {
  const pairs: [number, number][] = [];
  for (let at = 0; at < ranges.length; at += 2) pairs.push([ranges[at] ?? 0, ranges[at + 1] ?? 0]);
  pairs.sort(([a], [b]) => a - b);
  const merged: number[] = [];
  for (const [first, last] of pairs) {
    const end = merged.length - 1;
    const before = merged[end] ?? -2;
    if (first > before + 1) merged.push(first, last);
    else merged[end] = Math.max(before, last);
  }
  return merged;
}

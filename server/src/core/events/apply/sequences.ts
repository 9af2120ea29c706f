/** Numbers from `first` to `last`, both included. */
export type SequenceRange = { first: number; last: number };

/** A set of numbers as ranges in ascending order that neither overlap nor touch. */
export type SequenceSet = readonly SequenceRange[];

/** Sorted ascending, each once. */
export function rangesOf(numbers: readonly number[]): SequenceRange[] {
  const ranges: SequenceRange[] = [];
  let open: SequenceRange | undefined;
  for (const number of numbers) {
    if (open !== undefined && number === open.last + 1) open.last = number;
    else {
      open = { first: number, last: number };
      ranges.push(open);
    }
  }
  return ranges;
}

/** `{[1,50],[60,60]}`: as PostgreSQL reads an int8multirange. */
export function formatRanges(ranges: SequenceSet): string {
  return `{${ranges.map(({ first, last }) => `[${first},${last}]`).join(',')}}`;
}

const RANGE = /\[(\d+),(\d+)\)/g;

/** Reads what PostgreSQL writes for an int8multirange: `{[1,51),[60,61)}`. */
export function parseRanges(text: string): SequenceRange[] {
  return Array.from(text.matchAll(RANGE), ([, first, end]) => ({
    first: Number(first),
    last: Number(end) - 1,
  }));
}

/** What is missing below the highest number. */
export function gapsOf(set: SequenceSet): SequenceRange[] {
  const gaps: SequenceRange[] = [];
  let next = 1;
  for (const { first, last } of set) {
    if (first > next) gaps.push({ first: next, last: first - 1 });
    next = last + 1;
  }
  return gaps;
}

export type AddedSequences = {
  /** The set with all that was added. */
  seen: SequenceRange[];
  /** Numbers that were in the set before. */
  known: Set<number>;
  /** Numbers that were left out, because one more gap would be over the limit. */
  tooSparse: Set<number>;
};

/**
 * Adds numbers, sorted ascending and each once, to a set. A number that would open one more gap than allowed is left out:
 * a client that leaves gaps on purpose must not make the set grow without end.
 */
export function addSequences(set: SequenceSet, numbers: readonly number[], maxGaps: number): AddedSequences {
  const seen = set.map((range) => ({ ...range }));
  const known = new Set<number>();
  const tooSparse = new Set<number>();
  for (const number of numbers) {
    const at = seen.findIndex(({ last }) => last >= number - 1);
    const near = at === -1 ? undefined : seen[at];
    if (near !== undefined && near.first <= number && number <= near.last) known.add(number);
    else if (near !== undefined && near.last === number - 1) extendUp(seen, at, number);
    else if (near !== undefined && near.first === number + 1) near.first = number;
    else if (countGaps(seen) + 1 > maxGaps && number !== 1) tooSparse.add(number);
    else seen.splice(at === -1 ? seen.length : at, 0, { first: number, last: number });
  }
  return { seen, known, tooSparse };
}

function extendUp(seen: SequenceRange[], at: number, number: number): void {
  const range = seen[at] as SequenceRange;
  const next = seen[at + 1];
  range.last = number;
  if (next !== undefined && next.first === number + 1) {
    range.last = next.last;
    seen.splice(at + 1, 1);
  }
}

function countGaps(seen: SequenceSet): number {
  return seen.length === 0 ? 0 : seen.length - (seen[0]?.first === 1 ? 1 : 0);
}

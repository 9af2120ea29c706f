/** What happened at a position of a chart, such as a publication. */
export type Mark = { place: number; label: string; kind: 'version' | 'build'; title: string };

/** A label in one of the rows above the chart, from one pixel to another. Row null: there was no room for it. */
export type PlacedMark = Mark & { row: number | null; from: number; to: number };

/** Pixels of a letter, on the safe side. */
const LETTER_WIDTH = 7;
const GAP = 8;

/**
 * Puts each label into the first row in which it covers no other. Labels that find no room are left out: the line and its title stay,
 * and the list below the chart names them.
 */
export function placeMarks(
  marks: readonly Mark[],
  { x, right, rows }: { x: (place: number) => number; right: number; rows: number },
): PlacedMark[] {
  const ends: number[] = Array.from({ length: rows }, () => Number.NEGATIVE_INFINITY);
  return marks
    .toSorted((one, other) => one.place - other.place)
    .map((mark) => {
      const width = mark.label.length * LETTER_WIDTH;
      const at = x(mark.place);
      // At the right end, a label stands before its line.
      const from = at + width > right ? at - width : at;
      const row = ends.findIndex((end) => end + GAP <= from);
      if (row < 0) return { ...mark, row: null, from, to: from + width };
      ends[row] = from + width;
      return { ...mark, row, from, to: from + width };
    });
}

/** Several publications of one day are one mark: `v3–v5`. */
export function versionMarks(
  versions: readonly { version: number; publishedAt: string; author: string; note: string }[],
  days: readonly string[],
): Mark[] {
  return days.flatMap((day, place) => {
    const ofDay = versions
      .filter(({ publishedAt }) => publishedAt.startsWith(day))
      .toSorted((one, other) => one.version - other.version);
    const [first, last] = [ofDay[0], ofDay.at(-1)];
    if (first === undefined || last === undefined) return [];
    const label = first === last ? `v${first.version}` : `v${first.version}–v${last.version}`;
    const title = ofDay
      .map(({ version, author, note }) => `v${version} by ${author}${note === '' ? '' : `: ${note}`}`)
      .join('; ');
    return [{ place, label, kind: 'version' as const, title }];
  });
}

/** Builds that came up on one day are one mark: `1.4.0 +2`. */
export function buildMarks(
  builds: readonly { build: string; firstDay: string }[],
  days: readonly string[],
): Mark[] {
  return days.flatMap((day, place) => {
    const names = builds.filter(({ firstDay }) => firstDay === day).map(({ build }) => build);
    const [first, ...others] = names;
    if (first === undefined) return [];
    const label = others.length === 0 ? first : `${first} +${others.length}`;
    return [{ place, label: clipped(label), kind: 'build' as const, title: `build ${names.join(', ')}` }];
  });
}

/** Clients choose the names of builds. */
function clipped(label: string): string {
  return label.length > 16 ? `${label.slice(0, 15)}…` : label;
}

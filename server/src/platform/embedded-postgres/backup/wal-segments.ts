/** initdb's default, which every cluster of Savepoint has. */
export const SEGMENT_BYTES = 16 * 1024 ** 2;
const SEGMENTS_PER_LOG = 2 ** 32 / SEGMENT_BYTES;

const SEGMENT = /^[0-9A-F]{24}$/;
const HISTORY = /^[0-9A-F]{8}\.history$/;

export const isSegment = (name: string): boolean => SEGMENT.test(name);
/** Says from which timeline another one branched off. */
export const isHistory = (name: string): boolean => HISTORY.test(name);

/** The timeline of a segment: eight hexadecimal digits. A restore begins a new one. */
export const timelineOf = (segment: string): string => segment.slice(0, 8);

/** Where a segment stands in the log, on any timeline. */
export function positionOf(segment: string): number {
  return (
    Number.parseInt(segment.slice(8, 16), 16) * SEGMENTS_PER_LOG + Number.parseInt(segment.slice(16), 16)
  );
}

/** `000000010000000000000003` follows `000000010000000000000002`. */
export function segmentAfter(segment: string): string {
  const position = positionOf(segment) + 1;
  return (
    timelineOf(segment) + hex(Math.floor(position / SEGMENTS_PER_LOG)) + hex(position % SEGMENTS_PER_LOG)
  );
}

/** Both included. Empty if the second comes before the first. */
export function segmentsBetween(first: string, last: string): string[] {
  const segments: string[] = [];
  for (let segment = first; positionOf(segment) <= positionOf(last); segment = segmentAfter(segment))
    segments.push(segment);
  return segments;
}

/** The segments from `first` on for as long as none is missing. */
export function unbrokenFrom(first: string, available: ReadonlySet<string>): string[] {
  const segments: string[] = [];
  for (let segment = first; available.has(segment); segment = segmentAfter(segment)) segments.push(segment);
  return segments;
}

/** The position in the log at which a segment begins, as PostgreSQL writes it: `0/3000000`. */
export function startOf(segment: string): string {
  const position = positionOf(segment);
  const offset = (position % SEGMENTS_PER_LOG) * SEGMENT_BYTES;
  return `${Math.floor(position / SEGMENTS_PER_LOG).toString(16)}/${offset.toString(16)}`.toUpperCase();
}

function hex(part: number): string {
  return part.toString(16).toUpperCase().padStart(8, '0');
}

/**
 * What is sent in one request, unchanged however often it is tried. Its events are numbered from `first` without gaps, within the
 * installation under whose name it is sent.
 */
export type Batch = {
  install: string;
  first: number;
  /** Each as JSON, without its number. */
  events: string[];
  bytes: number;
  /** How often it was sent. Nothing is added to a batch that was sent. */
  tries: number;
  /** The run of the game that made it. Only that run adds events to it. */
  run: string;
};

/** `"seq":1234567890,` and the comma between events. */
const NUMBER_BYTES = 24;

/** Characters of more than one byte in UTF-8. Most events have none, and this search takes an eighth of the time that a count takes. */
const WIDE = /[\u0080-\uffff]/g;

/** What an event takes in a request. Never too low: half of a surrogate pair counts three bytes, not two. */
export function eventBytes(event: string): number {
  let bytes = event.length + NUMBER_BYTES;
  for (const character of event.match(WIDE) ?? []) bytes += character > '\u07ff' ? 2 : 1;
  return bytes;
}

/** What several events take. */
export function bytesOf(events: readonly string[]): number {
  return events.reduce((sum, event) => sum + eventBytes(event), 0);
}

/** The body of the request. */
export function batchBody({ first, events }: Batch): string {
  return `[${events.map((event, index) => `${event.slice(0, -1)},"seq":${first + index}}`)}]`;
}

import { readRecords, writeRecords } from './storage/records.js';

/**
 * What is sent in one request, unchanged however often it is tried. Its events are numbered from `first` on, within the
 * installation under whose name it is sent.
 */
export type Batch = {
  install: string;
  first: number;
  /** Each as JSON, without its number. An event that was damaged is empty, so that those after it keep their numbers. */
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
  return soundOnly(events).reduce((sum, event) => sum + eventBytes(event), 0);
}

/** Without those that were damaged: what a request holds. */
export function soundOnly(events: readonly string[]): string[] {
  return events.filter((event) => event !== '');
}

/** The number after its last event. */
export function endOf({ first, events }: Batch): number {
  return first + events.length;
}

/** The body of the request. */
export function batchBody({ first, events }: Batch): string {
  const numbered = events.map((event, index) => event && `${event.slice(0, -1)},"seq":${first + index}}`);
  return `[${soundOnly(numbered)}]`;
}

/** The batch as it is stored. Each event stands in a record of its own with its number, so it can be sent without the others. */
export function writeBatch(batch: Batch): string {
  const { install, first, events, tries, run } = batch;
  const entries = events.map((event, index) => event && `${install} ${first + index} ${event}`);
  return writeRecords([JSON.stringify({ tries, run, end: endOf(batch) }), ...soundOnly(entries)]);
}

/** The stored batch without what is damaged; undefined where no event is left. */
export function readBatch(stored: unknown): { batch: Batch | undefined; isDamaged: boolean } {
  const { records, isDamaged } = readRecords(stored);
  let batch: Batch | undefined;
  // Without its head, it may have been sent, and by any run.
  let head: { tries: number; run: string; end?: number } = { tries: 1, run: '' };
  for (const record of records) {
    const [, install = '', seq = '', event = ''] = /^(\w+) (\d+) (\{.*)$/s.exec(record) ?? [];
    if (event === '') head = JSON.parse(record);
    else {
      batch ??= { install, first: Number(seq), events: [], bytes: 0, tries: 0, run: '' };
      batch.events[Number(seq) - batch.first] = event;
    }
  }
  if (batch === undefined) return { batch, isDamaged: true };
  const { tries, run, end } = head;
  const events = Array.from(batch.events, (event) => event ?? '');
  const isCut = batch.first + events.length !== end;
  return { batch: { ...batch, events, bytes: bytesOf(events), tries, run }, isDamaged: isDamaged || isCut };
}

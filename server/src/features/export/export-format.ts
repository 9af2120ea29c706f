import type { ExportedEvent } from './export-queries.js';

export const EXPORT_FORMATS = ['ndjson', 'csv'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** What stands before the first event. */
export const HEADERS: Record<ExportFormat, string> = {
  ndjson: '',
  csv: 'userId,eventId,eventType,timestamp,receivedAt,clockSuspect,payload,metadata\r\n',
};

export const formatEvent: Record<ExportFormat, (event: ExportedEvent) => string> = {
  ndjson: toJsonLine,
  csv: toCsvLine,
};

/** Payload and metadata are JSON text already and are put in as they are. */
function toJsonLine(event: ExportedEvent): string {
  const eventId = event.eventId === null ? 'null' : JSON.stringify(event.eventId);
  return `{"userId":"${event.userId}","eventId":${eventId},"eventType":${JSON.stringify(event.eventType)},"timestamp":"${event.timestamp}","receivedAt":"${event.receivedAt}","clockSuspect":${event.clockSuspect},"payload":${event.payload},"metadata":${event.metadata}}\n`;
}

/** RFC 4180. An event without an id has an empty field; an id is never empty. */
function toCsvLine(event: ExportedEvent): string {
  return `${event.userId},${quote(event.eventId ?? '')},${quote(event.eventType)},${event.timestamp},${event.receivedAt},${event.clockSuspect},${quote(event.payload)},${quote(event.metadata)}\r\n`;
}

const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/;

function quote(text: string): string {
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

import { csvRow } from '../../platform/lib/csv-writer.js';
import { isoTime } from '../../platform/lib/iso-time.js';
import { escapeFormulas, escapeFormulasInJson } from '../../platform/lib/spreadsheet-formulas.js';
import type { ExportedChange } from './export-changes.js';
import type { ExportedEvent } from './export-queries.js';

export const EXPORT_FORMATS = ['ndjson', 'csv'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** What stands before the first event. */
export const HEADERS: Record<ExportFormat, string> = {
  ndjson: '',
  csv: csvRow([
    'userId',
    'eventId',
    'eventType',
    'timestamp',
    'receivedAt',
    'clockSuspect',
    'payload',
    'metadata',
  ]),
};

export const formatEvent: Record<ExportFormat, (event: ExportedEvent) => string> = {
  ndjson: toJsonLine,
  csv: toCsvLine,
};

/** Payload and metadata are JSON text already and are put in as they are. */
function toJsonLine(event: ExportedEvent): string {
  const eventId = event.eventId === null ? 'null' : JSON.stringify(event.eventId);
  return `{"userId":"${event.userId}","eventId":${eventId},"eventType":${JSON.stringify(event.eventType)},"timestamp":"${event.timestamp}","receivedAt":"${event.receivedAt}","clockSuspect":${event.clockSuspect}${importPart(event)},"payload":${event.payload},"metadata":${event.metadata}}\n`;
}

/** Not an event, so without an eventType: whoever reads events only can tell it by that. */
export function formatChange(change: ExportedChange): string {
  const { userId, transactionId, kind, atMs, recordedAtMs, share, refundedAtMs } = change;
  const said =
    share === null ? {} : { share, refundedAt: refundedAtMs === null ? null : isoTime(refundedAtMs) };
  const times = { at: isoTime(atMs), recordedAt: isoTime(recordedAtMs) };
  return `${JSON.stringify({ kind: 'transactionChange', userId, transactionId, change: kind, ...times, ...said })}\n`;
}

/** What an import needs beside the content: to recognise the event, and what a purchase counted as. Left out where there is nothing to say. */
function importPart({ installId, seq, ordinal, sale }: ExportedEvent): string {
  const install = installId === null ? '' : `,"installId":${JSON.stringify(installId)}`;
  const number = seq === null ? '' : `,"seq":${seq}`;
  const place = ordinal === 0 ? '' : `,"ordinal":${ordinal}`;
  return `${install}${number}${place}${sale === null ? '' : `,"sale":${sale}`}`;
}

/** An event without an id has an empty field; an id is never empty. All texts are the players'. */
function toCsvLine(event: ExportedEvent): string {
  return csvRow([
    event.userId,
    event.eventId === null ? null : escapeFormulas(event.eventId),
    escapeFormulas(event.eventType),
    event.timestamp,
    event.receivedAt,
    String(event.clockSuspect),
    escapeFormulasInJson(event.payload),
    escapeFormulasInJson(event.metadata),
  ]);
}

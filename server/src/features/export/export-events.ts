import { type OwnConnection, walkByIndex, withOwnConnection } from '../../db/own-connection.js';
import type { Pool } from '../../db/pool.js';
import { listEventPartitions } from '../maintenance/event-partitions.js';
import { type ExportFormat, formatEvent, HEADERS } from './export-format.js';
import { type ExportKey, type ExportPage, keyBefore, listEventsAfter } from './export-queries.js';
import { cutSpan, type Span } from './export-span.js';
import type { ExportTarget } from './export-target.js';

/** An event is 32 KiB at the most, so two pages, the one being written and the next, are 128 MB at the very worst. */
const PAGE_EVENTS = 2_000;

export type ExportOptions = {
  gameId: number;
  span: Span;
  format: ExportFormat;
  target: ExportTarget;
  /** Where an earlier run ended; null at the beginning. */
  after: ExportKey | null;
  /** Ends the export after the page at work. */
  signal?: AbortSignal;
  onProgress?: (exported: { events: number; at: string }) => void;
};

/**
 * Writes a game's events in the order of their own time, page by page. Events that come in behind the page at work,
 * because their time is long past, are not in it.
 */
export async function exportEvents(pool: Pool, options: ExportOptions): Promise<'done' | 'interrupted'> {
  const { target } = options;
  let state: 'done' | 'interrupted' | undefined;
  try {
    if (options.after === null) await target.write(HEADERS[options.format], 0, null);
    state = await withOwnConnection(pool, (connection) => writeAll(connection, options));
  } finally {
    // Also after an error: what was written can be gone on with.
    await (state === 'done' ? target.finish() : target.pause());
  }
  return state;
}

async function writeAll(connection: OwnConnection, options: ExportOptions): Promise<'done' | 'interrupted'> {
  const { span, format, target, signal, onProgress } = options;
  await walkByIndex(connection);
  const partitions = await listEventPartitions(connection);
  const pieces = cutSpan(
    { from: options.after?.at ?? span.from, to: span.to },
    partitions.map(({ day }) => day),
  );
  let after = options.after ?? keyBefore(span.from);
  let events = 0;
  for (const piece of pieces) {
    if (piece.from > after.at) after = keyBefore(piece.from);
    for await (const page of pagesOf(connection, options.gameId, piece, after)) {
      events += page.events.length;
      after = page.lastKey;
      await target.write(page.events.map(formatEvent[format]).join(''), page.events.length, after);
      onProgress?.({ events, at: after.at });
      if (signal?.aborted) return 'interrupted';
    }
    if (signal?.aborted) return 'interrupted';
  }
  return 'done';
}

/** While a page is written the next one is read. */
async function* pagesOf(
  connection: OwnConnection,
  gameId: number,
  piece: Span,
  start: ExportKey,
): AsyncGenerator<ExportPage & { lastKey: ExportKey }> {
  const read = (after: ExportKey) => {
    const page = listEventsAfter(connection, gameId, piece, after, PAGE_EVENTS);
    // If writing fails first nobody waits for it any more.
    page.catch(() => {});
    return page;
  };
  let page = await read(start);
  while (page.lastKey !== undefined) {
    const next = page.events.length < PAGE_EVENTS ? undefined : read(page.lastKey);
    yield { ...page, lastKey: page.lastKey };
    if (next === undefined) return;
    page = await next;
  }
}

import { type OwnConnection, walkByIndex, withOwnConnection } from '../../db/own-connection.js';
import type { Pool } from '../../db/pool.js';
import { holdOldEvents } from '../events/move-old-queries.js';
import { type ExportFormat, formatEvent, HEADERS } from './export-format.js';
import {
  type ExportKey,
  type ExportPage,
  FIRST_KEY,
  listEventsAfter,
  listOldEventsAfter,
  type OldExportKey,
} from './export-queries.js';
import type { Span } from './export-span.js';
import { ExportFileError, type ExportTarget } from './export-target.js';

/** An event is 32 KiB at the most, so two pages, the one being written and the next, are 160 MB at the very worst. */
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
 * Writes a game's events whose own time lies in the span, in the order of their receipt, page by page. What is received
 * meanwhile comes at the end.
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
  const { format, target, signal, onProgress, after } = options;
  await walkByIndex(connection);
  // Of two indexes with the time of receipt only that of the game gives the blocks in order.
  await connection.query('set enable_sort = off');
  const hasOldEvents = await holdOldEvents(connection);
  if (hasOldEvents && after !== null) throw new ExportFileError(STILL_MOVING);
  let events = 0;
  for await (const page of pagesOf(connection, options)) {
    events += page.events.length;
    await target.write(page.events.map(formatEvent[format]).join(''), page.events.length, page.lastKey);
    onProgress?.({ events, at: page.lastKey.receivedAt });
    if (signal?.aborted) return 'interrupted';
  }
  if (!hasOldEvents) return 'done';
  for await (const page of oldPagesOf(connection, options)) {
    await target.write(page.map(formatEvent[format]).join(''), page.length, null);
    if (signal?.aborted) return 'interrupted';
  }
  return 'done';
}

const STILL_MOVING =
  'Events of an older version are still being moved into blocks, so an export cannot be resumed yet. Delete the file and start anew, or wait: savepoint doctor tells how many are left.';

async function* oldPagesOf(connection: OwnConnection, { gameId, span }: ExportOptions) {
  let key: OldExportKey | undefined;
  for (;;) {
    const page = await listOldEventsAfter(connection, gameId, span, key, PAGE_EVENTS);
    if (page.lastKey === undefined) return;
    key = page.lastKey;
    yield page.events;
  }
}

/** While a page is written the next one is read. */
async function* pagesOf(
  connection: OwnConnection,
  { gameId, span, after }: ExportOptions,
): AsyncGenerator<ExportPage & { lastKey: ExportKey }> {
  const read = (key: ExportKey) => {
    const page = listEventsAfter(connection, gameId, span, key, PAGE_EVENTS);
    // If writing fails first nobody waits for it any more.
    page.catch(() => {});
    return page;
  };
  let page = await read(after ?? FIRST_KEY);
  while (page.lastKey !== undefined) {
    const next = read(page.lastKey);
    yield { ...page, lastKey: page.lastKey };
    page = await next;
  }
}

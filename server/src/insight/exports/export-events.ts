import {
  type DedicatedConnection,
  inTransaction,
  walkByIndex,
  withDedicatedConnection,
} from '../../platform/db/dedicated-connection.js';
import type { Pool } from '../../platform/db/pool.js';
import { readAhead } from '../../platform/lib/read-ahead.js';
import type { Span } from '../../studio/jobs/export-span.js';
import { changePages } from './export-changes.js';
import { type ExportFormat, formatChange, formatEvent, HEADERS } from './export-format.js';
import {
  type ExportKey,
  type ExportPage,
  FIRST_KEY,
  LAST_BLOCK,
  listEventsAfter,
  NO_BLOCK,
  type Row,
  splitLastInstant,
  toPage,
} from './export-queries.js';
import { ExportFileError, type ExportTarget } from './export-target.js';
import { closeWindow, fetchWindow, findWindowAfter, holdWindows, openWindow } from './window-queries.js';

/** An event is 32 KiB at most, so two pages, the one being written and the next, are 160 MB at the very worst. */
const PAGE_EVENTS = 2_000;

export type ExportOptions = {
  gameId: number;
  span: Span;
  format: ExportFormat;
  target: ExportTarget;
  /** Where an earlier run ended; null at the beginning. */
  after: ExportKey | null;
  /** Ends the export after the current page. */
  signal?: AbortSignal;
  onProgress?: (exported: { events: number; at: string }) => void;
};

/**
 * Writes a game's events whose own time lies in the span, in the order of their receipt, page by page. What is received
 * meanwhile comes at the end. Behind the events of NDJSON come the changes of transactions that no event tells of: an import
 * needs them. A table has no column for them.
 */
export async function exportEvents(pool: Pool, options: ExportOptions): Promise<'done' | 'interrupted'> {
  const { target } = options;
  let state: 'done' | 'interrupted' | undefined;
  try {
    if (options.after === null) await target.write(HEADERS[options.format], 0, null);
    state = await withDedicatedConnection(pool, (connection) => writeAll(connection, options));
  } finally {
    // Also after an error: the next run continues from what was written.
    await (state === 'done' ? target.finish() : target.pause());
  }
  return state;
}

async function writeAll(
  connection: DedicatedConnection,
  options: ExportOptions,
): Promise<'done' | 'interrupted'> {
  const { gameId, span, format, target, signal, onProgress } = options;
  await walkByIndex(connection);
  // Of two indexes with the time of receipt only that of the game gives the blocks in order.
  await connection.query('set enable_sort = off');
  let events = 0;
  let key = options.after ?? FIRST_KEY;
  const pages = key.change === undefined ? readAhead(pagesOf(connection, gameId, span, key)) : [];
  for await (const page of pages) {
    events += page.events.length;
    key = page.lastKey;
    await target.write(page.events.map(formatEvent[format]).join(''), page.events.length, key);
    onProgress?.({ events, at: key.receivedAt });
    if (signal?.aborted) return 'interrupted';
  }
  if (format !== 'ndjson') return 'done';
  for await (const { changes, lastKey } of readAhead(changePages(connection, gameId, span, key.change))) {
    await target.write(changes.map(formatChange).join(''), 0, { ...key, change: lastKey });
    if (signal?.aborted) return 'interrupted';
  }
  return 'done';
}

type FullPage = ExportPage & { lastKey: ExportKey };

/** Pages of blocks, up to where a window of receipt begins, and the window itself; and so on. */
async function* pagesOf(
  connection: DedicatedConnection,
  gameId: number,
  span: Span,
  after: ExportKey,
): AsyncGenerator<FullPage> {
  let key = after;
  for (;;) {
    const next = await inTransaction(connection, () => readNext(connection, gameId, span, key));
    if ('window' in next) {
      let lastKey: ExportKey | undefined;
      for await (const page of windowPages(connection)) {
        yield page;
        lastKey = page.lastKey;
      }
      const { isOver, end } = next.window;
      key = lastKey === undefined || isOver ? { receivedAt: end, blockId: NO_BLOCK } : lastKey;
    } else if (next.lastKey !== undefined) {
      yield { ...next, lastKey: next.lastKey };
      key = next.lastKey;
    } else if (next.until !== undefined) key = { receivedAt: next.until, blockId: NO_BLOCK };
    else return;
  }
}

/** The next page of blocks; or the window that the key lies in, opened. */
async function readNext(connection: DedicatedConnection, gameId: number, span: Span, key: ExportKey) {
  await holdWindows(connection);
  const window = await findWindowAfter(connection, key.receivedAt);
  if (window?.hasBegun !== true) {
    const page = await listEventsAfter(
      connection,
      gameId,
      span,
      key,
      window?.start ?? 'infinity',
      PAGE_EVENTS,
    );
    return { ...page, until: window?.start };
  }
  if (key.blockId !== NO_BLOCK && key.blockId !== LAST_BLOCK) throw new ExportFileError(BLOCKS_REPLACED);
  await openWindow(connection, gameId, span, window, key);
  return { window };
}

const BLOCKS_REPLACED =
  'The export was interrupted between thousands of events received within one millisecond, and these events have been stored in another way since. Delete the file and start anew.';

async function* windowPages(connection: DedicatedConnection): AsyncGenerator<FullPage> {
  let rows: Row[] = [];
  for (;;) {
    const fetched = await fetchWindow(connection, PAGE_EVENTS);
    rows = [...rows, ...fetched];
    const isEnd = fetched.length === 0;
    const { whole, last } = isEnd ? { whole: rows, last: [] } : splitLastInstant(rows);
    const { events, lastKey } = toPage(whole);
    if (lastKey !== undefined) yield { events, lastKey };
    if (isEnd) break;
    rows = last;
  }
  await closeWindow(connection);
}

import { type FileHandle, open, readFile, stat, unlink } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { writeFileDurably } from '../../platform/lib/durable-file.js';
import { writeToStream } from '../../platform/lib/write-to-stream.js';
import type { Span } from '../../studio/jobs/export-span.js';
import { createChunks } from './export-chunks.js';
import type { ExportFormat } from './export-format.js';
import type { ExportKey } from './export-queries.js';

/** Where an export goes. */
export type ExportTarget = {
  /** Takes text; `key` is that of the last event in it. Resolves when more can be taken. */
  write(text: string, events: number, key: ExportKey | null): Promise<void>;
  /** Makes everything written durable; after `finish` nothing is left to resume. */
  pause(): Promise<void>;
  finish(): Promise<void>;
};

/** What is exported: a file is only resumed by an export of the same. */
export type ExportSubject = Span & { tenant: string; game: string; format: ExportFormat };

/** The sidecar of an unfinished file: its first `bytes` bytes hold exactly the `events` events up to `key`. */
export type ExportCursor = ExportSubject & {
  version: 2;
  bytes: number;
  events: number;
  key: ExportKey | null;
};

/** A stream read by another process: there is nothing to resume. The signal ends the wait for a reader that does not read. */
export function streamTarget(stream: Writable, signal?: AbortSignal): ExportTarget {
  return {
    write: (text) => writeToStream(stream, text, signal),
    pause: async () => {},
    finish: async () => {},
  };
}

export type FileTarget = ExportTarget & { cursor: Readonly<ExportCursor> };

export class ExportFileError extends Error {
  override readonly name = 'ExportFileError';
}

/**
 * A file that can be gone on with after any interruption:
 *
 *   cursor (0 bytes) ──► file ──► [ chunk ──► fsync ──► cursor ] … ──► cursor deleted
 *
 * The cursor is written after what it covers is on the disk, so the file may be longer than it says, never shorter:
 * going on begins with cutting off the rest. Of a .gz file every chunk is a member of its own, which may be cut there;
 * gzip reads the members one after another as one file.
 */
export async function openFileTarget(
  path: string,
  subject: ExportSubject,
  options: { resume: boolean },
): Promise<FileTarget> {
  const known = await readCursor(path);
  if (options.resume) refuseOtherSubject(path, known, subject);
  const size = await sizeOf(path);
  if (size !== undefined && known === undefined && options.resume) {
    throw new ExportFileError(
      `There is nothing to resume: ${path} has no ${cursorPath(path)} beside it, so it is complete.`,
    );
  }
  if (size !== undefined && !options.resume) {
    throw new ExportFileError(
      known === undefined
        ? `${path} exists already. Delete it, or choose another name.`
        : `${path} is an unfinished export. Go on with it with --resume, or delete it.`,
    );
  }
  const cursor: ExportCursor = (options.resume && known) || {
    version: 2,
    ...subject,
    bytes: 0,
    events: 0,
    key: null,
  };
  if ((size ?? 0) < cursor.bytes) {
    throw new ExportFileError(
      `${path} is shorter than ${cursorPath(path)} says. Delete both and start again.`,
    );
  }
  await writeCursor(path, cursor);
  const file = await open(path, size === undefined ? 'wx' : 'r+');
  await file.truncate(cursor.bytes);
  return fileTarget(path, file, cursor);
}

function fileTarget(path: string, file: FileHandle, cursor: ExportCursor): FileTarget {
  const isZipped = path.endsWith('.gz');
  const { events, key } = cursor;
  const chunks = createChunks({
    isZipped,
    from: { events, key },
    async save(chunk, progress) {
      await file.write(chunk, 0, chunk.length, cursor.bytes);
      await file.datasync();
      Object.assign(cursor, progress, { bytes: cursor.bytes + chunk.length });
      await writeCursor(path, cursor);
    },
  });

  return {
    cursor,
    write: chunks.write,
    async pause() {
      await chunks.flush();
      await file.close();
    },
    async finish() {
      // A .gz file of no bytes would not be one.
      await chunks.flush({ even: cursor.bytes === 0 && isZipped });
      await file.close();
      await unlink(cursorPath(path));
    },
  };
}

export function cursorPath(path: string): string {
  return `${path}.cursor`;
}

async function readCursor(path: string): Promise<ExportCursor | undefined> {
  let text: string;
  try {
    text = await readFile(cursorPath(path), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const cursor = JSON.parse(text) as ExportCursor;
    if (cursor.version === 2 && Number.isSafeInteger(cursor.bytes)) return cursor;
  } catch {
    // Handled below: a text that is not JSON is no cursor.
  }
  throw new ExportFileError(`${cursorPath(path)} is not a cursor of this program. Delete it and ${path}.`);
}

/** As readable for others as the export itself. */
async function writeCursor(path: string, cursor: ExportCursor): Promise<void> {
  await writeFileDurably(cursorPath(path), `${JSON.stringify(cursor)}\n`, 0o666);
}

function refuseOtherSubject(path: string, cursor: ExportCursor | undefined, subject: ExportSubject): void {
  if (cursor === undefined) return;
  for (const name of ['tenant', 'game', 'from', 'to', 'format'] as const) {
    if (cursor[name] === subject[name]) continue;
    throw new ExportFileError(
      `${path} was begun with --${name} ${cursor[name]}, not ${subject[name]}. Resume it with the same options.`,
    );
  }
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Actor, insertAuditEntry } from '../../platform/admin-api/audit-log.js';
import { tryAdvisoryLock, withDedicatedConnection } from '../../platform/db/dedicated-connection.js';
import { type Client, isUnavailable, type Pool, transaction } from '../../platform/db/pool.js';
import { type FileLine, type LineReader, openLines } from '../../platform/lib/file-lines.js';
import type { LineError } from './event-line.js';
import {
  findImport,
  finishImport,
  type ImportKey,
  type ImportKind,
  type ImportProgress,
  type ImportRow,
  insertImport,
  updateImport,
} from './import-queries.js';
import { openRejects, type RejectedLine, type RejectsFile } from './rejects-file.js';

/** As many as a group of live events: live events of the same players wait for one chunk at most. */
const LINES_PER_CHUNK = 1_000;
/** An event of 32 KiB, with the spaces that PostgreSQL writes between its members and what an export adds. */
const MAX_LINE_BYTES = 128 * 1024;
/** Of large events a chunk holds fewer. */
const BYTES_PER_CHUNK = 4 * 1024 * 1024;
/** What is shown of a line that is too long or not text. */
const LONG_LINE = '(too long to be shown)';

/** What became of a line. */
export type LineOutcome = 'imported' | 'duplicate' | LineError;

/** How the lines of one kind of file are applied. */
export type LineImporter<Parsed> = {
  kind: ImportKind;
  /** Pure. */
  read(bytes: Buffer | undefined): Parsed | LineError;
  /** What has to be there before, and is committed by itself. */
  prepare?(lines: readonly Parsed[]): Promise<void>;
  /** One outcome for each line, in the transaction of the caller. */
  apply(client: Client, lines: readonly Parsed[]): Promise<LineOutcome[]>;
};

export type ImportOptions = {
  gameId: number;
  path: string;
  /** Where rejected lines go. */
  rejectsPath: string;
  actor: Actor;
  /** Without it the import does not pause for live events. */
  rests?: boolean;
  signal?: AbortSignal;
  onProgress?: (progress: ImportProgress & { bytesRead: number; totalBytes: number }) => void;
  onRejected?: (line: RejectedLine) => void;
};

/** `known`: the file had been imported completely before. `busy`: another import into the game is running. */
export type ImportResult = { state: 'done' | 'known' | 'busy' | 'interrupted'; progress: ImportProgress };

const NOTHING: ImportProgress = {
  doneBytes: 0,
  doneLines: 0,
  imported: 0,
  duplicates: 0,
  rejected: 0,
  rejectsBytes: 0,
};

type Run<Parsed> = ImportOptions & {
  pool: Pool;
  key: ImportKey;
  importer: LineImporter<Parsed>;
  rejects: RejectsFile;
  progress: ImportProgress;
};

/**
 * Imports a file, chunk by chunk:
 *
 *   hash of the file ──► row of history_imports ──► [ read ──► apply + progress, one transaction ──► pause ] … ──► finished
 *
 * The progress is committed with the lines that it covers, so a killed import goes on exactly where it was.
 */
export async function runImport<Parsed extends object>(
  pool: Pool,
  importer: LineImporter<Parsed>,
  options: ImportOptions,
): Promise<ImportResult> {
  const { gameId, path, rejectsPath } = options;
  const key = { gameId, kind: importer.kind, fileHash: await hashOf(path) };
  return withDedicatedConnection(pool, async (connection) => {
    const isMine = await tryAdvisoryLock(connection, 'savepoint import', gameId);
    if (!isMine) return { state: 'busy', progress: NOTHING };
    const known = await findImport(pool, key);
    if (known !== undefined && known.finishedAt !== null)
      return { state: 'known', progress: progressOf(known) };
    const progress = known === undefined ? await begin(pool, key, options) : progressOf(known);
    const rejects = openRejects(rejectsPath);
    try {
      const state = await importLines({ ...options, pool, key, importer, rejects, progress });
      if (state === 'done') await finishImport(pool, key);
      return { state, progress };
    } finally {
      await rejects.close();
    }
  });
}

async function hashOf(path: string): Promise<Buffer> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest();
}

function progressOf({ finishedAt: _, ...progress }: ImportRow): ImportProgress {
  return progress;
}

async function begin(pool: Pool, key: ImportKey, { path, actor }: ImportOptions): Promise<ImportProgress> {
  await transaction(pool, async (client) => {
    await insertImport(client, key, { fileName: basename(path), by: actor.name, nowMs: actor.nowMs });
    await insertAuditEntry(client, actor, {
      tenantId: null,
      gameId: key.gameId,
      action: 'history.import',
      target: `${key.kind} of ${basename(path)}`,
      before: null,
      after: { sha256: key.fileHash.toString('hex') },
    });
  });
  return { ...NOTHING };
}

async function importLines<Parsed extends object>(run: Run<Parsed>): Promise<'done' | 'interrupted'> {
  const { path, progress, rests = true, signal, onProgress } = run;
  const totalBytes = (await stat(path)).size;
  const reader = openLines(path, { bytes: progress.doneBytes, lines: progress.doneLines }, MAX_LINE_BYTES);
  for await (const chunk of chunksOf(reader)) {
    if (signal?.aborted) return 'interrupted';
    const start = performance.now();
    await importChunk(run, chunk);
    onProgress?.({ ...progress, bytesRead: reader.bytesRead(), totalBytes });
    if (rests) await sleep(performance.now() - start, undefined, { signal }).catch(() => {});
  }
  return 'done';
}

async function* chunksOf({ lines }: LineReader): AsyncGenerator<FileLine[]> {
  let chunk: FileLine[] = [];
  let bytes = 0;
  for await (const line of lines) {
    chunk.push(line);
    bytes += line.bytes?.length ?? 0;
    if (chunk.length < LINES_PER_CHUNK && bytes < BYTES_PER_CHUNK) continue;
    yield chunk;
    chunk = [];
    bytes = 0;
  }
  if (chunk.length > 0) yield chunk;
}

/** A chunk that PostgreSQL refuses is halved until the failing line is alone. */
async function importChunk<Parsed extends object>(
  run: Run<Parsed>,
  chunk: readonly FileLine[],
): Promise<void> {
  try {
    await applyChunk(run, chunk);
  } catch (error) {
    if (run.signal?.aborted || isUnavailable(error) || !isRefusal(error)) throw error;
    if (chunk.length === 1) return applyChunk(run, chunk, refusalOf(error));
    const half = Math.ceil(chunk.length / 2);
    await importChunk(run, chunk.slice(0, half));
    await importChunk(run, chunk.slice(half));
  }
}

/** Whether PostgreSQL refused a value: data exceptions and broken constraints. */
function isRefusal(error: unknown): boolean {
  return /^2[23]/.test(String((error as { code?: unknown }).code));
}

function refusalOf(error: unknown): LineError {
  return { code: 'refused', message: `PostgreSQL refuses the line: ${(error as Error).message}.` };
}

/** `refusal`: the lines are rejected for this reason. */
async function applyChunk<Parsed extends object>(
  run: Run<Parsed>,
  chunk: readonly FileLine[],
  refusal?: LineError,
): Promise<void> {
  const { pool, key, importer, rejects, progress, onRejected } = run;
  const lines = chunk.filter(({ bytes }) => bytes === undefined || !isBlank(bytes));
  const read = lines.map(({ bytes }) => refusal ?? importer.read(bytes));
  const parsed = read.filter((line): line is Parsed => !('code' in line));
  if (parsed.length > 0) await importer.prepare?.(parsed);
  const next = { ...progress };
  const rejected = await transaction(pool, async (client) => {
    const applied = parsed.length > 0 ? await importer.apply(client, parsed) : [];
    const outcomes = read.map((line) =>
      'code' in line ? (line as LineError) : (applied.shift() as LineOutcome),
    );
    const bad = rejectedOf(lines, outcomes);
    next.imported += outcomes.filter((outcome) => outcome === 'imported').length;
    next.duplicates += outcomes.filter((outcome) => outcome === 'duplicate').length;
    next.rejected += bad.length;
    next.rejectsBytes = await rejects.writeAt(progress.rejectsBytes, bad);
    next.doneBytes = chunk.at(-1)?.end ?? progress.doneBytes;
    next.doneLines += chunk.length;
    await updateImport(client, key, next);
    return bad;
  });
  Object.assign(progress, next);
  for (const line of rejected) onRejected?.(line);
}

function rejectedOf(lines: readonly FileLine[], outcomes: readonly LineOutcome[]): RejectedLine[] {
  return lines.flatMap(({ number, bytes }, index) => {
    const outcome = outcomes[index];
    if (outcome === undefined || typeof outcome === 'string') return [];
    const { code, message } = outcome;
    return [{ line: number, code, message, text: bytes?.toString() ?? LONG_LINE }];
  });
}

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}

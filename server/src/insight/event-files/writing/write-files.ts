import { text as readText } from 'node:stream/consumers';
import { closedBefore } from '../../../core/events/storage/event-partitions.js';
import {
  type DedicatedConnection,
  inTransaction,
  isUndefinedTable,
  tryAdvisoryLock,
  walkByIndex,
  withDedicatedConnection,
} from '../../../platform/db/dedicated-connection.js';
import type { Pool } from '../../../platform/db/pool.js';
import { type Clock, clockFrom } from '../../../platform/lib/clock.js';
import { DAY_MS, HOUR_MS } from '../../../platform/lib/day.js';
import { keepToShare, type Rest } from '../../../platform/lib/share-of-time.js';
import type { FileStore, NewFile } from '../file-store.js';
import { type EventFile, fileName, type GameFolder, inFolder, MANIFEST, manifestText } from '../manifest.js';
import { listFiles, listGameFolders } from '../stored-files.js';
import { deleteExpiredFiles, forgetDroppedDays, listDaysToWatch, watchDay } from './day-queries.js';
import { createRowReader, type StoredEvent } from './file-events.js';
import {
  type DueFile,
  fetchEvents,
  findPlayerKeys,
  listDueFiles,
  openEvents,
  upsertFile,
} from './file-queries.js';
import { createParquetFile, type WrittenFile } from './parquet-file.js';

/** An event is 32 KiB at most when it is sent. As text of the database it may be 1.7 MB: `1e308` comes back as 309 digits. */
const EVENTS_PER_FETCH = 100;
/** Intake comes first. */
const SHARE = 1 / 2;
/**
 * A player who is erased has played on many days. The key is forgotten at once; the rows leave with the next generation of each day, which is
 * written at most this often for the sake of erasures. A day is left to write it: the documents promise 14 days.
 */
export const ERASED_AFTER_MS = 13 * DAY_MS;
/** So long a former generation stays after the new one was written: somebody may be reading it. */
const FORMER_STAYS_MS = HOUR_MS;

export type FilesRun = Readonly<{
  pool: Pool;
  store: FileStore;
  /** By the clock of the database. */
  nowMs: number;
  /** Ends the run at the next chunk; the file that is being written is begun anew by the next run. */
  signal?: AbortSignal;
  /** False: works without pauses, beside no traffic. */
  rests?: boolean;
  onFile?: (file: EventFile, due: DueFile) => void;
}>;

/** `busy`: another process is at it. `unfinished`: the next run continues. */
export type FilesResult = Readonly<{ state: 'done' | 'busy' | 'unfinished'; files: number; events: number }>;

/**
 * Writes the files of closed days:
 *
 *   closed day ──► compacted, or kept as it is ──► watched ──► file of each game ──► row and manifest
 *                                                    ▲                                    │
 *                                                    └── changed by a late event, or an erasure
 *
 * A file is written under another name, and stands when its row is committed. The manifest lists the rows. A file that no row names is
 * removed by a later run: what a crash has left, and former generations, which a query may still be reading for an hour.
 */
export async function writeEventFiles(run: FilesRun): Promise<FilesResult> {
  return withDedicatedConnection(run.pool, async (connection) => {
    const nothing = { files: 0, events: 0 };
    if (!(await tryAdvisoryLock(connection, 'savepoint event files'))) return { state: 'busy', ...nothing };
    await walkByIndex(connection);
    await forgetDroppedDays(connection);
    await deleteExpiredFiles(connection);
    await tidyStore(connection, run);
    const areWatched = await watchClosedDays(connection, run);
    const written = await writeDueFiles(connection, run);
    return written.state === 'done' && !areWatched ? { ...written, state: 'unfinished' } : written;
  });
}

/** Makes the manifests those of the rows, has files written again that are missing or cut, and removes what no row names. */
async function tidyStore(connection: DedicatedConnection, { store, nowMs }: FilesRun): Promise<void> {
  const found = await store.list();
  const standing = new Map<string, Map<string, EventFile>>();
  for (const folder of await listGameFolders(connection)) {
    const files = await listFiles(connection, [folder.gameId]);
    standing.set(`${folder.tenant}/${folder.game}`, new Map(files.map((file) => [file.day, file])));
    if (files.length === 0 && !found.has(inFolder(folder, MANIFEST))) continue;
    await writeManifest(store, folder, files);
    for (const { file, day, bytes } of files)
      if (found.get(inFolder(folder, file)) !== bytes) await noteMissingFile(connection, folder.gameId, day);
  }
  for (const name of found.keys()) {
    const [, folder = '', day = '', generation, unfinished] = OUR_NAME.exec(name) ?? [];
    const files = standing.get(folder);
    // Of folders of no game that this database knows nothing is removed: another installation may have its files there.
    if (files === undefined) continue;
    const stays = unfinished === undefined && isInUse(files.get(day), Number(generation), nowMs);
    if (!stays) await store.remove(name);
  }
}

/** Of whatever else lies in the folder nothing is removed. */
const OUR_NAME = /^([^/]+\/[^/]+)\/events-(\d{4}-\d{2}-\d{2})-g(\d+)\.parquet(\.unfinished)?$/;

function isInUse(file: EventFile | undefined, generation: number, nowMs: number): boolean {
  if (file === undefined) return false;
  if (generation === file.generation) return true;
  return generation < file.generation && file.writtenAt > nowMs - FORMER_STAYS_MS;
}

async function noteMissingFile(connection: DedicatedConnection, gameId: number, day: string): Promise<void> {
  await connection.query(
    `insert into event_file_changes (day, game_id, changed_by, is_deletion) values ($1, $2, pg_current_xact_id(), false)
     on conflict do nothing`,
    [day, gameId],
  );
}

async function writeManifest(
  store: FileStore,
  folder: GameFolder,
  files: readonly EventFile[],
): Promise<void> {
  const name = inFolder(folder, MANIFEST);
  const text = manifestText(folder, files);
  const stored = await store.open(name);
  if (stored === undefined || (await readText(stored)) !== text) await store.replace(name, text);
}

/** False if a day could not be watched yet. */
async function watchClosedDays(
  connection: DedicatedConnection,
  { nowMs, signal }: FilesRun,
): Promise<boolean> {
  let areWatched = true;
  for (const day of await listDaysToWatch(connection, closedBefore(nowMs))) {
    if (signal?.aborted) return false;
    areWatched = (await unlessDropped(() => watchDay(connection, day), true)) && areWatched;
  }
  return areWatched;
}

/** A file that cannot be written holds up no other. The first failure is thrown when the others are written. */
async function writeDueFiles(connection: DedicatedConnection, run: FilesRun): Promise<FilesResult> {
  const clock = clockFrom(run.nowMs);
  const rest = keepToShare(run.rests === false ? 1 : SHARE, run.signal);
  let files = 0;
  let events = 0;
  let failure: Error | undefined;
  for (const due of await listDueFiles(connection, new Date(run.nowMs - ERASED_AFTER_MS))) {
    try {
      const file = await unlessDropped(() => writeFile(connection, run, due, { rest, clock }), undefined);
      if (file === undefined) continue;
      files++;
      events += file.events;
      run.onFile?.(file, due);
    } catch (error) {
      if (run.signal?.aborted) return { state: 'unfinished', files, events };
      failure ??= failureOf(due, error);
    }
  }
  if (failure !== undefined) throw failure;
  return { state: 'done', files, events };
}

function failureOf({ tenant, game, day }: DueFile, cause: unknown): Error {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new Error(`the events of ${tenant}/${game} of ${day} could not be written: ${why}`, { cause });
}

async function writeFile(
  connection: DedicatedConnection,
  run: FilesRun,
  due: DueFile,
  { rest, clock }: Readonly<{ rest: Rest; clock: Clock }>,
): Promise<EventFile> {
  const { gameId, day, generation } = due;
  const name = fileName(day, generation);
  const file = await run.store.create(inFolder(due, name));
  try {
    const { changedBy, sha256, ...written } = await writeEvents(connection, run, due, file, rest);
    await file.commit();
    const stands = {
      ...{ gameId, day, generation, file: name, ...written },
      sha256: sha256.toString('hex'),
      writtenAt: clock.now(),
    };
    await upsertFile(connection, stands, changedBy);
    await writeManifest(run.store, due, await listFiles(connection, [gameId]));
    return stands;
  } finally {
    await file.discard();
  }
}

/** One snapshot of the day: what changes meanwhile is in the next generation. */
async function writeEvents(
  connection: DedicatedConnection,
  { pool, signal }: FilesRun,
  due: DueFile,
  file: NewFile,
  rest: Rest,
): Promise<WrittenFile & { changedBy: string[] }> {
  const parquet = createParquetFile(file);
  const toRow = createRowReader();
  return inTransaction(connection, async () => {
    const changedBy = await openEvents(connection, due);
    for (;;) {
      signal?.throwIfAborted();
      const events = await fetchEvents(connection, EVENTS_PER_FETCH);
      if (events.length === 0) return { changedBy, ...(await parquet.end()) };
      const keys = await findPlayerKeys(pool, [...new Set(events.map(playerOf))]);
      for (const event of events) {
        const key = keys.get(playerOf(event));
        // Without a key the player is being erased.
        if (key !== undefined) await parquet.add(toRow(event, key));
      }
      await rest();
    }
  });
}

function playerOf([playerId]: StoredEvent): string {
  return playerId;
}

/** Retention may drop a day at any time; the next run forgets it. */
async function unlessDropped<T>(work: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isUndefinedTable(error)) return otherwise;
    throw error;
  }
}

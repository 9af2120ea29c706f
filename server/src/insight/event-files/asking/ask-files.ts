import type { Pool } from '../../../platform/db/pool.js';
import type { EventFilesSettings } from '../../../platform/settings/bucket-settings.js';
import { type GameFolder, inFolder } from '../manifest.js';
import { openFileStore } from '../open-store.js';
import { listFiles } from '../stored-files.js';
import { askInProcess } from './ask-process.js';
import { EMPTY_TABLE } from './empty-table.js';
import { fetchCopies, type NamedFile, pathIn } from './local-copies.js';
import type { Outcome } from './question.js';

export type AskLimits = Readonly<{
  maxRows: number;
  maxBytes: number;
  memoryMb: number;
  threads: number;
  maxMs: number;
}>;

export const ASK_LIMITS: AskLimits = {
  maxRows: 1_000,
  maxBytes: 4 * 1024 * 1024,
  memoryMb: 512,
  threads: 2,
  maxMs: 60_000,
};

type AskOptions = Readonly<{
  limits?: AskLimits;
  /** Aborted when the client has gone. */
  signal?: AbortSignal | undefined;
  /** By which copies of files grow old, and requests to a bucket are signed. */
  now: () => number;
}>;

/** Asks the files of a game. Only the files that stand are read, and each of them once. Those of a bucket are copied to the folder first. */
export async function askFiles(
  pool: Pool,
  settings: EventFilesSettings,
  game: GameFolder,
  sql: string,
  { limits = ASK_LIMITS, signal, now }: AskOptions,
): Promise<Outcome> {
  const { maxMs, ...rest } = limits;
  const deadline = AbortSignal.timeout(maxMs);
  const stop = signal === undefined ? deadline : AbortSignal.any([signal, deadline]);
  const listed = await listFiles(pool, [game.gameId]);
  const files = listed.map(({ file, bytes, sha256 }) => ({ name: inFolder(game, file), bytes, sha256 }));
  const problem = settings.bucket === undefined ? undefined : await fetchAll(settings, files, stop, now);
  signal?.throwIfAborted();
  if (problem !== undefined) return deadline.aborted ? stillFetching(maxMs) : problem;
  const paths = files.map(({ name }) => pathIn(settings.dir, name));
  return askInProcess({ sql, files: paths, columns: EMPTY_TABLE, ...rest }, stop).catch((error: unknown) => {
    signal?.throwIfAborted();
    if (deadline.aborted) return outOfTime(maxMs);
    throw error;
  });
}

async function fetchAll(
  settings: EventFilesSettings,
  files: readonly NamedFile[],
  signal: AbortSignal,
  now: () => number,
): Promise<Outcome | undefined> {
  try {
    const store = openFileStore(settings, now, signal);
    const { dir, cacheMb: maxMb } = settings;
    const message = await fetchCopies(store, dir, files, { maxMb, nowMs: now(), signal });
    return message === undefined ? undefined : { outcome: 'too_many_files', message };
  } catch (error) {
    return { outcome: 'no_files', message: `The files could not be fetched. ${(error as Error).message}` };
  }
}

const stillFetching = (maxMs: number): Outcome => ({
  outcome: 'out_of_time',
  message: `The files are not all fetched from the bucket after ${maxMs / 1_000} seconds. Those that are stay for ten minutes at least: ask again.`,
});

const outOfTime = (maxMs: number): Outcome => ({
  outcome: 'out_of_time',
  message: `The question takes longer than ${maxMs / 1_000} seconds. Ask for fewer days or columns.`,
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ASK_LIMITS, type AskLimits, askFiles } from '../../src/insight/event-files/asking/ask-files.js';
import type { AnswerValue, Outcome } from '../../src/insight/event-files/asking/question.js';
import type { FileStore } from '../../src/insight/event-files/file-store.js';
import type { GameFolder } from '../../src/insight/event-files/manifest.js';
import { openFileStore } from '../../src/insight/event-files/open-store.js';
import {
  type FilesResult,
  type FilesRun,
  writeEventFiles,
} from '../../src/insight/event-files/writing/write-files.js';
import type { Pool } from '../../src/platform/db/pool.js';
import type { EventFilesSettings } from '../../src/platform/settings/bucket-settings.js';
import { NOW } from './closed-day.js';

/** A folder for files of events, or a bucket, and what is done with it. */
export type FilesFolder = {
  folder: string;
  settings: EventFilesSettings;
  store: FileStore;
  write(options?: Partial<FilesRun>): Promise<FilesResult>;
  /** All files, by name. */
  list(): Promise<string[]>;
  manifest(
    game: string,
  ): Promise<{ files: { day: string; generation: number; file: string; events: number; sha256: string }[] }>;
  ask(game: GameFolder, sql: string, limits?: Partial<AskLimits>, signal?: AbortSignal): Promise<Outcome>;
  /** The rows of an answer. */
  rows(game: GameFolder, sql: string): Promise<readonly (readonly AnswerValue[])[]>;
  remove(): Promise<void>;
};

/** A busy machine must not decide a test. */
const PATIENT: AskLimits = { ...ASK_LIMITS, maxMs: 120_000 };

/** The settings of files that lie in a folder. */
export const folderSettings = (dir: string): EventFilesSettings => ({ dir, bucket: undefined, cacheMb: 0 });

export async function createFilesFolder(
  pool: Pool,
  bucket?: EventFilesSettings['bucket'],
  cacheMb = 100,
): Promise<FilesFolder> {
  const folder = await mkdtemp(join(tmpdir(), 'savepoint-event-files-'));
  const settings = { dir: folder, bucket, cacheMb };
  const store = openFileStore(settings, Date.now);
  const ask: FilesFolder['ask'] = (game, sql, limits, signal) =>
    askFiles(pool, settings, game, sql, { limits: { ...PATIENT, ...limits }, signal, now: Date.now });
  return {
    folder,
    settings,
    store,
    write: (options) =>
      writeEventFiles({
        pool,
        store: openFileStore(settings, Date.now),
        nowMs: NOW,
        rests: false,
        ...options,
      }),
    list: async () => [...(await store.list()).keys()].sort(),
    async manifest(game) {
      const stored = await store.open(`studio/${game}/manifest.json`);
      return JSON.parse(stored === undefined ? '' : await text(stored));
    },
    ask,
    async rows(game, sql) {
      const outcome = await ask(game, sql);
      if (outcome.outcome !== 'answered') throw new Error(outcome.message);
      return outcome.answer.rows;
    },
    remove: () => rm(folder, { recursive: true }),
  };
}

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pool } from '../../src/db/pool.js';
import { ASK_LIMITS, type AskLimits, askFiles } from '../../src/features/event-files/asking/ask-files.js';
import type { AnswerValue, Outcome } from '../../src/features/event-files/asking/question.js';
import { createFolderStore } from '../../src/features/event-files/folder-store.js';
import type { GameFolder } from '../../src/features/event-files/manifest.js';
import {
  type FilesResult,
  type FilesRun,
  writeEventFiles,
} from '../../src/features/event-files/writing/write-files.js';
import { NOW } from './closed-day.js';

/** A folder for files of events, and what is done with it. */
export type FilesFolder = {
  folder: string;
  write(options?: Partial<FilesRun>): Promise<FilesResult>;
  /** All files, by name. */
  list(): Promise<string[]>;
  manifest(
    game: string,
  ): Promise<{ files: { day: string; generation: number; file: string; events: number }[] }>;
  ask(game: GameFolder, sql: string, limits?: Partial<AskLimits>): Promise<Outcome>;
  /** The rows of an answer. */
  rows(game: GameFolder, sql: string): Promise<readonly (readonly AnswerValue[])[]>;
  remove(): Promise<void>;
};

/** A busy machine must not decide a test. */
const PATIENT: AskLimits = { ...ASK_LIMITS, maxMs: 120_000 };

export async function createFilesFolder(pool: Pool): Promise<FilesFolder> {
  const folder = await mkdtemp(join(tmpdir(), 'savepoint-event-files-'));
  const store = createFolderStore(folder);
  const ask: FilesFolder['ask'] = (game, sql, limits) =>
    askFiles(pool, folder, game, sql, { limits: { ...PATIENT, ...limits } });
  return {
    folder,
    write: (options) => writeEventFiles({ pool, store, nowMs: NOW, rests: false, ...options }),
    list: async () => (await store.list()).sort(),
    manifest: async (game) => JSON.parse((await store.read(`studio/${game}/manifest.json`)) ?? ''),
    ask,
    async rows(game, sql) {
      const outcome = await ask(game, sql);
      if (outcome.outcome !== 'answered') throw new Error(outcome.message);
      return outcome.answer.rows;
    },
    remove: () => rm(folder, { recursive: true }),
  };
}

import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { Command } from 'commander';
import { readDatabaseClock } from '../../platform/db/database-clock.js';
import { grouped } from '../../studio/cli/progress-bar.js';
import { isBetweenTexts, tableLines } from '../../studio/cli/table.js';
import { say, withDatabase } from '../../studio/cli/terminal.js';
import type { FileStore } from '../event-files/file-store.js';
import { type EventFile, type GameFolder, inFolder } from '../event-files/manifest.js';
import { openFileStore } from '../event-files/open-store.js';
import { listFiles, listGameFolders } from '../event-files/stored-files.js';
import { writeEventFiles } from '../event-files/writing/write-files.js';
import { clickHouseCommand } from './clickhouse-command.js';
import { requireEventFiles } from './event-files-place.js';

export function eventFilesCommands(): Command {
  const files = new Command('event-files').description('the events of closed days as files, for analysts');
  files.command('list').description('list the files of all games').action(list);
  files
    .command('write')
    .description('write the files that are due now, and not with the hourly maintenance')
    .action(write);
  files
    .command('check')
    .description('read every file, and compare its length and digest with what was written')
    .action(check);
  files.addCommand(clickHouseCommand());
  return files;
}

async function list(): Promise<void> {
  const all = await withDatabase(async ({ pool }) => {
    const folders = await listGameFolders(pool);
    return filesOf(
      folders,
      await listFiles(
        pool,
        folders.map(({ gameId }) => gameId),
      ),
    );
  });
  if (all.length === 0) return say('There are no files of events yet.');
  const rows = all.map(({ name, file }) => [
    file.day,
    String(file.generation),
    grouped(file.events),
    grouped(file.bytes),
    name,
  ]);
  const head = ['received', 'generation', 'events', 'bytes', 'file'];
  for (const line of tableLines([head, ...rows], isBetweenTexts)) say(line);
}

async function write(): Promise<void> {
  await withDatabase(async ({ pool }, settings, signal) => {
    const store = openFileStore(requireEventFiles(settings), Date.now, signal);
    const { databaseMs: nowMs } = await readDatabaseClock(pool);
    const result = await writeEventFiles({
      ...{ pool, store, nowMs, signal, rests: false },
      onFile: (file, due) => say(`${inFolder(due, file.file)}: ${grouped(file.events)} events`),
    });
    signal.throwIfAborted();
    say(SENTENCES[result.state](result.files));
  }, 'Files that were written stay.');
}

const SENTENCES = {
  done: (files: number) =>
    files === 0
      ? 'No file is due. A day is written when it is closed, two days after its end.'
      : `Wrote ${files} files.`,
  busy: () => 'Another process is writing the files.',
  unfinished: (files: number) =>
    `Wrote ${files} files. Others are at work on a day that is due: run the command again in a while.`,
};

async function check(): Promise<void> {
  const wrong = await withDatabase(async ({ pool }, settings, signal) => {
    const store = openFileStore(requireEventFiles(settings), Date.now, signal);
    const folders = await listGameFolders(pool);
    const found: string[] = [];
    const all = filesOf(
      folders,
      await listFiles(
        pool,
        folders.map(({ gameId }) => gameId),
      ),
    );
    for (const { name, file } of all) {
      const problem = await problemOf(store, name, file);
      if (problem !== undefined) found.push(`${name}: ${problem}`);
    }
    say(`Read ${all.length} files.`);
    return found;
  }, 'Nothing was changed.');
  for (const line of wrong) say(line);
  if (wrong.length > 0) process.exitCode = 1;
  else say('All are as they were written.');
}

async function problemOf(store: FileStore, name: string, { sha256 }: EventFile): Promise<string | undefined> {
  const hash = createHash('sha256');
  try {
    const content = await store.open(name);
    if (content === undefined) return 'the file is missing; the next run writes it again';
    await pipeline(content, hash);
  } catch (error) {
    return (error as Error).message;
  }
  return hash.digest('hex') === sha256
    ? undefined
    : 'the file is not what was written. Delete it, and the next run writes it again';
}

function filesOf(folders: readonly GameFolder[], files: readonly EventFile[]) {
  const byGame = new Map(folders.map((folder) => [folder.gameId, folder]));
  return files.flatMap((file) => {
    const folder = byGame.get(file.gameId);
    return folder === undefined ? [] : [{ file, name: inFolder(folder, file.file) }];
  });
}

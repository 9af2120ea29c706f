/** @module-tag full */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { type Backup, listBackups } from '../../../../src/platform/embedded-postgres/backup/backup-folder.js';
import { restoreBackup } from '../../../../src/platform/embedded-postgres/backup/restore-backup.js';
import { takeBackup } from '../../../../src/platform/embedded-postgres/backup/take-backup.js';
import { verifyArchive } from '../../../../src/platform/embedded-postgres/backup/verify-archive.js';
import { verifyBackup } from '../../../../src/platform/embedded-postgres/backup/verify-backup.js';
import { archiveLog, endArchive } from '../../../../src/platform/embedded-postgres/backup/wal-archive.js';
import { listNotOthers, makeOthersFolder } from '../../../support/owners.js';
import {
  clearAway,
  eventually,
  leftovers,
  makeFolder,
  makePreparedFolder,
  query,
  start,
} from '../../../support/postgres-folders.js';

afterEach(clearAway);

/** A cluster takes seconds to copy on a busy machine, so one test goes all the way. */
test('a backup under writes, its log, a restore to a moment and one to the end', async () => {
  const [dataDir, to, restored] = [
    await makePreparedFolder(),
    await makeOthersFolder(await makeFolder()),
    await makeFolder(),
  ];
  const { url, stop } = await start(dataDir);
  await query(url, 'create table notes (id int primary key generated always as identity, text text)');
  const note = (text: string) => query(url, `insert into notes (text) values ('${text}')`);

  // What a kill leaves is no backup, and the next backup removes it. An interrupted one leaves nothing.
  await mkdir(join(to, '20260101T000000.000Z.partial'));
  const stopping = new AbortController();
  const interrupted = takeBackup({
    dataDir,
    to,
    signal: stopping.signal,
    onProgress: () => stopping.abort(),
  });
  await expect(interrupted).rejects.toThrow('aborted');
  expect(await readdir(to)).toEqual(['system-identifier', 'wal']);

  await archiveLog({ dataDir, to, endSegment: false });
  await note('before the backup');
  let isNoted: Promise<unknown> | undefined;
  const backup = (await takeBackup({
    dataDir,
    to,
    onProgress: () => {
      isNoted ??= note('during the backup');
    },
  })) as Backup;
  await isNoted;
  expect(await listBackups(to)).toEqual([backup]);
  expect(await verifyBackup(backup)).toEqual([]);
  // Made by root, it belongs to the service's user, who has to delete it.
  expect(await listNotOthers(to)).toEqual([]);

  await note('before the moment');
  const [clock] = (await query(url, "select clock_timestamp() + interval '2 ms' as moment")) as {
    moment: Date;
  }[];
  const moment = clock?.moment ?? new Date(0);
  await eventually(async () =>
    expect(await query(url, `select clock_timestamp() > '${moment.toISOString()}' as "isPast"`)).toEqual([
      { isPast: true },
    ]),
  );
  await note('after the moment');
  expect(await archiveLog({ dataDir, to, endSegment: true })).toBeGreaterThan(0);
  // Each segment once: nothing was written since.
  expect(await archiveLog({ dataDir, to, endSegment: false })).toBe(0);
  await note('not archived');
  expect(await verifyArchive(to, [backup])).toEqual([]);

  // A kill in it leaves everything as it was, and the next start finishes one that comes later.
  const seenBeforeSwap: string[][] = [];
  const beforeSwap = async () => {
    seenBeforeSwap.push(await readdir(restored));
    // Stops the first restore in its last step.
    if (seenBeforeSwap.length > 1) return;
    await mkdir(join(restored, 'postgres'));
    await writeFile(join(restored, 'postgres', 'in the way'), '');
  };
  const restore = (at: Date | undefined, replace = false) =>
    restoreBackup({
      dataDir: restored,
      from: to,
      backup,
      at,
      replace,
      signal: new AbortController().signal,
      say: () => {},
      onProgress: () => {},
      onReached: () => {},
      beforeSwap,
      settings: { fsync: 'off', shared_buffers: '16MB' },
    });
  const said: string[] = [];
  const restoredNotes = async () => {
    const server = await start(restored, said);
    const notes = (await query(server.url, 'select text from notes order by id')) as { text: string }[];
    await server.stop();
    return notes.map(({ text }) => text);
  };

  await expect(restore(new Date('2100-01-01T00:00:00Z'))).rejects.toThrow(
    /The log ends before 2100-01-01T00:00:00.000Z: its last transaction was at 20/,
  );
  expect(await readdir(restored)).not.toContain('postgres');
  await expect(restore(moment)).rejects.toThrow(/ENOTEMPTY|EEXIST/);
  await rm(join(restored, 'postgres'), { recursive: true });
  expect(seenBeforeSwap).toEqual([expect.not.arrayContaining(['postgres'])]);
  expect(seenBeforeSwap.flat().filter((name) => name.startsWith('postgres.restored-'))).toEqual([]);
  const upToMoment = ['before the backup', 'during the backup', 'before the moment'];
  expect(await restoredNotes()).toEqual(upToMoment);
  expect(said).toContain('Finished a restore of the database that was interrupted.');

  // To the end, beside what was restored first, and on a timeline of its own.
  await expect(restore(undefined)).rejects.toThrow('Give --replace to set it aside');
  await restore(undefined, true);
  expect(await restoredNotes()).toEqual([...upToMoment, 'after the moment']);
  expect(await leftovers(restored)).toEqual([]);
  expect((await readdir(join(to, 'wal'))).filter((name) => name.includes('history'))).toEqual([
    '00000002.history.gz',
    '00000003.history.gz',
  ]);

  // Another database must not mix its log with this one.
  await writeFile(join(to, 'system-identifier'), '7\n');
  await expect(archiveLog({ dataDir, to, endSegment: false })).rejects.toThrow(
    'holds the backups of another database',
  );

  // A changed byte is found, and not restored.
  const changed = join(backup.folder, 'cluster', 'PG_VERSION');
  await writeFile(changed, (await readFile(changed, 'utf8')).replace('8', '9'));
  expect(await verifyBackup(backup)).toEqual(['cluster/PG_VERSION was changed']);
  await expect(restore(undefined, true)).rejects.toThrow('PG_VERSION was changed. Nothing was restored.');
  expect(await leftovers(restored)).toEqual([]);

  await endArchive(dataDir);
  expect(await query(url, 'select slot_name from pg_replication_slots')).toEqual([]);
  await stop();
});

import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createBackupCopies } from '../../../../src/operations/backups/backup-copies.js';
import { checkBackups } from '../../../../src/operations/cli/doctor-backups.js';
import {
  type Backup,
  claimBackupFolder,
  listBackups,
} from '../../../../src/platform/embedded-postgres/backup/backup-folder.js';
import {
  type BackupStore,
  claimStore,
  copyBackup,
  listStoredBackups,
  openStore,
} from '../../../../src/platform/embedded-postgres/backup/backup-store.js';
import { fetchBackup } from '../../../../src/platform/embedded-postgres/backup/fetch-backup.js';
import { writeHashed } from '../../../../src/platform/embedded-postgres/backup/hashed-files.js';
import {
  type BackupFile,
  writeManifest,
} from '../../../../src/platform/embedded-postgres/backup/manifest.js';
import { verifyBackup } from '../../../../src/platform/embedded-postgres/backup/verify-backup.js';
import { appendToErasedList, readErasedList } from '../../../../src/trust/erasures/erased-list.js';
import { addStoredErasedList } from '../../../../src/trust/erasures/stored-list.js';
import { FAKE_KEY, type FakeS3, startFakeS3 } from '../../../support/fake-s3.js';
import { testSettings } from '../../../support/harness.js';
import { listNotOthers, makeOthersFolder } from '../../../support/owners.js';

const NEVER = new AbortController().signal;
const SYSTEM = '7412345678901234567';

describe('backups in a bucket', () => {
  let s3: FakeS3;
  let store: BackupStore;
  let folder: string;
  let parent: string;

  beforeAll(async () => {
    s3 = await startFakeS3();
    store = openStore({ ...FAKE_KEY, endpoint: s3.endpoint, prefix: 'eu/' }, Date.now);
  });
  afterAll(() => s3.close());
  beforeEach(async () => {
    s3.objects.clear();
    parent = await mkdtemp(join(tmpdir(), 'savepoint-backup-store-'));
    folder = join(parent, 'backups');
    await claimBackupFolder(folder, SYSTEM);
  });
  afterEach(() => rm(parent, { recursive: true, force: true }));

  /** A backup whose log begins with this segment; its files are made up. */
  async function makeBackup(day: number): Promise<Backup> {
    const name = `202611${String(day).padStart(2, '0')}T070000.000Z`;
    const own = join(folder, name);
    const startSegment = segment(day);
    await mkdir(join(own, 'cluster/base/1'), { recursive: true });
    await mkdir(join(own, 'cluster/pg_wal'));
    await mkdir(join(own, 'wal'));
    const contents = {
      'cluster/PG_VERSION': '18\n',
      'cluster/base/1/1259': `table of day ${day}`,
      [`wal/${startSegment}.gz`]: 'log',
    };
    const files = [];
    for (const [path, content] of Object.entries(contents))
      files.push({ path, ...(await writeHashed(join(own, path), content)) });
    const time = `2026-11-${String(day).padStart(2, '0')}T07:00:00.000Z`;
    const manifest = {
      format: 1 as const,
      postgres: '18.3',
      systemIdentifier: SYSTEM,
      ...{ startSegment, stopSegment: startSegment, startLsn: '0/1', stopLsn: '0/2' },
      ...{ startedAt: time, finishedAt: time },
      folders: ['base', 'base/1', 'pg_wal'],
      files,
    };
    await writeManifest(own, manifest);
    return { name, folder: own, manifest };
  }

  const segment = (number: number): string => `0000000100000000000000${number.toString(16).padStart(2, '0')}`;
  const archive = (number: number) =>
    writeFile(join(folder, 'wal', `${segment(number)}.gz`), `log ${number}`);
  const copies = (backupsKept = 7) =>
    createBackupCopies(store, { backupDir: folder, backupsKept, erasedFile: join(folder, 'erased-players') });
  const storedKeys = () => [...s3.objects.keys()].sort();

  it('has a whole backup once its manifest is there, which is written last', async () => {
    const backup = await makeBackup(1);
    s3.requests.length = 0;
    await copyBackup(store, backup);
    expect(s3.requests.filter((request) => request.startsWith('PUT')).at(-1)).toBe(
      `PUT eu/${backup.name}/manifest.json`,
    );
    expect((await listStoredBackups(store)).map(({ name }) => name)).toEqual([backup.name]);
    s3.objects.delete(`eu/${backup.name}/manifest.json`);
    expect(await listStoredBackups(store)).toEqual([]);
  });

  it('goes on with an interrupted copy, and copies nothing twice', async () => {
    const backup = await makeBackup(1);
    await copyBackup(store, backup);
    s3.objects.delete(`eu/${backup.name}/manifest.json`);
    s3.objects.delete(`eu/${backup.name}/cluster/PG_VERSION`);
    s3.requests.length = 0;
    await copyBackup(store, backup);
    await copyBackup(store, backup);
    expect(s3.requests.filter((request) => request.startsWith('PUT'))).toEqual([
      `PUT eu/${backup.name}/cluster/PG_VERSION`,
      `PUT eu/${backup.name}/manifest.json`,
    ]);
  });

  it('is fetched to another machine, with the log after it, and each file agrees with its digest', async () => {
    const [first, second] = [await makeBackup(1), await makeBackup(3)];
    for (const number of [1, 2, 3, 4]) await archive(number);
    await copies().copyLog(NEVER);
    await copies().copyBackups([first, second], NEVER);
    const above = await makeOthersFolder(join(parent, 'above'));
    const elsewhere = join(above, 'elsewhere');
    const [, newest] = await listStoredBackups(store);
    const fetched = await fetchBackup(store, newest as Backup, elsewhere);
    expect(await listBackups(elsewhere)).toEqual([fetched]);
    expect(await verifyBackup(fetched)).toEqual([]);
    expect((await readdir(join(elsewhere, 'wal'))).sort()).toEqual([`${segment(3)}.gz`, `${segment(4)}.gz`]);
    expect(await readFile(join(elsewhere, 'wal', `${segment(4)}.gz`), 'utf8')).toBe('log 4');
    expect((await readdir(join(fetched.folder, 'cluster'))).sort()).toEqual(['PG_VERSION', 'base', 'pg_wal']);
    expect(await listNotOthers(elsewhere)).toEqual([]);
  });

  it('refuses a file that was changed in the bucket', async () => {
    const backup = await makeBackup(1);
    await copies().copyBackups([backup], NEVER);
    s3.objects.set(`eu/${backup.name}/cluster/PG_VERSION`, Buffer.from('17\n'));
    const elsewhere = join(parent, 'elsewhere');
    await expect(fetchBackup(store, backup, elsewhere)).rejects.toThrow(
      'cluster/PG_VERSION of the store does not agree with its digest',
    );
    expect(await listBackups(elsewhere)).toEqual([]);
  });

  it('writes nothing outside of the folder, whatever the bucket names', async () => {
    const backup = await makeBackup(1);
    await copies().copyBackups([backup], NEVER);
    const elsewhere = join(parent, 'elsewhere');
    const [file] = backup.manifest.files;
    const outside = [
      { ...backup, name: '..' },
      ...['../../outside', '/tmp/outside', 'cluster/../../../outside'].flatMap((path) => [
        { ...backup, manifest: { ...backup.manifest, files: [{ ...file, path } as BackupFile] } },
        { ...backup, manifest: { ...backup.manifest, folders: [path] } },
      ]),
    ];
    for (const changed of outside)
      await expect(fetchBackup(store, changed, elsewhere)).rejects.toThrow(
        /is not the name of a backup|names a file outside of the backup/,
      );
    const log = ['../outside.gz', 'notes.gz', `${segment(2)}.gz`, '00000002.history.gz'];
    for (const name of log) s3.objects.set(`eu/wal/${name}`, Buffer.from('log'));
    await fetchBackup(store, backup, elsewhere);
    expect((await readdir(join(elsewhere, 'wal'))).sort()).toEqual([
      `${segment(2)}.gz`,
      '00000002.history.gz',
    ]);
    expect((await readdir(elsewhere)).sort()).toEqual([backup.name, 'system-identifier', 'wal']);
    expect((await readdir(parent)).sort()).toEqual(['backups', 'elsewhere']);
  });

  it('keeps the newest backups and the log since the oldest of them', async () => {
    const backups = [await makeBackup(1), await makeBackup(2), await makeBackup(3)];
    for (const number of [1, 2, 3]) await archive(number);
    const copying = copies(2);
    await copying.copyLog(NEVER);
    await copying.copyBackups(backups, NEVER);
    expect((await listStoredBackups(store)).map(({ name }) => name)).toEqual(
      backups.slice(1).map(({ name }) => name),
    );
    expect(storedKeys().filter((key) => key.startsWith('eu/wal/') || key.includes('20261101'))).toEqual([
      `eu/wal/${segment(2)}.gz`,
      `eu/wal/${segment(3)}.gz`,
    ]);
    expect(backups.map(copying.has)).toEqual([true, true, true]);
  });

  it('deletes what interrupted copies and deletions have left before the oldest backup', async () => {
    const backups = [await makeBackup(2), await makeBackup(3)];
    const left = [
      'eu/20261101T070000.000Z/cluster/base/1/1259',
      'eu/20261104T070000.000Z/cluster/PG_VERSION',
    ];
    for (const key of left) s3.objects.set(key, Buffer.from('x'));
    await copies().copyBackups(backups, NEVER);
    // The second is newer: it may be a copy that another process makes.
    expect(left.map((key) => s3.objects.has(key))).toEqual([false, true]);
    expect((await listStoredBackups(store)).map(({ name }) => name)).toEqual(backups.map(({ name }) => name));
  });

  it('copies and prunes the others when one backup is damaged', async () => {
    const backups = [await makeBackup(1), await makeBackup(2), await makeBackup(3)];
    await copies().copyBackups(backups.slice(0, 1), NEVER);
    await writeFile(join(folder, backups[1]?.name ?? '', 'cluster/PG_VERSION'), '17\n');
    const left = `eu/${backups[1]?.name}/left-by-an-earlier-attempt`;
    s3.objects.set(left, Buffer.from('x'));
    const copying = copies(1);
    await expect(copying.copyBackups(backups, NEVER)).rejects.toThrow(
      `S3, writing eu/${backups[1]?.name}/cluster/PG_VERSION`,
    );
    expect(backups.map(copying.has)).toEqual([true, false, true]);
    // What was copied of it stays for the next attempt.
    expect(storedKeys()).toContain(left);
    expect((await listStoredBackups(store)).map(({ name }) => name)).toEqual([backups[2]?.name]);
  });

  it('passes over folders that are no backups, and names damaged ones', async () => {
    const backups = [await makeBackup(1), await makeBackup(2)];
    await copies().copyBackups(backups, NEVER);
    const manifest = s3.objects.get(`eu/${backups[0]?.name}/manifest.json`) as Buffer;
    s3.objects.set('eu/photos/manifest.json', manifest);
    s3.objects.set('eu/20261109T070000.000Z/manifest.json', Buffer.from('{'));
    const unreadable: string[] = [];
    const names = (await listStoredBackups(store, (name) => unreadable.push(name))).map(({ name }) => name);
    expect(names).toEqual(backups.map(({ name }) => name));
    expect(unreadable).toEqual(['20261109T070000.000Z']);
    await copies(2).copyBackups(backups, NEVER);
    expect((await listStoredBackups(store)).map(({ name }) => name)).toEqual(names);
    expect(storedKeys()).toContain('eu/photos/manifest.json');
  });

  it('belongs to one database', async () => {
    await claimStore(store, folder);
    await claimStore(store, folder);
    await writeFile(join(folder, 'system-identifier'), '7\n');
    await expect(claimStore(store, folder)).rejects.toThrow('holds the backups of another database');
  });

  it('keeps everybody of the list of erased players, also of a machine that was lost', async () => {
    const file = join(folder, 'erased-players');
    const entry = (playerHash: string) => ({ gameId: 1, playerHash, erasedAt: '2026-11-18T07:00:00.000Z' });
    const hashesOf = async () =>
      (await readErasedList(file)).flatMap(({ entries }) => entries.map(({ playerHash }) => playerHash));
    const [one, two, three] = ['1', '2', '3'].map((digit) => digit.repeat(64)) as [string, string, string];
    await appendToErasedList(file, 'key', [entry(one)]);
    const copying = copies();
    await copying.copyLog(NEVER);
    await appendToErasedList(file, 'key', [entry(two)]);
    await copying.copyLog(NEVER);
    expect(s3.objects.get('eu/erased-players')).toEqual(await readFile(file));

    const elsewhere = join(parent, 'not/there/yet');
    await addStoredErasedList(store, elsewhere);
    expect(await readErasedList(elsewhere)).toHaveLength(2);

    await rm(file);
    await appendToErasedList(file, 'key', [entry(three)]);
    await copies().copyLog(NEVER);
    expect((await hashesOf()).sort()).toEqual([one, two, three]);
    expect(s3.objects.get('eu/erased-players')).toEqual(await readFile(file));
  });

  it('is looked at by the doctor', async () => {
    const backup = await makeBackup(1);
    const bucket = { ...FAKE_KEY, endpoint: s3.endpoint, prefix: 'eu/' };
    const settings = (backupBucket: typeof bucket) => ({
      ...testSettings(),
      backupDir: folder,
      backupBucket,
    });
    const anHourLater = Date.parse(backup.manifest.finishedAt) + 3_600_000;
    const names = async () =>
      (await checkBackups(settings(bucket), anHourLater)).map((finding) => [finding.name, finding.warning]);
    const inFolder = [`backups in ${folder}: the last of 2026-11-01T07:00:00.000Z`, undefined];
    expect(await names()).toEqual([
      inFolder,
      ['backups in the bucket backups/eu/: none yet', 'there is none of the last day'],
    ]);
    await copyBackup(store, backup);
    expect(await names()).toEqual([
      inFolder,
      ['backups in the bucket backups/eu/: the last of 2026-11-01T07:00:00.000Z', undefined],
    ]);
    const [, refused] = await checkBackups(settings({ ...bucket, secretAccessKey: 'another' }), anHourLater);
    expect(refused?.problem).toContain('SignatureDoesNotMatch');
  });
});

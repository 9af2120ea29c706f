import { chown, mkdir, mkdtemp, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import {
  requireBackupsMovable,
  setBackupsAside,
} from '../../../../src/platform/embedded-postgres/backup/set-backups-aside.js';
import { clearAway, folders, makeFolder } from '../../../support/postgres-folders.js';

afterEach(clearAway);

const [MAJOR, SYSTEM] = ['17', '7'];
const BACKUP = '20260101T000000.000Z';
const ASIDE = `postgres-${MAJOR}-${SYSTEM}`;

async function makeBackups(): Promise<string> {
  const backups = await makeFolder();
  await mkdir(join(backups, BACKUP));
  await writeFile(join(backups, 'system-identifier'), `${SYSTEM}\n`);
  return backups;
}

it('backups that can be moved are left as they are until then', async () => {
  const backups = await makeBackups();
  await requireBackupsMovable(backups, MAJOR, SYSTEM);
  await mkdir(join(backups, 'wal'));
  await writeFile(join(backups, 'wal', 'segment.gz'), '');
  const before = await readdir(backups, { recursive: true });
  await requireBackupsMovable(backups, MAJOR, SYSTEM);
  expect(await readdir(backups, { recursive: true })).toEqual(before);

  expect(await setBackupsAside(backups, MAJOR, SYSTEM)).toBe(join(backups, ASIDE));
  expect((await readdir(join(backups, ASIDE), { recursive: true })).sort()).toEqual([
    BACKUP,
    'system-identifier',
    'wal',
    'wal/segment.gz',
  ]);
});

it.skipIf(process.getuid?.() !== 0)('as root: they stay those of the owner of the folder', async () => {
  const backups = await makeBackups();
  await chown(backups, 4242, 4243);
  const aside = (await setBackupsAside(backups, MAJOR, SYSTEM)) ?? '';
  for (const path of [aside, join(aside, 'wal')])
    expect(await stat(path)).toMatchObject({ uid: 4242, gid: 4243 });
});

it('a move that was killed is not undone', async () => {
  const backups = await makeBackups();
  await mkdir(join(backups, 'wal'));
  await mkdir(join(backups, ASIDE));
  await writeFile(join(backups, ASIDE, 'system-identifier'), `${SYSTEM}\n`);
  await requireBackupsMovable(backups, MAJOR, SYSTEM);
  expect(await readdir(join(backups, ASIDE))).toEqual(['system-identifier']);
});

it('those of another database are no matter, and a folder that is not there is none', async () => {
  const backups = await makeBackups();
  await writeFile(join(backups, ASIDE), 'in the way');
  await requireBackupsMovable(backups, MAJOR, '8');
  await requireBackupsMovable(join(backups, 'nowhere'), MAJOR, SYSTEM);
  await expect(requireBackupsMovable(backups, MAJOR, SYSTEM)).rejects.toThrow(
    `The backups of this database in ${backups} cannot be moved to a folder of their own`,
  );
});

it.skipIf(process.platform !== 'linux')('a log on another disk cannot be moved', async () => {
  const backups = await makeBackups();
  const elsewhere = await mkdtemp('/dev/shm/savepoint-wal-');
  folders.push(elsewhere);
  await symlink(elsewhere, join(backups, 'wal'));
  await expect(requireBackupsMovable(backups, MAJOR, SYSTEM)).rejects.toThrow('EXDEV');
  expect((await readdir(backups)).sort()).toEqual([BACKUP, 'system-identifier', 'wal']);
  expect(await readdir(elsewhere)).toEqual([]);
});

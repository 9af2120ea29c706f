import { mkdir, open, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  finishSwap,
  newStamp,
  refuseEmptyBeside,
  removeUnswapped,
} from '../../../src/platform/embedded-postgres/swap-clusters.js';
import { upgrade } from '../../support/major-upgrade.js';
import { clearAway, makeFolder, start } from '../../support/postgres-folders.js';

afterEach(clearAway);

/** Folders are clusters, each with a file that says whose it is; a name with a content is a file. */
async function makeFiles(root: string, ...names: (string | [string, string])[]): Promise<void> {
  for (const name of names) {
    if (typeof name !== 'string') await writeFile(join(root, name[0]), name[1]);
    else {
      await mkdir(join(root, name));
      await writeFile(join(root, name, 'PG_VERSION'), name);
    }
  }
}
const clusterIn = (root: string, name = 'postgres') => readFile(join(root, name, 'PG_VERSION'), 'utf8');

test('the next start finishes the swap of an upgrade, and only that of the same upgrade', async () => {
  const root = await makeFolder();
  await makeFiles(root, 'postgres.upgraded-2', 'postgres.of-postgres-17-1');
  await finishSwap(root);
  expect(await readdir(root)).not.toContain('postgres');
  await makeFiles(root, 'postgres.of-postgres-17-2');
  await finishSwap(root);
  expect(await clusterIn(root)).toBe('postgres.upgraded-2');
  expect((await readdir(root)).sort()).toEqual([
    'postgres',
    'postgres.of-postgres-17-1',
    'postgres.of-postgres-17-2',
  ]);
});

test('as root, where a link leads to the database', async () => {
  const [root, elsewhere] = [await makeFolder(), await makeFolder()];
  await symlink(join(elsewhere, '5f'), join(root, 'postgres'));
  await makeFiles(elsewhere, '5f.upgraded-2', '5f.of-postgres-17-2');
  await finishSwap(root);
  expect((await readdir(elsewhere)).sort()).toEqual(['5f', '5f.of-postgres-17-2']);
});

test('a link to a link, and one that leads nowhere', async () => {
  const [root, elsewhere, moved] = [await makeFolder(), await makeFolder(), await makeFolder()];
  await symlink(join(elsewhere, 'pg'), join(root, 'postgres'));
  await symlink(join('..', basename(moved), '5f'), join(elsewhere, 'pg'));
  await finishSwap(root);
  await makeFiles(moved, '5f.upgraded-2', '5f.of-postgres-17-2');
  await finishSwap(root);
  expect(await clusterIn(root)).toBe('5f.upgraded-2');
});

describe('a restore that was killed', () => {
  const STAGED: [string, string] = ['postgres-password.restored-2', 'new'];
  const REPLACED: [string, string] = ['postgres-password.replaced-2', 'old'];

  test.each([
    ['after the old database was set aside', STAGED, ['postgres-password', 'old']],
    ['after the old password was set aside', STAGED, REPLACED],
    ['before the last rename', ['postgres-password', 'new'], REPLACED],
  ] as [string, [string, string], [string, string]][])(
    '%s: the next start finishes it',
    async (_, ...passwords) => {
      const root = await makeFolder();
      await makeFiles(root, 'postgres.replaced-2', 'postgres.restored-2', ...passwords);
      await finishSwap(root);
      expect(await clusterIn(root)).toBe('postgres.restored-2');
      expect(await readFile(join(root, 'postgres-password'), 'utf8')).toBe('new');
      expect(await readFile(join(root, REPLACED[0]), 'utf8')).toBe('old');
      expect(await clusterIn(root, 'postgres.replaced-2')).toBe('postgres.replaced-2');
      expect(await readdir(root)).toHaveLength(4);
    },
  );

  test('into an empty place: the next start finishes it', async () => {
    const root = await makeFolder();
    const stamp = newStamp(true);
    await makeFiles(root, `postgres.restored-${stamp}`, [`postgres-password.restored-${stamp}`, 'new']);
    // Of a start or a hand; no database is in it.
    await mkdir(join(root, 'postgres'));
    expect(await finishSwap(root)).toBe('restored');
    expect(await clusterIn(root)).toBe(`postgres.restored-${stamp}`);
    expect(await readFile(join(root, 'postgres-password'), 'utf8')).toBe('new');
    expect(await readdir(root)).toHaveLength(2);
    expect(await finishSwap(root)).toBeUndefined();
  });

  test('into an empty place: the next restore begins anew', async () => {
    const root = await makeFolder();
    const stamp = newStamp(true);
    await makeFiles(root, `postgres.restored-${stamp}`, [`postgres-password.restored-${stamp}`, 'new']);
    expect(await finishSwap(root, true)).toBeUndefined();
    await removeUnswapped(root, join(root, 'postgres'), 'restored');
    expect(await readdir(root)).toEqual([]);
  });

  test('into an empty place, which a database has taken since: that one stays', async () => {
    const root = await makeFolder();
    await makeFiles(root, 'postgres', `postgres.restored-${newStamp(true)}`);
    expect(await finishSwap(root)).toBeUndefined();
    expect(await clusterIn(root)).toBe('postgres');
  });

  test('a power cut in it leaves the old secret or both, never the new one alone', async () => {
    const root = await makeFolder();
    await makeFiles(root, 'postgres.replaced-2', 'postgres.restored-2', STAGED, ['postgres-password', 'old']);
    const handle = await open(root);
    await handle.close();
    // What is in the folder when it is synced is the least that a power cut leaves from then on.
    const synced: string[][] = [];
    const sync = vi.spyOn(Object.getPrototypeOf(handle), 'sync').mockImplementation(async () => {
      synced.push((await readdir(root)).filter((name) => name.startsWith('postgres-')).sort());
    });
    try {
      await finishSwap(root);
    } finally {
      sync.mockRestore();
    }
    const both = ['postgres-password', REPLACED[0]];
    expect(synced).toEqual([[REPLACED[0], STAGED[0]], both, both]);
  });

  test('before it: the old database is used, and the next restore deletes what is left', async () => {
    const root = await makeFolder();
    await makeFiles(root, 'postgres', 'postgres.restored-2', STAGED, ['postgres-password', 'old']);
    await makeFiles(root, 'postgres.replaced-1', 'postgres.upgraded-1');
    await finishSwap(root);
    expect(await clusterIn(root)).toBe('postgres');
    await removeUnswapped(root, join(root, 'postgres'), 'restored');
    expect((await readdir(root)).sort()).toEqual([
      'postgres',
      'postgres-password',
      'postgres.replaced-1',
      'postgres.upgraded-1',
    ]);
    expect(await readFile(join(root, 'postgres-password'), 'utf8')).toBe('old');
  });
});

describe('no empty database beside one that was set aside', () => {
  test.each(['replaced-1', 'of-postgres-17-1', 'upgraded-1', 'restored-1'])('%s', async (ending) => {
    const root = await makeFolder();
    await makeFiles(root, `postgres.${ending}`, ['postgres-password', 'secret']);
    const sentence = `There is no database in ${join(root, 'postgres')}, but an upgrade or a restore has left these beside it:
  ${join(root, 'postgres')}.${ending}
To use one of them, rename it to postgres`;
    const before = await readdir(root);
    await expect(start(root)).rejects.toThrow(sentence);
    await expect(upgrade(root)).rejects.toThrow(sentence);
    expect((await readdir(root)).filter((name) => !name.startsWith('postgres-run'))).toEqual(before);
  });

  test('one that lived elsewhere, and whose data folder was deleted, does not count', async () => {
    const [root, elsewhere] = [await makeFolder(), await makeFolder()];
    await makeFiles(elsewhere, '5f.of-postgres-17-1');
    await refuseEmptyBeside(root, join(elsewhere, '5f'));
    await makeFiles(root, ['postgres-password', 'secret']);
    await expect(refuseEmptyBeside(root, join(elsewhere, '5f'))).rejects.toThrow('There is no database in');
  });

  test('one that lives elsewhere, and whose password a restore had not yet put in its place', async () => {
    const [root, elsewhere] = [await makeFolder(), await makeFolder()];
    await makeFiles(elsewhere, '5f.restored-1');
    await makeFiles(root, ['postgres-password.restored-1', 'secret']);
    await expect(refuseEmptyBeside(root, join(elsewhere, '5f'))).rejects.toThrow('There is no database in');
  });
});

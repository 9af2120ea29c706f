import { spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkFolders } from '../../../src/app/cli/doctor-folders.js';
import { SAVEPOINT } from '../../support/command.js';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'savepoint-folders-'));
});
afterAll(() => rm(root, { recursive: true }));

const NOTHING = { databaseUrl: undefined, masterKey: 'k', erasedList: undefined, backupDir: undefined };
const checkIn = (folder: string, settings: Partial<Parameters<typeof checkFolders>[0]> = {}) =>
  checkFolders({ ...NOTHING, dataDir: join(folder, 'data'), eventFiles: undefined, ...settings });
const eventFilesIn = (dir: string) => ({ dir, bucket: undefined, cacheMb: 1 });

it('tries every folder that the service writes to, and leaves nothing there', async () => {
  const folder = join(root, 'all');
  for (const name of ['data', 'backups', 'lists']) await mkdir(join(folder, name), { recursive: true });
  const findings = await checkIn(folder, {
    backupDir: join(folder, 'backups'),
    eventFiles: eventFilesIn(join(folder, 'files')),
    erasedList: join(folder, 'lists', 'erased'),
  });
  expect(findings).toEqual([
    { name: `data folder ${folder}/data` },
    { name: `folder of backups ${folder}/backups` },
    { name: `folder of event files ${folder}/files (made when it is needed)` },
    { name: `list of erased players in ${folder}/lists` },
  ]);
  expect((await readdir(folder, { recursive: true })).sort()).toEqual(['backups', 'data', 'lists']);
});

it('says of each that cannot be written what to do', async () => {
  const folder = join(root, 'files');
  await mkdir(folder);
  await writeFile(join(folder, 'file'), '');
  const within = join(folder, 'file', 'folder');
  const findings = await checkIn(folder, {
    dataDir: within,
    backupDir: within,
    eventFiles: eventFilesIn(within),
    erasedList: join(within, 'erased'),
  });
  expect(findings.map(({ problem, advice }) => [problem?.split(':')[0], advice])).toEqual(
    ['SAVEPOINT_DATA_DIR', 'SAVEPOINT_BACKUP_DIR', 'SAVEPOINT_EVENT_FILES_DIR', 'SAVEPOINT_ERASED_LIST'].map(
      (setting) => ['ENOTDIR', `Choose another one with ${setting}.`],
    ),
  );
});

it('needs no data folder for a database and a master key of their own, but for the list of erased players', async () => {
  const folder = join(root, 'external');
  const elsewhere = { databaseUrl: 'postgres://db', backupDir: '/proc/none' };
  const findings = await checkIn(folder, elsewhere);
  expect(findings.map(({ name }) => name)).toEqual([
    `data folder ${folder}/data (not needed for the database and the master key)`,
    'list of erased players in /proc/none (made when it is needed)',
  ]);
  expect(findings[1]?.problem).toBeDefined();
});

it('says that others can read the master key', async () => {
  const folder = join(root, 'key');
  await mkdir(join(folder, 'data'), { recursive: true });
  const file = join(folder, 'data', 'master-key');
  await writeFile(file, 'k');
  await chmod(file, 0o644);
  const [data] = await checkIn(folder);
  expect(data).toMatchObject({ problem: `${file} can be read by others`, advice: `chmod 600 ${file}` });
});

const MAY_MOUNT = spawnSync('unshare', ['--mount', 'true']).status === 0;

it.skipIf(!MAY_MOUNT)(
  'finds what systemd has made read-only, though its mode lets everybody write',
  async () => {
    const folder = join(root, 'strict');
    for (const name of ['data', 'backups']) await mkdir(join(folder, name), { recursive: true });
    // As ProtectSystem=strict with ReadWritePaths does it, for one process.
    const strict = [
      `mount --bind ${folder} ${folder}`,
      `mount --bind ${folder}/data ${folder}/data`,
      `mount -o remount,ro,bind ${folder}`,
      `exec ${process.execPath} ${SAVEPOINT} doctor`,
    ].join(' && ');
    const { stdout, status } = spawnSync('unshare', ['--mount', 'sh', '-c', strict], {
      encoding: 'utf8',
      env: {
        PATH: process.env.PATH,
        SAVEPOINT_ENV: 'development',
        SAVEPOINT_DATA_DIR: `${folder}/data`,
        SAVEPOINT_BACKUP_DIR: `${folder}/backups`,
        SAVEPOINT_EVENT_FILES_DIR: `${folder}/files`,
      },
    });
    expect(stdout).toContain(`  ok       data folder ${folder}/data\n`);
    expect(stdout).toContain(
      `  PROBLEM  folder of backups ${folder}/backups: ${folder}/backups can only be read here\n` +
        `           If systemd runs the service, let it write there: \`systemctl edit savepoint\`, the lines [Service] and ReadWritePaths=${folder}/backups, and a restart.`,
    );
    expect(stdout).toMatch(
      /PROBLEM {2}folder of event files .*\n {11}Make the folder: install -d -m 750 -o \S+ \S+\/files\. /,
    );
    expect(stdout).toContain(`PROBLEM  list of erased players in ${folder}/backups`);
    expect(status).toBe(1);
  },
);

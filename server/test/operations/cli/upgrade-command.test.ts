import { expect, test } from 'vitest';
import { describeBackup } from '../../../src/operations/cli/backup-option.js';
import { describeUpgrade } from '../../../src/operations/cli/upgrade-command.js';
import type { Manifest } from '../../../src/platform/embedded-postgres/backup/manifest.js';
import { runCommandWith } from '../../support/command.js';

const UPGRADED = {
  from: '17.10.0-beta.17',
  to: '18.4.0-beta.17',
  tables: 80,
  rows: 1_234_567,
  kept: '/d/postgres.of-postgres-17-20261118',
};

test('an upgrade says what it did, where the old database is, and what is left to do', () => {
  expect(
    describeUpgrade({ ...UPGRADED, backups: undefined }, { backupDir: undefined, backupBucket: undefined }),
  ).toEqual([
    'Moved from PostgreSQL 17.10.0-beta.17 to 18.4.0-beta.17: 1,234,567 rows of 80 tables, each table read again and compared.',
    'The old database is in /d/postgres.of-postgres-17-20261118. Delete it when you do not need it any more: players who are erased from now on are still in it.',
    'No backup of the old database can be restored by this Savepoint. Make one of the new: savepoint backup --to <folder>',
    'Start the service now. Then compare the numbers of each game with its events: savepoint rollups check',
  ]);
  const withBackups = describeUpgrade(
    { ...UPGRADED, backups: '/b/postgres-17-7' },
    {
      backupDir: '/b',
      backupBucket: {
        bucket: 'backups',
        prefix: '',
        endpoint: 'https://s3.example.com',
        region: 'eu',
        accessKeyId: 'a',
        secretAccessKey: 's',
      },
    },
  );
  expect(withBackups).toContain(
    'Its backups are in /b/postgres-17-7. Only a Savepoint with PostgreSQL 17 restores them, and nothing deletes them but you.',
  );
  expect(withBackups).toContain(
    'The service makes the first backup of the new database in /b when it starts.',
  );
  expect(withBackups.join()).toContain('set another SAVEPOINT_BACKUP_S3_PREFIX before you start');
});

test('a list of backups says which of them this build cannot restore', () => {
  const finishedAt = '2026-11-18T07:00:00.000Z';
  const manifest = { postgres: '17.10', files: [], finishedAt } as Partial<Manifest> as Manifest;
  const backup = { name: '20261118T070000.000Z', folder: '/b', manifest };
  expect(describeBackup(backup, '18')).toContain(
    `of ${finishedAt}, restorable only by a Savepoint with PostgreSQL 17`,
  );
  expect(describeBackup(backup, '17')).toContain(`restorable to any moment from ${finishedAt}`);
});

test('another server is upgraded by its own tools', async () => {
  const { errors, code } = await runCommandWith(
    { SAVEPOINT_ENV: 'production', DATABASE_URL: 'postgres://localhost/none' },
    'upgrade',
    '--from-binaries',
    '/nowhere',
  );
  expect(errors).toContain('DATABASE_URL is set, and this command is for the embedded PostgreSQL');
  expect(code).toBe(1);
});

import { expect, it } from 'vitest';
import { createBackupMetrics } from '../../../src/operations/backups/backup-metrics.js';

it('backups have metrics only where backups are made', async () => {
  const metrics = createBackupMetrics();
  metrics.setBackup(1_000);
  expect((await metrics.registry.metrics()).trim()).toBe('');
});

it('a service that makes backups tells of the last one and of the archive from its start on', async () => {
  const metrics = createBackupMetrics();
  metrics.begin(60_000);
  const values = async () =>
    (await metrics.registry.metrics()).split('\n').filter((line) => line.startsWith('savepoint_'));
  expect(await values()).toEqual([
    'savepoint_last_backup_timestamp_seconds 0',
    'savepoint_log_archived_timestamp_seconds 60',
  ]);
  metrics.setBackup(90_000);
  metrics.setArchived(120_500);
  expect(await values()).toEqual([
    'savepoint_last_backup_timestamp_seconds 90',
    'savepoint_log_archived_timestamp_seconds 120.5',
  ]);
});

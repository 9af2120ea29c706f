import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import { createBackupMetrics } from '../../../src/operations/backups/backup-metrics.js';
import { scheduleBackups } from '../../../src/operations/backups/backup-schedule.js';
import { FAKE_KEY, startFakeS3 } from '../../support/fake-s3.js';
import {
  clearAway,
  eventually,
  makeFolder,
  makePreparedFolder,
  query,
  start,
} from '../../support/postgres-folders.js';

afterEach(clearAway);

test('a bucket that hangs holds up neither the archive in the folder nor a stop', async () => {
  const [dataDir, backupDir] = [await makePreparedFolder(), join(await makeFolder(), 'backups')];
  const { url, stop } = await start(dataDir);
  await query(url, 'create table notes (text text)');
  const s3 = await startFakeS3();
  s3.hang();
  const schedule = await scheduleBackups(dataDir, {
    dataDir,
    backupDir,
    backupsKept: 7,
    backupBucket: { ...FAKE_KEY, endpoint: s3.endpoint, prefix: '' },
    erasedList: undefined,
    now: Date.now,
    logger: pino({ enabled: false }),
    metrics: createBackupMetrics(),
  });
  await eventually(async () => expect(s3.requests).not.toEqual([]));
  const archived = async () => (await readdir(join(backupDir, 'wal'))).length;
  const before = await archived();
  await query(url, "insert into notes values ('after the bucket hangs')");
  await schedule.stop();
  expect(await archived()).toBeGreaterThan(before);
  await stop();
  await s3.close();
});

import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FAKE_KEY, type FakeS3, startFakeS3 } from '../../server/test/support/fake-s3.js';
import { get, runSavepoint, type Service, startService, temporaryFolder, until } from '../support/service.js';
import { compareWithMoment, countAcknowledged, type Sent, startTraffic } from './event-traffic.js';

const PLAYERS = 20;
/** The log is archived once a minute. */
const ARCHIVE_TIMEOUT_MS = 180_000;
const GAME = ['--tenant', 'demo-studio', '--game', 'demo-game'];
const EVENTS = ['export', 'events', ...GAME, '--from', '2020-01-01', '--to', '2100-01-01'];

/**
 * Players send while the service archives its log and a backup is made; then everything is killed and the data folder is deleted. After a
 * restore to a moment each event that was acknowledged before it is there once, none that was sent after it is, tokens work and the recount agrees.
 * With `--bucket` the folder of the backups is deleted, too, and comes back from an S3-compatible store.
 */
export async function tryBackup(args: readonly string[]): Promise<readonly string[]> {
  if (!args.includes('--bucket')) return restoreAfterLoss(undefined);
  const s3 = await startFakeS3();
  return restoreAfterLoss(s3).finally(() => s3.close());
}

async function restoreAfterLoss(s3: FakeS3 | undefined): Promise<readonly string[]> {
  const [dataDir, parent] = [await temporaryFolder(), await temporaryFolder()];
  const backups = join(parent, 'backups');
  const settings = {
    SAVEPOINT_DATA_DIR: dataDir,
    SAVEPOINT_BACKUP_DIR: backups,
    SAVEPOINT_ENV: 'development',
    ...(s3 === undefined ? {} : bucketSettings(s3)),
  };
  const problems: string[] = [];
  const run = async (...args: string[]): Promise<string> => {
    const { code, output } = await runSavepoint(args, settings);
    process.stdout.write(`savepoint ${args.slice(0, 2).join(' ')}: ${output.trim().split('\n').at(-1)}\n`);
    if (code !== 0) problems.push(`savepoint ${args.join(' ')}: ${output}`);
    return output;
  };

  const service = await startService(settings);
  const sent = new Map<string, Sent>();
  const traffic = await startTraffic(service.api, sent, { players: PLAYERS });
  await until(async () => (await wholeBackups(backups)) >= 1, ARCHIVE_TIMEOUT_MS);
  // With a bucket, once it is there.
  await until(async () => {
    const { body } = await get(`${service.ops}/metrics`);
    return /^savepoint_last_backup_timestamp_seconds [1-9]/m.test(String(body));
  }, ARCHIVE_TIMEOUT_MS);
  await run('backup');
  const moment = new Date();
  const archivedBefore = (await readdir(join(backups, 'wal'))).length;
  await until(
    async () => (await readdir(join(backups, 'wal'))).length >= archivedBefore + 2,
    ARCHIVE_TIMEOUT_MS,
  );
  if (s3 !== undefined) {
    const stored = () =>
      [...s3.objects.keys()].filter((key) => key.includes('/wal/0') && !/Z\/wal/.test(key));
    await until(() => stored().length >= archivedBefore + 2, ARCHIVE_TIMEOUT_MS);
  }
  await killAll(service, dataDir);
  await traffic.stop();
  await rm(dataDir, { recursive: true, force: true });
  if (s3 !== undefined) {
    await rm(backups, { recursive: true, force: true });
    await run('backup', 'list', '--bucket');
    await run('backup', 'fetch', '--at', moment.toISOString());
  }

  await run('backup', 'verify');
  await run('restore', '--at', moment.toISOString());
  const restored = await startService(settings);
  problems.push(...compareWithMoment(await run(...EVENTS), sent, moment));
  for (const { headers } of traffic.players.slice(0, 3)) {
    const { status } = await get(`${restored.api}/v1/player/status`, headers);
    if (status !== 200) problems.push(`a token from before the restore gets ${status}`);
  }
  await run('rollups', 'check', ...GAME);
  await restored.interrupt();

  await run('restore', '--replace', '--backup', (await firstBackup(backups)) ?? '');
  const atEnd = countLines(await run(...EVENTS));
  process.stdout.write(`restored to the end: ${atEnd} of ${countAcknowledged(sent)} acknowledged events\n`);
  await run('rollups', 'check', ...GAME);
  return problems;
}

function bucketSettings({ endpoint }: FakeS3): Record<string, string> {
  return {
    SAVEPOINT_S3_ENDPOINT: endpoint,
    SAVEPOINT_S3_REGION: FAKE_KEY.region,
    SAVEPOINT_S3_ACCESS_KEY_ID: FAKE_KEY.accessKeyId,
    SAVEPOINT_S3_SECRET_ACCESS_KEY: FAKE_KEY.secretAccessKey,
    SAVEPOINT_BACKUP_S3_BUCKET: FAKE_KEY.bucket,
    SAVEPOINT_BACKUP_S3_PREFIX: 'trial',
  };
}

const countLines = (text: string): number => text.match(/"eventId":"p/g)?.length ?? 0;
const listBackups = async (backups: string): Promise<string[]> =>
  (await readdir(backups).catch(() => [])).filter((name) => /^\d+T[\d.]+Z$/.test(name)).sort();
const wholeBackups = async (backups: string): Promise<number> => (await listBackups(backups)).length;
const firstBackup = async (backups: string): Promise<string | undefined> => (await listBackups(backups))[0];

/** kill -9 of the service with all its processes, and of PostgreSQL. */
async function killAll(service: Service, dataDir: string): Promise<void> {
  const postmaster = Number.parseInt(await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10);
  process.kill(-service.pid, 'SIGKILL');
  process.kill(postmaster, 'SIGKILL');
  await until(() => !isAlive(postmaster), ARCHIVE_TIMEOUT_MS);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

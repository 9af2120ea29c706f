import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  createS3Client,
  type S3Client,
  type S3Settings,
} from '../../server/src/platform/lib/s3/s3-client.js';
import { FAKE_KEY, startFakeS3 } from '../../server/test/support/fake-s3.js';
import { get, runSavepoint, type Service, startService, temporaryFolder, until } from '../support/service.js';
import { startCephStore } from './ceph-store.js';
import { compareWithMoment, countAcknowledged, type Sent, startTraffic } from './event-traffic.js';
import { askFilesInBucket, writeFilesToBucket } from './files-in-bucket.js';
import { checkStore } from './store-checks.js';
import type { TrialStore } from './trial-store.js';

const PLAYERS = 20;
/** The log is archived once a minute. */
const ARCHIVE_TIMEOUT_MS = 180_000;
const GAME = ['--tenant', 'demo-studio', '--game', 'demo-game'];
const BACKUP_PREFIX = 'trial';
const FILES_PREFIX = 'files';
const EVENTS = ['export', 'events', ...GAME, '--from', '2020-01-01', '--to', '2100-01-01'];

/**
 * Players send while the service archives its log and a backup is made; then everything is killed and the data folder is deleted. After a
 * restore to a moment each event that was acknowledged before it is there once, none that was sent after it is, tokens work and the recount agrees.
 * With `--bucket` the folder of the backups is deleted, too, and comes back from an S3-compatible store: that of our tests, or Ceph's. The store is
 * asked first what it does with odd keys, long lists, large objects and wrong keys. Files of closed days are written to it, and read again.
 */
export async function tryBackup(args: readonly string[]): Promise<readonly string[]> {
  const store = await startStore(args);
  if (store === undefined) return restoreAfterLoss(undefined);
  try {
    return [...(await checkStore(store.settings)), ...(await restoreAfterLoss(store.settings))];
  } finally {
    await store.stop();
  }
}

async function startStore(args: readonly string[]): Promise<TrialStore | undefined> {
  const at = args.indexOf('--bucket');
  if (at === -1) return undefined;
  const name = args[at + 1];
  if (name === 'ceph') return startCephStore();
  if (name !== undefined) throw new Error(`There is no store ${name}: --bucket or --bucket ceph`);
  const fake = await startFakeS3();
  return { settings: { ...FAKE_KEY, endpoint: fake.endpoint }, stop: () => fake.close() };
}

async function restoreAfterLoss(s3: S3Settings | undefined): Promise<readonly string[]> {
  const [dataDir, parent] = [await temporaryFolder(), await temporaryFolder()];
  const [backups, files] = [join(parent, 'backups'), join(parent, 'files')];
  const client = s3 === undefined ? undefined : createS3Client(s3, Date.now);
  const settings = {
    SAVEPOINT_DATA_DIR: dataDir,
    SAVEPOINT_BACKUP_DIR: backups,
    SAVEPOINT_ENV: 'development',
    ...(s3 === undefined ? {} : bucketSettings(s3, files)),
  };
  const problems: string[] = [];
  const run = async (...args: string[]): Promise<string> => {
    const startMs = performance.now();
    const { code, output } = await runSavepoint(args, settings);
    const seconds = ((performance.now() - startMs) / 1_000).toFixed(1);
    process.stdout.write(
      `savepoint ${args.slice(0, 2).join(' ')}: ${output.trim().split('\n').at(-1)} (${seconds} s)\n`,
    );
    if (code !== 0) problems.push(`savepoint ${args.join(' ')}: ${output}`);
    return output;
  };

  const service = await startService(settings);
  if (client !== undefined)
    await writeFilesToBucket(run, client, { prefix: FILES_PREFIX, folder: parent, game: GAME });
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
  if (client !== undefined) {
    const countStored = async () => (await client.list(`${BACKUP_PREFIX}/wal/0`)).objects.length;
    await until(async () => (await countStored()) >= archivedBefore + 2, ARCHIVE_TIMEOUT_MS);
    problems.push(...(await askFilesInBucket(run, GAME)));
  }
  await killAll(service, dataDir);
  await traffic.stop();
  await rm(dataDir, { recursive: true, force: true });
  if (client !== undefined) {
    for (const folder of [backups, files]) await rm(folder, { recursive: true, force: true });
    await describeBucket(client);
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
  if (client !== undefined) problems.push(...(await askFilesInBucket(run, GAME)));
  await restored.interrupt();

  await run('restore', '--replace', '--backup', (await firstBackup(backups)) ?? '');
  const atEnd = countLines(await run(...EVENTS));
  process.stdout.write(`restored to the end: ${atEnd} of ${countAcknowledged(sent)} acknowledged events\n`);
  await run('rollups', 'check', ...GAME);
  return problems;
}

function bucketSettings(s3: S3Settings, files: string): Record<string, string> {
  return {
    SAVEPOINT_S3_ENDPOINT: s3.endpoint,
    SAVEPOINT_S3_REGION: s3.region,
    SAVEPOINT_S3_ACCESS_KEY_ID: s3.accessKeyId,
    SAVEPOINT_S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
    SAVEPOINT_BACKUP_S3_BUCKET: s3.bucket,
    SAVEPOINT_BACKUP_S3_PREFIX: BACKUP_PREFIX,
    SAVEPOINT_EVENT_FILES_S3_BUCKET: s3.bucket,
    SAVEPOINT_EVENT_FILES_S3_PREFIX: FILES_PREFIX,
    SAVEPOINT_EVENT_FILES_DIR: files,
  };
}

async function describeBucket(client: S3Client): Promise<void> {
  const { objects } = await client.list('');
  const megabytes = objects.reduce((sum, { size }) => sum + size, 0) / 1e6;
  process.stdout.write(`the bucket has ${objects.length} objects of ${megabytes.toFixed(1)} MB\n`);
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

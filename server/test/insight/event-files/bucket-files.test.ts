/** @module-tag full */
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recountGame } from '../../../src/insight/analytics/recount.js';
import { checkEventFiles } from '../../../src/insight/cli/doctor-event-files.js';
import { removeUnusedCopies } from '../../../src/insight/event-files/asking/local-copies.js';
import { createBucketStore } from '../../../src/insight/event-files/bucket-store.js';
import type { FileStore, NewFile } from '../../../src/insight/event-files/file-store.js';
import type { GameFolder } from '../../../src/insight/event-files/manifest.js';
import { writeFilesInThread } from '../../../src/insight/event-files/run-event-files-thread.js';
import { ERASED_AFTER_MS } from '../../../src/insight/event-files/writing/write-files.js';
import { createS3Client } from '../../../src/platform/lib/s3/s3-client.js';
import { DAY, DAY_START, fillClosedDay, NOW, send, TABLE } from '../../support/closed-day.js';
import { createFilesFolder, type FilesFolder } from '../../support/event-files.js';
import { FAKE_KEY, type FakeS3, startFakeS3 } from '../../support/fake-s3.js';
import {
  adImpressionAt,
  createGameWorld,
  DAY_MS,
  type GameWorld,
  type TestPlayer,
} from '../../support/game-world.js';

const PREFIX = 'eu/';
const NO_PAUSES = [0, 0, 0];
const ATTEMPTS = NO_PAUSES.length + 1;
const HOUR_MS = 3_600_000;
const COUNT = 'select count(*)::integer from events';
const NAME = (generation: number, game = 'one') => `studio/${game}/events-${DAY}-g${generation}.parquet`;

let world: GameWorld;
let s3: FakeS3;
let files: FilesFolder;
let other: FilesFolder;
let players: TestPlayer[];
let one: GameFolder;
beforeAll(async () => {
  world = await createGameWorld();
  s3 = await startFakeS3();
  files = await createFilesFolder(world.pool, bucketOf(s3));
  other = await createFilesFolder(world.pool, bucketOf(s3));
  players = await fillClosedDay(world);
  one = { gameId: players[0]?.gameId ?? 0, tenant: 'studio', game: 'one' };
  await world.pool.query("insert into event_block_days (day, state) values ($1, 'kept')", [DAY]);
});
afterAll(async () => {
  await files.remove();
  await other.remove();
  await s3.close();
  await world.close();
});

const bucketOf = ({ endpoint }: FakeS3) => ({ ...FAKE_KEY, endpoint, prefix: PREFIX });

let lateEvents = 77_000;
/** The first player is one of game `one`, the last one of game `two`. */
async function addLateEvent(player = players[0]): Promise<void> {
  await send(world, player as TestPlayer, [adImpressionAt(DAY_START, lateEvents++)], DAY_START);
}

/** The bucket as a run opens it, without pauses between attempts, and with some of it replaced. */
function storeWith(changes: (real: FileStore) => Partial<FileStore> = () => ({})): FileStore {
  const client = createS3Client(bucketOf(s3), Date.now, NO_PAUSES);
  const real = createBucketStore(client, PREFIX, files.folder);
  return { ...real, ...changes(real) };
}

const withCommit = (commit: (file: NewFile) => Promise<void>) =>
  storeWith((real) => ({
    async create(name) {
      const file = await real.create(name);
      return { ...file, commit: () => commit(file) };
    },
  }));

const requestsFor = (method: string, ending: string) =>
  s3.requests.filter((request) => request.startsWith(`${method} `) && request.endsWith(ending)).length;

/** What the manifest says of a game. The objects that it names are as it says. */
async function listed(game = 'one') {
  const { files: entries } = await files.manifest(game);
  for (const { file, sha256 } of entries) {
    const stored = s3.objects.get(`${PREFIX}studio/${game}/${file}`) ?? '';
    expect(createHash('sha256').update(stored).digest('hex')).toBe(sha256);
  }
  return entries.map(({ generation, events }) => ({ generation, events }));
}

/** Each of these goes on from the state that the one before has left. */
describe('the files of a closed day in a bucket', () => {
  it('are objects, and nothing stays in the folder', async () => {
    expect(await files.write()).toMatchObject({ state: 'done', files: 2 });
    expect([...s3.objects.keys()].sort()).toEqual(
      [NAME(1), 'studio/one/manifest.json', NAME(1, 'two'), 'studio/two/manifest.json'].map(
        (name) => `${PREFIX}${name}`,
      ),
    );
    expect(await readdir(files.folder)).toEqual([]);
    const { events, differenceCount } = await recountGame(world.pool, one.gameId);
    expect(differenceCount).toBe(0);
    expect(await listed()).toEqual([{ generation: 1, events }]);
    expect(await files.rows(one, COUNT)).toEqual([[events]]);
  });

  it('are those of all nodes: one of them writes a file, once', async () => {
    expect(await other.write()).toEqual({ state: 'done', files: 0, events: 0 });
    await addLateEvent();
    const written = await Promise.all([files.write(), other.write()]);
    expect(written.reduce((sum, result) => sum + result.files, 0)).toBe(1);
    const [second] = await listed();
    expect(second?.generation).toBe(2);
    expect(await other.rows(one, COUNT)).toEqual([[second?.events]]);
  });

  it('are as before when the store fails in the middle, and the next run writes them', async () => {
    await addLateEvent();
    const [before] = await listed();
    const store = withCommit((file) => {
      s3.failNext(ATTEMPTS, 503);
      return file.commit();
    });
    await expect(files.write({ store })).rejects.toThrow(
      `the events of studio/one of ${DAY} could not be written: S3, writing ${PREFIX}${NAME(3)}: status 503`,
    );
    expect(await listed()).toEqual([before]);
    expect(s3.objects.has(`${PREFIX}${NAME(3)}`)).toBe(false);
    s3.failNext(ATTEMPTS - 1, 500);
    expect(await files.write({ store: storeWith() })).toMatchObject({ state: 'done', files: 1 });
    expect(await listed()).toEqual([{ generation: 3, events: (before?.events ?? 0) + 1 }]);
  });

  it('do not count before their row is there: an object of a run that was killed is replaced', async () => {
    await addLateEvent();
    const [before] = await listed();
    const store = withCommit(async (file) => {
      await file.commit();
      throw new Error('killed');
    });
    await expect(files.write({ store })).rejects.toThrow('killed');
    expect(s3.objects.has(`${PREFIX}${NAME(4)}`)).toBe(true);
    expect(await listed()).toEqual([before]);
    expect(await files.rows(one, COUNT)).toEqual([[before?.events]]);
    await addLateEvent();
    expect(await files.write()).toMatchObject({ state: 'done', files: 1 });
    expect(await listed()).toEqual([{ generation: 4, events: (before?.events ?? 0) + 2 }]);
  });

  it('are in the manifest by the next run when only that could not be written', async () => {
    await addLateEvent();
    const replace = () => Promise.reject(new Error('killed'));
    await expect(files.write({ store: storeWith(() => ({ replace })) })).rejects.toThrow('killed');
    expect(await listed()).toMatchObject([{ generation: 4 }]);
    expect(await files.write()).toMatchObject({ state: 'done', files: 0 });
    expect(await listed()).toMatchObject([{ generation: 5 }]);
  });

  it('are not tried one by one while the store is away', async () => {
    await addLateEvent();
    await addLateEvent(players.at(-1));
    const before = requestsFor('PUT', '.parquet');
    const store = withCommit((file) => {
      s3.failNext(1_000, 503);
      return file.commit();
    });
    await expect(files.write({ store })).rejects.toThrow('status 503');
    s3.failNext(0, 200);
    expect(requestsFor('PUT', '.parquet') - before).toBe(ATTEMPTS);
    expect(await files.write()).toMatchObject({ state: 'done', files: 2 });
  });

  it('are written again where an object is missing, or is not as long as it was', async () => {
    s3.objects.delete(`${PREFIX}${NAME(6)}`);
    expect(await files.write()).toMatchObject({ files: 1 });
    s3.objects.set(`${PREFIX}${NAME(7)}`, Buffer.from('PAR1'));
    expect(await files.write()).toMatchObject({ files: 1 });
    expect(await listed()).toMatchObject([{ generation: 8 }]);
  });

  it('lose the events of an erased player, and former generations go, here and in the copies for questions', async () => {
    const [, second] = players as [TestPlayer, TestPlayer];
    const { rows } = await world.pool.query<{ key: string }>(
      'select key from player_keys where player_id = $1',
      [second.playerId],
    );
    const count = `select count(*)::integer from events where player_key = '${rows[0]?.key}'`;
    expect((await files.rows(one, count))[0]?.[0]).toBeGreaterThan(0);
    await world.pool.query('delete from players where id = $1', [second.playerId]);
    await world.pool.query(`delete from ${TABLE} where player_id = $1`, [second.playerId]);
    await world.pool.query('delete from player_keys where player_id = $1', [second.playerId]);
    const nowMs = NOW + ERASED_AFTER_MS + DAY_MS;
    expect(await files.write({ nowMs })).toMatchObject({ files: 1 });
    await files.write({ nowMs: nowMs + DAY_MS });
    expect((await files.list()).filter((name) => name.startsWith('studio/one/events'))).toEqual([NAME(9)]);
    expect(await files.rows(one, count)).toEqual([[0]]);
    // An hour after the last question.
    expect([...(await removeUnusedCopies(files.folder, Date.now())).keys()]).toContain(NAME(8));
    expect(await removeUnusedCopies(files.folder, Date.now() + 2 * HOUR_MS)).toEqual(new Map());
    expect(await readdir(`${files.folder}/studio/one`)).toEqual([]);
  });

  it('leave alone what they cannot read as their own', async () => {
    const others = [`${PREFIX}notes.txt`, `another/studio/one/events-${DAY}-g1.parquet`];
    for (const name of others) s3.objects.set(name, Buffer.from('x'));
    await files.write();
    expect([...s3.objects.keys()]).toEqual(expect.arrayContaining(others));
  });
});

describe('a question to files in a bucket', () => {
  it('copies each file once', async () => {
    const before = requestsFor('GET', '.parquet');
    await files.rows(one, COUNT);
    await files.rows(one, COUNT);
    expect(requestsFor('GET', '.parquet')).toBe(before + 1);
  });

  it('says when the files are larger than their copies may be', async () => {
    const small = await createFilesFolder(world.pool, bucketOf(s3), 0);
    expect(await small.ask(one, COUNT)).toMatchObject({
      outcome: 'too_many_files',
      message: expect.stringContaining('0 MB of files may be copied'),
    });
    await small.remove();
  });

  it('does not ask a file that is not what was written', async () => {
    const fresh = await createFilesFolder(world.pool, bucketOf(s3));
    const key = `${PREFIX}${NAME(9)}`;
    const stored = s3.objects.get(key) ?? Buffer.alloc(0);
    s3.objects.set(key, Buffer.alloc(stored.length));
    expect(await fresh.ask(one, COUNT)).toMatchObject({
      outcome: 'no_files',
      message: expect.stringContaining('does not agree with its digest'),
    });
    expect(await fresh.ask(one, COUNT)).toMatchObject({ outcome: 'no_files' });
    s3.objects.set(key, stored);
    expect(await fresh.ask(one, COUNT)).toMatchObject({ outcome: 'answered' });
    await fresh.remove();
  });
});

describe('a bucket that does not work', () => {
  it('is named by the doctor', async () => {
    const versions = { applied: 1, known: 1 };
    const check = (bucket: ReturnType<typeof bucketOf>) =>
      checkEventFiles(world.pool, { eventFiles: { ...files.settings, bucket } }, versions, NOW);
    const name = 'files of events in the bucket backups/eu/';
    expect(await check(bucketOf(s3))).toEqual([
      { name: expect.stringContaining(`${name}: up to ${DAY}, 0 to be written`) },
    ]);
    expect(await check({ ...bucketOf(s3), secretAccessKey: 'another' })).toEqual([
      { name, problem: expect.stringContaining('SignatureDoesNotMatch'), advice: expect.any(String) },
    ]);
  });

  it('holds up neither a question nor a stop when it hangs', async () => {
    const hanging = await startFakeS3();
    hanging.hang();
    const stuck = await createFilesFolder(world.pool, bucketOf(hanging));
    expect(await stuck.ask(one, COUNT, { maxMs: 300 })).toMatchObject({ outcome: 'out_of_time' });
    const stopping = new AbortController();
    // The thread signs its requests as of then.
    const task = { databaseUrl: world.url, settings: stuck.settings, nowMs: Date.now() };
    const writing = writeFilesInThread(task, stopping.signal);
    await expect.poll(() => hanging.requests, { timeout: 120_000 }).toContain('GET ');
    stopping.abort();
    expect(await writing).toMatchObject({ state: 'unfinished' });
    await hanging.close();
    await stuck.remove();
  });
});

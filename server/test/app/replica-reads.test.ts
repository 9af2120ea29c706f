/** @module-tag full */
import { gunzipSync } from 'node:zlib';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createExportRunner } from '../../src/insight/exports/export-runner.js';
import { createPool } from '../../src/platform/db/pool.js';
import { createReplica, type Replica } from '../../src/platform/db/replica.js';
import { configWith, segment } from '../decide/support/fixtures.js';
import { type AdminClient, GAME, type Method, openAdminClient } from '../support/admin-calls.js';
import { publish, withoutRateLimits } from '../support/data-calls.js';
import { erase, requestDeletion } from '../support/erasure-calls.js';
import {
  adImpression,
  createHarness,
  type Harness,
  NO_TIMEOUT_MS,
  postEvents,
  type Session,
} from '../support/harness.js';
import { clearAway, eventually } from '../support/postgres-folders.js';
import { startPrimary, startReplica, type TestReplica } from '../support/replica.js';

/** Two servers are made. */
const SETUP_MS = 600_000;
/** Reads wait for the replica as long as it takes: a busy machine must not decide a test. */
const PATIENT_MS = NO_TIMEOUT_MS;
/** Well below the time that a test has. */
const COUNTED_WITHIN_MS = 120_000;

let standby: TestReplica;
let harness: Harness;
let session: Session;
let replica: Replica;
/** One reads from the replica, the other only from the primary. */
let admin: AdminClient;
let usual: AdminClient;
beforeAll(async () => {
  const primary = await startPrimary();
  const database = { url: primary.url, drop: async () => {} };
  harness = await createHarness({ database, settings: withoutRateLimits() });
  await publish(harness.pool, configWith({ segments: [segment('all', 'true')] }), harness.clock.now());
  standby = await startReplica(primary);
  session = await play('player');
  replica = open(PATIENT_MS);
  await eventually(async () => expect(replica.state().problem).toBeNull());
  admin = await openAdminClient(harness, undefined, [], { reads: replica });
  usual = await openAdminClient(harness);
}, SETUP_MS);
afterAll(async () => {
  await admin?.close();
  await usual?.close();
  for (const each of opened) await each.stop();
  await harness?.close();
  await clearAway();
}, SETUP_MS);

const opened: Replica[] = [];
function open(maxLagMs: number): Replica {
  const pool = createPool({ url: standby.url, size: 3, timeoutMs: NO_TIMEOUT_MS, onError: () => {} });
  const logger = pino({ level: 'silent' });
  const made = createReplica({ primary: harness.pool, pool, maxLagMs, logger, everyMs: 100 });
  opened.push(made);
  return made;
}

async function play(deviceId: string): Promise<Session> {
  const player = await harness.login(deviceId);
  const now = harness.clock.now();
  const events = Array.from({ length: 5 }, (_, n) => adImpression(n, now));
  expect((await postEvents(harness.app, player, events)).statusCode).toBe(202);
  return player;
}

/** On a busy machine a count takes longer than a request waits for it. A client is told to ask again. */
async function callUntilCounted(client: AdminClient, method: Method, url: string, body: unknown) {
  const deadline = performance.now() + COUNTED_WITHIN_MS;
  for (;;) {
    const response = await client.call(method, url, body);
    if (response.statusCode !== 429 || performance.now() > deadline) return response;
  }
}

/**
 * Work gives up connecting to the replica after ten seconds. A machine that stands still for so long makes the primary do it: then
 * it is asked for again.
 */
async function untilReplicaServes<T>(ask: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    await eventually(async () => expect(replica.state().problem).toBeNull());
    const before = replica.state().reads.primary;
    const result = await ask();
    const isServed = replica.state().reads.primary === before;
    expect(isServed || attempt < 5).toBe(true);
    if (isServed) return result;
  }
}

const AUDIENCE = { document: configWith({ segments: [segment('all', 'true')] }), segmentId: 'all' };

describe('the admin API reads from the replica', () => {
  it.each<[string, Method, (player: string) => string, unknown?]>([
    ['lists of players', 'GET', () => '/players'],
    ['players by an id', 'GET', (player) => `/players?find=${player}`],
    ['the members of a segment', 'GET', () => '/players?segment=all'],
    ['a timeline', 'GET', (player) => `/players/${player}/timeline`],
    ['sizes of segments', 'GET', () => '/segments'],
    ['numbers of segments', 'GET', () => '/segment-numbers'],
    ['scores', 'GET', () => '/prediction-scores'],
    ['an audience', 'POST', () => '/audience', AUDIENCE],
    ['the dashboard', 'GET', () => '/dashboard'],
    ['a breakdown', 'GET', () => '/breakdown'],
    ['a breakdown as a file', 'GET', () => '/breakdown?format=csv&table=days'],
    ['the forecast', 'GET', () => '/revenue-forecast'],
    ['revenue per install', 'GET', () => '/revenue-per-install'],
    ['plans of experiments', 'GET', () => '/experiment-plan'],
  ])('%s', async (_, method, path, body) => {
    const url = `${GAME}${path(session.userId)}`;
    const before = replica.state().reads;
    const response = await untilReplicaServes(() => callUntilCounted(admin, method, url, body));
    expect(response.statusCode, response.body).toBe(200);
    expect(replica.state().reads.replica).toBeGreaterThan(before.replica);
    expect(response.body).toBe((await callUntilCounted(usual, method, url, body)).body);
  });

  it('dry runs and funnels', async () => {
    const before = replica.state().reads;
    await untilReplicaServes(async () => {
      const response = await admin.call('POST', `${GAME}/dry-run`, { document: AUDIENCE.document });
      expect(response.body).toContain('"result"');
    });
    const between = replica.state().reads;
    expect(between.replica).toBeGreaterThan(before.replica);
    const steps = ['Ad_Impression', 'Ad_Impression'];
    await untilReplicaServes(async () => {
      const { jobId } = await admin.ask<{ jobId: string }>(
        'POST',
        `${GAME}/funnels`,
        { steps, windowHours: 1 },
        undefined,
        202,
      );
      const job = () => admin.ask('GET', `${GAME}/jobs/${jobId}`);
      await expect.poll(job).toMatchObject({ state: 'done', result: { players: [1, 0] } });
    });
    expect(replica.state().reads.replica).toBeGreaterThan(between.replica);
  });

  it('but not what a studio edits', async () => {
    const before = replica.state().reads;
    for (const path of ['/draft', '/versions', '/keys', '/exports', `/players/${session.userId}`]) {
      const response = await admin.call('GET', `${GAME}${path}`, undefined, admin.tokens.owner);
      expect(response.statusCode, path).toBe(200);
    }
    expect(replica.state().reads).toEqual(before);
  });
});

describe('an export', () => {
  const start = () =>
    usual.ask<{ exportId: string }>(
      'POST',
      `${GAME}/exports`,
      { from: '2020-01-01', to: '2100-01-01' },
      undefined,
      202,
    );
  const stateOf = async (exportId: string) =>
    (await usual.ask<{ state: string }>('GET', `${GAME}/exports/${exportId}`)).state;
  const contentOf = async (exportId: string) =>
    gunzipSync((await usual.call('GET', `${GAME}/exports/${exportId}/file`)).rawPayload).toString();
  const runWith = (reads: Replica) => {
    const { pool, clock } = harness;
    const runner = createExportRunner({ pool, reads, clock, logger: pino({ level: 'silent' }) });
    runner.start();
    return runner;
  };

  it('does not name a player who was erased a moment ago', async () => {
    const erased = await play('erased');
    // Has all at once, or is not read.
    const eager = open(0);
    await expect.poll(() => eager.state().problem).toBeNull();
    await standby.pause();
    expect((await requestDeletion(harness, erased)).statusCode).toBe(202);
    expect(await erase(harness)).toMatchObject({ state: 'done', erased: 1 });
    // The replica still has the player. One export does not wait for it.
    const first = await start();
    let runner = runWith(eager);
    await expect.poll(() => stateOf(first.exportId)).toBe('done');
    await runner.stop();
    expect(eager.state().reads).toEqual({ replica: 0, primary: 1 });
    // Another one waits until it has replayed the erasure.
    const before = replica.state().reads;
    const second = await start();
    let isWaiting = true;
    let hasWaited = false;
    runner = runWith({
      ...replica,
      async choose() {
        const chosen = replica.choose();
        void chosen.then(() => {
          isWaiting = false;
        });
        await harness.pool.query('select 1');
        hasWaited = isWaiting;
        await standby.resume();
        return chosen;
      },
    });
    await expect.poll(() => stateOf(second.exportId)).toBe('done');
    await runner.stop();
    expect(hasWaited).toBe(true);
    expect(replica.state().reads).toEqual({ replica: before.replica + 1, primary: before.primary });
    for (const { exportId } of [first, second]) {
      const content = await contentOf(exportId);
      expect(content).toContain(session.userId);
      expect(content).not.toContain(erased.userId);
    }
  });

  it('goes on with the primary if the replica is stopped', async () => {
    const before = replica.state().reads;
    const { exportId } = await start();
    const runner = runWith({
      ...replica,
      async choose() {
        const chosen = await replica.choose();
        await standby.stop();
        return chosen;
      },
    });
    await expect.poll(() => stateOf(exportId)).toBe('done');
    await runner.stop();
    expect(replica.state().reads).toEqual({ replica: before.replica + 1, primary: before.primary });
    expect(await contentOf(exportId)).toContain(session.userId);
    const response = await admin.call('GET', `${GAME}/players`);
    expect(response.statusCode, response.body).toBe(200);
    expect(response.body).toContain(session.userId);
  });
});

import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DAY_MS } from '../../../src/platform/lib/day.js';
import type { JobRun, NewJob } from '../../../src/studio/admin-api/background-jobs.js';
import { deleteExpiredJobs } from '../../../src/studio/jobs/job-expiry.js';
import { createJobs } from '../../../src/studio/jobs/jobs.js';
import { addPerson } from '../../support/account-calls.js';
import { type AdminClient, GAME, openAdminClient } from '../../support/admin-calls.js';
import { expectGeneralError } from '../../support/data-calls.js';
import { createHarness, type Harness } from '../../support/harness.js';
import { addStudio } from '../../support/session-calls.js';

type Shown = { jobId: string; kind: string; state: string; failure: string | null } & Record<string, unknown>;
type Page = { jobs: Shown[]; nextCursor: string | null };

let harness: Harness;
let admin: AdminClient;
let gameId: number;
const logger = pino({ level: 'silent' });

beforeAll(async () => {
  harness = await createHarness();
  admin = await openAdminClient(harness);
  const { rows } = await harness.pool.query<{ id: number }>("select id from games where slug = 'demo-game'");
  gameId = rows[0]?.id ?? 0;
});
beforeEach(async () => {
  await harness.pool.query('delete from jobs');
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

const newNode = () => createJobs({ pool: harness.pool, clock: harness.clock, logger });
const newJob = (kind: NewJob['kind'] = 'replay'): NewJob => {
  harness.clock.advance(1);
  return { gameId, kind, subject: { reason: 'test' }, actor: { name: 'Ada', nowMs: harness.clock.now() } };
};
const at = <T>(work: () => Promise<T>) => work();
const untilAborted = ({ signal }: JobRun) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
const show = (jobId: string) =>
  admin.ask<Shown>('GET', `${GAME}/jobs/${jobId}`, undefined, admin.tokens.viewer);
const list = (query = '') => admin.ask<Page>('GET', `${GAME}/jobs${query}`, undefined, admin.tokens.viewer);
const ended = async (jobId: string | undefined): Promise<Shown> => {
  await expect.poll(async () => (await show(jobId ?? '')).state, { timeout: 60_000 }).not.toBe('running');
  return show(jobId ?? '');
};

describe('a job', () => {
  it('is in the list as soon as it has begun, and keeps its result', async () => {
    const node = newNode();
    let finish = (_result: unknown) => {};
    const work = ({ tell }: JobRun) => {
      tell({ done: 1, total: 3 });
      return new Promise<unknown>((resolve) => {
        finish = resolve;
      });
    };
    const started = await node.start(newJob(), work, at);
    expect(started).toMatchObject({ state: 'running', createdBy: 'Ada', done: 0, total: null });
    await expect.poll(async () => (await show(started?.jobId ?? '')).done, { timeout: 60_000 }).toBe(1);
    expect(await list()).toMatchObject({
      jobs: [{ jobId: started?.jobId, state: 'running', done: 1, total: 3, finishedAt: null }],
      nextCursor: null,
    });
    finish({ replayed: 7 });
    expect(await ended(started?.jobId)).toMatchObject({
      state: 'done',
      result: { replayed: 7 },
      failure: null,
      finishedAt: new Date(harness.clock.now()).toISOString(),
      expiresAt: new Date(harness.clock.now() + DAY_MS).toISOString(),
    });
  });

  it('that fails says so in a sentence, without what only the log may say', async () => {
    const started = await newNode().start(
      newJob(),
      () => Promise.reject(new Error('secret of the database')),
      at,
    );
    const { state, failure } = await ended(started?.jobId);
    expect(state).toBe('failed');
    expect(failure).toMatch(/\.$/);
    expect(failure).not.toContain('secret');
  });

  it('runs once at a time for a game and kind, on all nodes together', async () => {
    const [one, other] = [newNode(), newNode()];
    const first = await one.start(newJob('training'), untilAborted, at);
    expect(await other.start(newJob('training'), untilAborted, at)).toBeUndefined();
    const replay = await other.start(newJob('replay'), async () => 1, at);
    expect((await ended(replay?.jobId)).state).toBe('done');
    await one.stop();
    expect(await show(first?.jobId ?? '')).toMatchObject({
      state: 'failed',
      failure: expect.stringContaining('The service was stopped'),
    });
    const next = await other.start(newJob('training'), async () => 2, at);
    expect((await ended(next?.jobId)).state).toBe('done');
  });

  it('is not begun where there is no place for it', async () => {
    expect(await newNode().start(newJob(), untilAborted, () => undefined)).toBeUndefined();
    expect((await list()).jobs).toEqual([]);
  });

  it('whose node has vanished counts as failed, and makes way', async () => {
    const node = newNode();
    const started = await node.start(newJob(), async () => 1, at);
    await ended(started?.jobId);
    // As a node leaves it that is killed.
    await harness.pool.query(
      "update jobs set state = 'running', finished_at = null, heartbeat_at = now() - interval '1 minute'",
    );
    expect(await show(started?.jobId ?? '')).toMatchObject({
      state: 'failed',
      failure: expect.stringContaining('The node that did this work has stopped'),
    });
    const next = await node.start(newJob(), async () => 2, at);
    expect((await ended(next?.jobId)).state).toBe('done');
  });

  it('is cancelled by editors, and its work ends', async () => {
    const node = newNode();
    let reason: unknown;
    const work = async (run: JobRun) => {
      await untilAborted(run).catch((error: unknown) => {
        reason = error;
        throw error;
      });
    };
    const { jobId = '' } = (await node.start(newJob(), work, at)) ?? {};
    const path = `${GAME}/jobs/${jobId}`;
    expectGeneralError(await admin.call('DELETE', path, undefined, admin.tokens.viewer), 403, 'role_too_low');
    // One who has only the same name.
    const namesake = await addPerson(harness, admin, 'viewer', { name: 'Ada' });
    expectGeneralError(await namesake.call('DELETE', path), 403, 'role_too_low');
    await admin.ask('DELETE', path);
    await expect.poll(() => reason, { timeout: 60_000 }).toBeDefined();
    await node.stop();
    expect(await show(jobId)).toMatchObject({ state: 'cancelled', failure: null, result: null });
    expectGeneralError(await admin.call('DELETE', path), 404, 'job_not_found');
  });
});

describe('a job that a viewer has started', () => {
  const actorOf = (who: Pick<NewJob['actor'], 'name'> & Partial<NewJob['actor']>) => ({
    ...newJob('dry_run'),
    actor: { nowMs: harness.clock.now(), ...who },
  });

  it('is cancelled by that viewer, a person or a token, and by no other', async () => {
    const node = newNode();
    const [own, other] = [
      await addPerson(harness, admin, 'viewer', { name: 'Vera' }),
      await addPerson(harness, admin, 'viewer', { name: 'Vera' }),
    ];
    const { accountId, email } = own;
    const job = actorOf({ name: 'Vera', account: { accountId, email } });
    const ofPerson = await node.start(job, untilAborted, at);
    const path = `${GAME}/jobs/${ofPerson?.jobId}`;
    expectGeneralError(await other.call('DELETE', path), 403, 'role_too_low');
    await own.ask('DELETE', path);
    const ofToken = await node.start(
      actorOf({ name: 'viewer of demo-studio', tokenId: '0' }),
      untilAborted,
      at,
    );
    await admin.ask('DELETE', `${GAME}/jobs/${ofToken?.jobId}`, undefined, admin.tokens.viewer);
    await node.stop();
    expect((await list()).jobs.map(({ state }) => state)).toEqual(['cancelled', 'cancelled']);
  });
});

describe('the list of jobs', () => {
  it('is paged, newest first, and can be of one kind', async () => {
    const node = newNode();
    const ids: (string | undefined)[] = [];
    for (const kind of ['replay', 'training', 'replay'] as const) {
      const started = await node.start(newJob(kind), async () => kind, at);
      ids.unshift((await ended(started?.jobId)).jobId);
    }
    const first = await list('?limit=2');
    expect(first.jobs.map(({ jobId }) => jobId)).toEqual(ids.slice(0, 2));
    const second = await list(`?limit=2&cursor=${first.nextCursor}`);
    expect(second.jobs.map(({ jobId }) => jobId)).toEqual(ids.slice(2));
    expect(second.nextCursor).toBeNull();
    expect((await list('?kind=training')).jobs.map(({ jobId }) => jobId)).toEqual([ids[1]]);
    const forged = await admin.call('GET', `${GAME}/jobs?cursor=forged`);
    expectGeneralError(forged, 400, 'parameter_invalid');
    expectGeneralError(await admin.call('GET', `${GAME}/jobs?kind=export`), 400, 'parameter_invalid');
  });

  it('is of one studio only', async () => {
    await addStudio(harness, 'other-studio', 'other-game');
    const eve = await addPerson(harness, admin, 'owner', { tenant: 'other-studio' });
    const node = newNode();
    const { jobId = '' } = (await node.start(newJob(), untilAborted, at)) ?? {};
    for (const method of ['GET', 'DELETE'] as const) {
      expectGeneralError(await eve.call(method, `${GAME}/jobs/${jobId}`), 404, 'game_not_found');
      expectGeneralError(await eve.call(method, `/games/other-game/jobs/${jobId}`), 404, 'job_not_found');
    }
    expectGeneralError(await eve.call('GET', `${GAME}/jobs`), 404, 'game_not_found');
    expect(await eve.ask('GET', '/games/other-game/jobs')).toEqual({ jobs: [], nextCursor: null });
    expect((await show(jobId)).state).toBe('running');
    await node.stop();
  });

  it('keeps a hundred jobs of a game, each for a day', async () => {
    await harness.pool.query(
      `insert into jobs (id, game_id, kind, subject, state, created_by, created_at, heartbeat_at, expires_at)
       select gen_random_uuid(), $1, 'dry_run', '{}', 'done', '', $2::timestamptz - n * interval '1 second', now(), $2
       from generate_series(1, 120) n`,
      [gameId, new Date(harness.clock.now())],
    );
    const started = await newNode().start(newJob(), async () => 1, at);
    await ended(started?.jobId);
    const { rows } = await harness.pool.query('select count(*)::int as n from jobs');
    expect(rows).toEqual([{ n: 100 }]);
    expect(await deleteExpiredJobs(harness.pool, harness.clock.now())).toBe(99);
    expect((await list()).jobs.map(({ jobId }) => jobId)).toEqual([started?.jobId]);
    harness.clock.advance(DAY_MS);
    expect(await deleteExpiredJobs(harness.pool, harness.clock.now())).toBe(1);
  });
});

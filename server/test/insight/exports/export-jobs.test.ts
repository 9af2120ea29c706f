import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { exportEvents } from '../../../src/insight/exports/export-events.js';
import { type ClaimedExport, MAX_BYTES } from '../../../src/insight/exports/export-job.js';
import {
  claimExportJob,
  insertExportChunk,
  updateExportHeartbeat,
} from '../../../src/insight/exports/export-job-queries.js';
import { exportRoutes } from '../../../src/insight/exports/export-routes.js';
import { createExportRunner } from '../../../src/insight/exports/export-runner.js';
import { type ExportTarget, streamTarget } from '../../../src/insight/exports/export-target.js';
import { ExportLostError, jobTarget } from '../../../src/insight/exports/job-target.js';
import { writeCursor } from '../../../src/platform/admin-api/page-cursor.js';
import { transaction } from '../../../src/platform/db/pool.js';
import { readsOf } from '../../../src/platform/db/reads.js';
import type { Poller } from '../../../src/platform/lib/poller.js';
import { deleteExpiredExports } from '../../../src/studio/jobs/export-expiry.js';
import type { Module } from '../../../src/studio/module-type.js';
import { type AdminClient, GAME, openAdminClient } from '../../support/admin-calls.js';
import { expectGeneralError, withoutRateLimits } from '../../support/data-calls.js';
import { createHarness, type Harness, postEvents } from '../../support/harness.js';
import { demoGameId } from '../../support/registry-calls.js';
import { addStudio } from '../../support/session-calls.js';

type Job = { exportId: string; state: string; events: number; failure: string | null } & Record<
  string,
  unknown
>;

const EVENTS = 5_000;
const SPAN = { from: '2020-01-01', to: '2100-01-01' };
const FULL_SPAN = { from: '2020-01-01T00:00:00.000000Z', to: '2100-01-01T00:00:00.000000Z' };
const WORKER = '00000000-0000-4000-8000-000000000001';

let harness: Harness;
let admin: AdminClient;
let gameId: number;
let runner: Poller | undefined;
/** The runner of a test, instead of the one that the service would start. */
const NUDGES_RUNNER: Module = {
  name: 'exports',
  operations: async () => () => ({
    adminRoutes: [(app, ctx) => exportRoutes(app, { ...ctx, nudgeExports: () => runner?.nudge() })],
  }),
};
beforeAll(async () => {
  harness = await createHarness({ settings: withoutRateLimits() });
  admin = await openAdminClient(harness, undefined, [], { modules: [NUDGES_RUNNER] });
  gameId = await demoGameId(harness.pool);
  await addStudio(harness, 'demo-studio', 'second-game');
  await addStudio(harness, 'other-studio', 'other-game');
  const session = await harness.login('exported');
  for (let sent = 0; sent < EVENTS; sent += 100) {
    const batch = Array.from({ length: 100 }, (_, n) => ({
      eventType: 'Level_Complete',
      timestamp: new Date(harness.clock.now() - sent - n).toISOString(),
      payload: { level: sent + n, quote: 'a "b", c' },
    }));
    expect((await postEvents(harness.app, session, batch)).statusCode).toBe(202);
    harness.clock.advance(10);
  }
});
beforeEach(async () => {
  await harness.pool.query('delete from export_chunks');
  await harness.pool.query('delete from export_jobs');
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

const start = async (body: object = SPAN, game = GAME) => {
  // Exports are listed and run in the order of their start.
  harness.clock.advance(1);
  return admin.ask<Job>('POST', `${game}/exports`, body, undefined, 202);
};
const find = (exportId: string) => admin.ask<Job>('GET', `${GAME}/exports/${exportId}`);
const fileOf = (exportId: string, token?: string) =>
  admin.call('GET', `${GAME}/exports/${exportId}/file`, undefined, token);

/** Runs all waiting exports, as a node does, until they have ended. */
async function runAll(): Promise<void> {
  const { pool, clock } = harness;
  runner = createExportRunner({ pool, reads: readsOf(pool), clock, logger: pino({ level: 'silent' }) });
  runner.start();
  const isOver = async () =>
    (await pool.query("select from export_jobs where state in ('waiting', 'running')")).rowCount === 0;
  try {
    await vi.waitUntil(isOver, { timeout: 150_000 });
  } finally {
    await runner.stop();
    runner = undefined;
  }
}

async function contentOf(exportId: string): Promise<string> {
  const response = await fileOf(exportId);
  expect(response.statusCode, response.body).toBe(200);
  expect(Number(response.headers['content-length'])).toBe(response.rawPayload.length);
  return gunzipSync(response.rawPayload).toString();
}

/** The output of the command. */
async function commandOutput(format: 'ndjson' | 'csv'): Promise<string> {
  const stream = new PassThrough();
  const reading = text(stream);
  const target = streamTarget(stream);
  await exportEvents(harness.pool, { gameId, span: FULL_SPAN, format, target, after: null });
  stream.end();
  return reading;
}

/** A node that claims the job, writes a page or two into separate chunks, and crashes. */
async function dieAfter(pages: number): Promise<{ job: ClaimedExport; target: ExportTarget }> {
  const job = (await claimExportJob(harness.pool, WORKER, 30)) as ClaimedExport;
  const target = jobTarget(harness.pool, job, WORKER);
  let left = pages;
  const dying: ExportTarget = {
    async write(...page) {
      if (page[1] > 0 && left-- === 0) throw new Error('killed');
      await target.write(...page);
      await target.pause();
    },
    pause: async () => {},
    finish: async () => {},
  };
  const { span, format, after } = job;
  const dead = exportEvents(harness.pool, { gameId, span, format, after, target: dying });
  await expect(dead).rejects.toThrow('killed');
  return { job, target };
}
const silence = () => harness.pool.query("update export_jobs set heartbeat_at = now() - interval '1 minute'");

describe('an export in the background', () => {
  it.each(['ndjson', 'csv'] as const)('has the same content as the command, as %s', async (format) => {
    const started = await start({ ...SPAN, format });
    expect(started).toMatchObject({ state: 'waiting', events: 0, expectedEvents: EVENTS, format, bytes: 0 });
    expectGeneralError(await fileOf(started.exportId), 409, 'export_not_ready');
    await runAll();
    const done = await find(started.exportId);
    expect(done).toMatchObject({ state: 'done', events: EVENTS, failure: null });
    expect(Date.parse(done.expiresAt as string)).toBe(harness.clock.now() + 3 * 86_400_000);
    const content = await contentOf(started.exportId);
    expect(content).toBe(await commandOutput(format));
    expect(content.trimEnd().split('\n')).toHaveLength(format === 'csv' ? EVENTS + 1 : EVENTS);
  });

  it('of a span without events is a file without events', async () => {
    const { exportId } = await start({ from: '2020-01-01', to: '2020-01-02' });
    await runAll();
    expect(await contentOf(exportId)).toBe('');
  });

  it('continues on another node where a crashed node stopped, with nothing missing and nothing twice', async () => {
    const { exportId } = await start();
    const { target } = await dieAfter(1);
    const { rows } = await harness.pool.query('select chunks, events::int from export_jobs');
    expect(rows).toEqual([{ chunks: 1, events: expect.any(Number) }]);
    expect(rows[0].events).toBeGreaterThan(0);
    expect(rows[0].events).toBeLessThan(EVENTS);
    // While the node may be alive, no other node claims the job.
    expect(await claimExportJob(harness.pool, crypto.randomUUID(), 3_600)).toBeUndefined();
    await silence();
    await runAll();
    expect(await contentOf(exportId)).toBe(await commandOutput('ndjson'));
    // If the node comes back, it changes nothing.
    await target.write('late', 1, null);
    await expect(target.pause()).rejects.toThrow(ExportLostError);
    expect(await updateExportHeartbeat(harness.pool, { exportId, worker: WORKER }, 1)).toBe(false);
    expect(await find(exportId)).toMatchObject({ state: 'done', events: EVENTS });
  });

  it('is released by a node that stops', async () => {
    const { exportId } = await start();
    const { pool, clock } = harness;
    const stopped = createExportRunner({
      pool,
      reads: readsOf(pool),
      clock,
      logger: pino({ level: 'silent' }),
    });
    stopped.start();
    await stopped.stop();
    expect(['waiting', 'done']).toContain((await find(exportId)).state);
    await runAll();
    expect(await contentOf(exportId)).toBe(await commandOutput('ndjson'));
  });

  it('that is cancelled ends in any state, and its file is deleted', async () => {
    const { exportId } = await start();
    const { target } = await dieAfter(1);
    expect(await admin.ask('DELETE', `${GAME}/exports/${exportId}`)).toEqual({ exportId });
    await target.write('late', 1, null);
    await expect(target.pause()).rejects.toThrow(ExportLostError);
    expect((await find(exportId)).state).toBe('cancelled');
    expectGeneralError(await fileOf(exportId), 404, 'export_not_found');
    expectGeneralError(await admin.call('DELETE', `${GAME}/exports/${exportId}`), 404, 'export_not_found');
    expect(await deleteExpiredExports(harness.pool, harness.clock.now())).toBe(1);
    expectGeneralError(await admin.call('GET', `${GAME}/exports/${exportId}`), 404, 'export_not_found');
    expect((await harness.pool.query('select from export_chunks')).rowCount).toBe(0);
  });

  it('is deleted with all chunks three days after its end, and not before', async () => {
    const { exportId } = await start();
    await runAll();
    expect(await deleteExpiredExports(harness.pool, harness.clock.now())).toBe(0);
    await contentOf(exportId);
    expect(await deleteExpiredExports(harness.pool, harness.clock.now() + 3 * 86_400_000)).toBe(1);
    expect((await harness.pool.query('select from export_chunks')).rowCount).toBe(0);
  });

  it('that is too large fails, and says what to do', async () => {
    const { exportId } = await start();
    await harness.pool.query(
      `update export_jobs set bytes = $1, cursor = '{"receivedAt":"-infinity","blockId":"0"}'`,
      [MAX_BYTES],
    );
    await runAll();
    const { state, failure } = await find(exportId);
    expect({ state, failure }).toEqual({
      state: 'failed',
      failure: expect.stringContaining('Choose a shorter time'),
    });
  });

  it('that never writes a chunk fails after a few attempts', async () => {
    const { exportId } = await start();
    await harness.pool.query('update export_jobs set attempts = 5');
    await runAll();
    expect(await find(exportId)).toMatchObject({
      state: 'failed',
      failure: expect.stringContaining('interrupted 5 times'),
    });
  });
});

it('a chunk without a key to continue from is no progress', async () => {
  const { exportId } = await start({ ...SPAN, format: 'csv' });
  await harness.pool.query('update export_jobs set attempts = 4');
  const job = await claimExportJob(harness.pool, WORKER, 3_600);
  expect(job).toMatchObject({ exportId, attempts: 5 });
  const header = { data: Buffer.from('header'), events: 0, key: null };
  await transaction(harness.pool, (client) =>
    insertExportChunk(client, { exportId, worker: WORKER }, header),
  );
  const { rows } = await harness.pool.query('select attempts from export_jobs where id = $1', [exportId]);
  expect(rows).toEqual([{ attempts: 5 }]);
});

describe('the exports of a studio', { tags: ['full'] }, () => {
  it('are limited to three at a time, and the first of another studio comes before the second', async () => {
    const first = await start();
    for (let n = 0; n < 2; n++) await start();
    expectGeneralError(await admin.call('POST', `${GAME}/exports`, SPAN), 409, 'export_limit');
    harness.clock.advance(1_000);
    const theirs = await admin.addToken('editor', { tenant: 'other-studio' });
    const other = await admin.ask<Job>('POST', '/games/other-game/exports', SPAN, theirs, 202);
    const next = async () => (await claimExportJob(harness.pool, WORKER, 3_600))?.exportId;
    expect(await next()).toBe(first.exportId);
    expect(await next()).toBe(other.exportId);
  });

  it('are refused while the studio has too many files', async () => {
    await start();
    await harness.pool.query("update export_jobs set state = 'done', bytes = $1", [2 * MAX_BYTES]);
    const refused = await admin.call('POST', `${GAME}/exports`, SPAN);
    expectGeneralError(refused, 409, 'export_limit');
    expect(refused.json().error.message).toContain('Delete exports that you have downloaded');
    await harness.pool.query(`update export_jobs set bytes = 0`);
    await harness.pool.query(
      `insert into export_jobs (id, tenant_id, game_id, format, span_from, span_to, state, created_by, created_at,
         expected_events, expires_at)
       select gen_random_uuid(), tenant_id, game_id, format, span_from, span_to, state, created_by, created_at, 0, expires_at
       from export_jobs, generate_series(1, 99)`,
    );
    expectGeneralError(await admin.call('POST', `${GAME}/exports`, SPAN), 409, 'export_limit');
  });

  it('are listed page by page, newest first, by game', async () => {
    const started: string[] = [];
    for (let n = 0; n < 3; n++) started.unshift((await start()).exportId);
    const paged: string[] = [];
    let query = '?limit=1';
    for (;;) {
      const page = await admin.ask<{ exports: Job[]; nextCursor: string | null }>(
        'GET',
        `${GAME}/exports${query}`,
        undefined,
        admin.tokens.viewer,
      );
      paged.push(...page.exports.map(({ exportId }) => exportId));
      if (page.nextCursor === null) break;
      query = `?limit=1&cursor=${page.nextCursor}`;
    }
    expect(paged).toEqual(started);
    expect(await admin.ask('GET', '/games/second-game/exports')).toEqual({ exports: [], nextCursor: null });
    const forged = writeCursor('exports', [Number.MAX_SAFE_INTEGER, String(started[0])]);
    for (const wrong of ['cursor=x', `cursor=${forged}`, 'limit=0'])
      expectGeneralError(await admin.call('GET', `${GAME}/exports?${wrong}`), 400, 'parameter_invalid');
  });

  it('are not found by another studio', async () => {
    const { exportId } = await start();
    await runAll();
    const theirs = await admin.addToken('owner', { tenant: 'other-studio' });
    for (const path of [`${GAME}/exports`, `${GAME}/exports/${exportId}`, `${GAME}/exports/${exportId}/file`])
      expectGeneralError(await admin.call('GET', path, undefined, theirs), 404, 'game_not_found');
    // By the path of a game of the other studio, and of another game of the same studio.
    for (const [game, token] of [
      ['other-game', theirs],
      ['second-game', admin.tokens.editor],
    ]) {
      const path = `/games/${game}/exports/${exportId}`;
      expectGeneralError(await admin.call('GET', path, undefined, token), 404, 'export_not_found');
      expectGeneralError(await admin.call('GET', `${path}/file`, undefined, token), 404, 'export_not_found');
      expectGeneralError(await admin.call('DELETE', path, undefined, token), 404, 'export_not_found');
    }
    expect((await find(exportId)).state).toBe('done');
  });

  it('are visible to viewers; editors start, download and cancel them', async () => {
    const { viewer } = admin.tokens;
    const { exportId } = await start();
    expectGeneralError(await admin.call('POST', `${GAME}/exports`, SPAN, viewer), 403, 'role_too_low');
    expectGeneralError(await fileOf(exportId, viewer), 403, 'role_too_low');
    expectGeneralError(
      await admin.call('DELETE', `${GAME}/exports/${exportId}`, undefined, viewer),
      403,
      'role_too_low',
    );
    await admin.ask('GET', `${GAME}/exports/${exportId}`, undefined, viewer);
  });

  it('are in the audit log from the start to the download', async () => {
    const { exportId } = await start();
    await runAll();
    await contentOf(exportId);
    await admin.ask('DELETE', `${GAME}/exports/${exportId}`);
    const { rows } = await harness.pool.query(
      'select action, actor from audit_log where target = $1 order by id',
      [`export ${exportId}`],
    );
    expect(rows).toEqual(
      ['export.start', 'export.download', 'export.cancel'].map((action) => ({
        action,
        actor: 'editor of demo-studio',
      })),
    );
  });

  it.each([
    [{ from: '2026-01-02', to: '2026-01-01' }, '`from` must be before `to`'],
    [{ from: 'yesterday', to: '2026-01-01' }, '`from` must be a date'],
    [{ from: '2026-01-01', to: '2026-13-01' }, '`to` must be a date'],
  ])('are not made of %j', async (body, message) => {
    const refused = await admin.call('POST', `${GAME}/exports`, body);
    expectGeneralError(refused, 400, 'body_invalid');
    expect(refused.json().error.message).toContain(message);
  });
});

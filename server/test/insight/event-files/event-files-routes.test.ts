import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdminClient, openAdminClient } from '../../support/admin-calls.js';
import { expectGeneralError } from '../../support/data-calls.js';
import { requestDeletion } from '../../support/erasure-calls.js';
import { folderSettings } from '../../support/event-files.js';
import { FAKE_KEY, type FakeS3, startFakeS3 } from '../../support/fake-s3.js';
import { createHarness, type Harness } from '../../support/harness.js';

const FILES = '/games/demo-game/event-files';
const ASK = `${FILES}/ask`;

let harness: Harness;
let admin: AdminClient;
let off: AdminClient;
let away: AdminClient;
let s3: FakeS3;
let folder: string;
beforeAll(async () => {
  harness = await createHarness();
  const { settings } = harness.ctx;
  admin = await openAdminClient(harness, undefined, [], {
    settings: { ...settings, eventFiles: folderSettings(tmpdir()) },
  });
  off = await openAdminClient(harness);
  s3 = await startFakeS3();
  folder = await mkdtemp(join(tmpdir(), 'savepoint-event-files-'));
  const bucket = { ...FAKE_KEY, endpoint: s3.endpoint, prefix: '', secretAccessKey: 'another' };
  away = await openAdminClient(harness, undefined, [], {
    settings: { ...settings, eventFiles: { dir: folder, bucket, cacheMb: 1 } },
  });
});
afterAll(async () => {
  await admin.close();
  await off.close();
  await away.close();
  await s3.close();
  await rm(folder, { recursive: true });
  await harness.close();
});

describe('the files of events in the admin API', () => {
  it('are counted', async () => {
    const nothing = { files: 0, events: 0, bytes: 0, firstDay: null, lastDay: null };
    expect(await admin.ask('GET', FILES)).toEqual({ isOn: true, ...nothing });
    expect(await off.ask('GET', FILES)).toEqual({ isOn: false, ...nothing });
  });

  it('answer a question, which is in the audit log', async () => {
    const sql = 'select count(*) as events from events';
    expect(await admin.ask('POST', ASK, { sql })).toEqual({
      columns: [{ name: 'events', type: 'BIGINT' }],
      rows: [['0']],
      isCut: false,
    });
    const { entries } = await admin.ask<{ entries: unknown[] }>('GET', '/audit-log');
    expect(entries[0]).toMatchObject({ action: 'event_files.ask', after: { sql } });
  });

  it('say what is wrong with a question', async () => {
    expectGeneralError(await admin.call('POST', ASK, { sql: 'select nothing' }), 422, 'question_invalid');
    expectGeneralError(await admin.call('POST', ASK, { sql: '' }), 400, 'body_invalid');
    expectGeneralError(await admin.call('POST', ASK, { sql: 'select 1', rows: 5 }), 400, 'body_invalid');
  });

  it('keep no id of a player who is erased, or will be, in the audit log', async () => {
    const session = await harness.login('asked-about');
    const sql = `select count(*) from events where payload like '%${session.userId}%'`;
    await admin.ask('POST', ASK, { sql });
    await requestDeletion(harness, session);
    await admin.ask('POST', ASK, { sql });
    const { entries } = await admin.ask<{ entries: { after: { sql: string } }[] }>('GET', '/audit-log');
    const [last, before] = entries.map(({ after }) => after.sql);
    expect(before).toBe(sql);
    expect(last).toMatch(/like '%erased:[0-9a-f]{29}%'$/);
  });

  it('say no more of it than somebody reads', { tags: ['full'] }, async () => {
    const floods = await admin.call('POST', ASK, { sql: 'select error(repeat(chr(10), 12000000))' });
    expectGeneralError(floods, 422, 'question_invalid');
    const long = await admin.call('POST', ASK, { sql: `select error(repeat('x', 10000000))` });
    expectGeneralError(long, 422, 'question_invalid');
    expect([floods, long].map(({ body }) => body.length > 5_000)).toEqual([false, false]);
    const wide = await admin.call('POST', ASK, { sql: `select repeat('x', 5000000)` });
    expectGeneralError(wide, 422, 'question_too_large');
  });

  it('are for editors, and only where there are any', async () => {
    const viewer = await admin.addToken('viewer');
    expectGeneralError(await admin.call('POST', ASK, { sql: 'select 1' }, viewer), 403, 'role_too_low');
    expectGeneralError(await off.call('POST', ASK, { sql: 'select 1' }), 409, 'event_files_off');
  });

  it('keep to themselves what a store says that refuses to give them', async () => {
    await harness.pool.query(
      `insert into event_files (game_id, day, generation, file, events, bytes, sha256, written_at)
       select id, '2026-01-01', 1, 'events-2026-01-01-g1.parquet', 1, 100, '', now() from games where slug = 'demo-game'`,
    );
    const response = await away.call('POST', ASK, { sql: 'select 1' });
    expectGeneralError(response, 503, 'unavailable');
    expect(response.body).not.toContain('Signature');
  });
});

import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdminClient, openAdminClient } from '../../support/admin-calls.js';
import { expectGeneralError } from '../../support/data-calls.js';
import { createHarness, type Harness } from '../../support/harness.js';

const FILES = '/games/demo-game/event-files';
const ASK = `${FILES}/ask`;

let harness: Harness;
let admin: AdminClient;
let off: AdminClient;
beforeAll(async () => {
  harness = await createHarness();
  admin = await openAdminClient(harness, undefined, [], { eventFilesDir: tmpdir() });
  off = await openAdminClient(harness);
});
afterAll(async () => {
  await admin.close();
  await off.close();
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

  it('are for editors, and only where there are any', async () => {
    const viewer = await admin.addToken('viewer');
    expectGeneralError(await admin.call('POST', ASK, { sql: 'select 1' }, viewer), 403, 'role_too_low');
    expectGeneralError(await off.call('POST', ASK, { sql: 'select 1' }), 409, 'event_files_off');
  });
});

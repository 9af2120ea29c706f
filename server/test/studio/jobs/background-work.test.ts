import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configWith, segment } from '../../decide/support/fixtures.js';
import { type AdminClient, GAME, openAdminClient } from '../../support/admin-calls.js';
import { expectGeneralError, postBytes, publish } from '../../support/data-calls.js';
import { createHarness, type Harness } from '../../support/harness.js';
import { setUnregisteredTypes } from '../../support/registry-calls.js';

type Job = {
  jobId: string;
  kind: string;
  state: string;
  subject: Record<string, unknown>;
  result: unknown;
  failure: string | null;
};

let harness: Harness;
let admin: AdminClient;
beforeAll(async () => {
  harness = await createHarness();
  admin = await openAdminClient(harness);
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

async function resultOf({ jobId, state }: Job): Promise<Job> {
  expect(state).toBe('running');
  const show = () => admin.ask<Job>('GET', `${GAME}/jobs/${jobId}`, undefined, admin.tokens.viewer);
  await expect.poll(async () => (await show()).state, { timeout: 60_000 }).not.toBe('running');
  return show();
}
const start = (path: string, body?: unknown, token?: string) =>
  admin.ask<Job>('POST', `${GAME}/${path}?background=true`, body, token, 202);
const lastLine = (body: string) => JSON.parse(body.trimEnd().split('\n').at(-1) ?? '{}');

describe('work in the background', () => {
  it('replays the events of a group', async () => {
    const session = await harness.login('held');
    const event = (n: number) => ({
      eventType: 'Held',
      timestamp: new Date(harness.clock.now() - n).toISOString(),
      payload: { n },
    });
    await setUnregisteredTypes(harness.pool, 'hold');
    await postBytes(harness.app, session, JSON.stringify([event(1), event(2)]));
    await setUnregisteredTypes(harness.pool, 'accept');
    const body = { reason: 'event_type_unregistered', eventType: 'Held' };
    const refused = await admin.call(
      'POST',
      `${GAME}/failed-events/replay?background=true`,
      body,
      admin.tokens.viewer,
    );
    expectGeneralError(refused, 403, 'role_too_low');
    const job = await start('failed-events/replay', body);
    expect(job).toMatchObject({ kind: 'replay', subject: body, createdBy: 'editor of demo-studio' });
    expect(await resultOf(job)).toMatchObject({
      state: 'done',
      result: { total: 2, replayed: 2, duplicates: 0, failed: 0 },
    });
    expect(await admin.ask('GET', `${GAME}/failed-events`)).toMatchObject({ groups: [] });
  });

  it('sets flags of players from a file, whose mistakes are told at once', async () => {
    const { userId } = await harness.login('flagged');
    const file = (value: string) => `playerId,flagId,value,reason\n${userId},isPayer,${value},test\n`;
    const wrong = await admin.call('POST', `${GAME}/overrides/import?background=true`, file('perhaps'));
    expectGeneralError(wrong, 422, 'overrides_invalid');
    const job = await start('overrides/import', file('true'));
    expect(job).toMatchObject({ kind: 'override_import', subject: { rows: 1 } });
    expect((await resultOf(job)).result).toEqual({ total: 1, set: 1, cleared: 0, unchanged: 0 });
  });

  it('runs a draft dry, for viewers too, with the same result as a response that is waited for', async () => {
    await publish(harness.pool, configWith({ segments: [segment('all', 'true')] }), harness.clock.now());
    const { revision } = await admin.ask<{ revision: number }>('GET', `${GAME}/draft`);
    const document = configWith({ segments: [segment('all', 'false')] });
    const saved = await admin.ask<{ revision: number; basedOn: number }>('PUT', `${GAME}/draft`, {
      revision,
      document,
    });
    const job = await start('dry-run', {}, admin.tokens.viewer);
    const { subject, result } = await resultOf(job);
    expect(subject).toMatchObject({
      revision: saved.revision,
      version: null,
      publishedVersion: saved.basedOn,
    });
    const waited = await admin.call('POST', `${GAME}/dry-run`, {}, admin.tokens.viewer);
    const { seconds: _, ...expected } = lastLine(waited.body).result;
    expect(result).toMatchObject(expected);
    const { jobs } = await admin.ask<{ jobs: Job[] }>('GET', `${GAME}/jobs?kind=dry_run`);
    expect(jobs).toEqual([{ ...(await resultOf({ ...job })), result: null }]);
  });

  it('tries a draft on past days, for viewers too, with the same result as a response that is waited for', async () => {
    const { revision } = await admin.ask<{ revision: number }>('GET', `${GAME}/draft`);
    const job = await start('back-test', { days: 3, sample: 10 }, admin.tokens.viewer);
    const { subject, result } = await resultOf(job);
    expect(subject).toEqual({ revision, version: null, days: 3 });
    const waited = await admin.call(
      'POST',
      `${GAME}/back-test`,
      { days: 3, sample: 10 },
      admin.tokens.viewer,
    );
    const { seconds: _, ...expected } = lastLine(waited.body).result;
    expect(result).toMatchObject(expected);
    expect(expected).toMatchObject({ days: [{}, {}, {}] });
    const { jobs } = await admin.ask<{ jobs: Job[] }>('GET', `${GAME}/jobs?kind=back_test`);
    expect(jobs).toEqual([{ ...(await resultOf({ ...job })), result: null }]);
  });

  it('refuses a back-test of too many days or players, of a document that is not valid, or of no version', async () => {
    const ask = (body: unknown) => admin.call('POST', `${GAME}/back-test`, body);
    expectGeneralError(await ask({ days: 29 }), 400, 'body_invalid');
    expectGeneralError(await ask({ sample: 100_001 }), 400, 'body_invalid');
    expectGeneralError(await ask({ document: {}, version: 1 }), 400, 'body_invalid');
    expectGeneralError(await ask({ version: 999 }), 404, 'version_not_found');
    expectGeneralError(
      await ask({ document: configWith({ segments: [segment('all', 'nonsense(')] }) }),
      422,
      'document_invalid',
    );
  });

  it('refuses a document that cannot be run dry before a job begins', async () => {
    const body = { document: configWith({ segments: [segment('all', 'nonsense(')] }) };
    const refused = await admin.call('POST', `${GAME}/dry-run?background=true`, body);
    expectGeneralError(refused, 422, 'document_invalid');
  });

  it('trains models, and names the training', async () => {
    expectGeneralError(
      await admin.call('POST', `${GAME}/models?background=true`, undefined, admin.tokens.viewer),
      403,
      'role_too_low',
    );
    const job = await start('models');
    expect(job).toMatchObject({ kind: 'training', subject: {} });
    expect(await resultOf(job)).toMatchObject({
      state: 'done',
      result: { modelVersion: 1, isPromoted: true },
    });
    const { models } = await admin.ask<{ models: { version: number }[] }>('GET', `${GAME}/models`);
    expect(models.map(({ version }) => version)).toEqual([1]);
  });

  it('does not train twice at a time', async () => {
    await harness.pool.query(
      `insert into jobs (id, game_id, kind, subject, state, created_by, created_at, heartbeat_at, expires_at)
       select gen_random_uuid(), id, 'training', '{}', 'running', 'another node', now(), now() + interval '1 hour', now() + interval '1 day'
       from games where slug = 'demo-game'`,
    );
    const refused = await admin.call('POST', `${GAME}/models?background=true`);
    expectGeneralError(refused, 429, 'busy');
    expect(refused.headers['retry-after']).toBe('30');
  });
});

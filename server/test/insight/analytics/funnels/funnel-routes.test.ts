import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type AdminClient, GAME, openAdminClient } from '../../../support/admin-calls.js';
import { expectGeneralError } from '../../../support/data-calls.js';
import { createHarness, type Harness, postEvents } from '../../../support/harness.js';

type Job = {
  jobId: string;
  kind: string;
  state: string;
  subject: object;
  result: Record<string, unknown> | null;
};

const NOW = Date.parse('2026-11-15T12:00:00Z');
const BODY = { steps: ['Session_Start', 'Level'], windowHours: 2, from: '2026-11-14', to: '2026-11-15' };

let harness: Harness;
let admin: AdminClient;
beforeAll(async () => {
  harness = await createHarness();
  admin = await openAdminClient(harness);
  harness.clock.set(NOW);
  const send = async (device: string, ...events: [string, string][]) => {
    const response = await postEvents(
      harness.app,
      await harness.login(device),
      events.map(([eventType, timestamp]) => ({
        eventType,
        timestamp,
        payload: {},
        metadata: { country: 'DE' },
      })),
    );
    expect(response.statusCode, response.body).toBe(202);
  };
  await send('anna', ['Session_Start', '2026-11-14T10:00:00Z'], ['Level', '2026-11-14T11:00:00Z']);
  await send('bert', ['Session_Start', '2026-11-14T10:00:00Z'], ['Level', '2026-11-14T13:00:00Z']);
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

const start = async (body: object): Promise<Job> => {
  const response = await admin.call('POST', `${GAME}/funnels`, body, admin.tokens.viewer);
  expect(response.statusCode, response.body).toBe(202);
  return response.json().data;
};
const ended = (jobId: string) =>
  vi.waitFor(
    async () => {
      const job = await admin.ask<Job>('GET', `${GAME}/jobs/${jobId}`, undefined, admin.tokens.viewer);
      expect(job.state).not.toBe('running');
      return job;
    },
    { timeout: 120_000 },
  );

describe('a funnel in the background', () => {
  it('is a job, with its result', async () => {
    const started = await start({ ...BODY, by: 'country' });
    expect(started).toMatchObject({
      kind: 'funnel',
      state: 'running',
      result: null,
      subject: { steps: 'Session_Start → Level', windowHours: 2, by: 'country' },
    });
    expect(await ended(started.jobId)).toMatchObject({
      state: 'done',
      result: {
        ...BODY,
        by: 'country',
        isComplete: false,
        eventsDeletedBefore: null,
        players: [2, 1],
        values: [{ kind: 'value', value: 'DE', players: [2, 1] }],
      },
    });
  });

  it('says when its windows are over, and which events are gone', async () => {
    await harness.pool.query(
      `update games set events_deleted_before = '2026-11-14' where slug = 'demo-game'`,
    );
    const { jobId } = await start({ ...BODY, from: '2026-11-10', to: '2026-11-14' });
    expect((await ended(jobId)).result).toMatchObject({
      isComplete: true,
      eventsDeletedBefore: '2026-11-14',
      values: [],
    });
  });

  it.each([
    { ...BODY, steps: ['Session_Start'] },
    { ...BODY, steps: Array.from({ length: 7 }, () => 'A') },
    { ...BODY, windowHours: 0 },
    { ...BODY, by: 'sku' },
    { ...BODY, extra: true },
  ])('refuses %j', async (body) => {
    expectGeneralError(await admin.call('POST', `${GAME}/funnels`, body), 400, 'body_invalid');
  });

  it('refuses a span that ends before it begins', async () => {
    const body = { ...BODY, to: '2026-11-01' };
    expectGeneralError(await admin.call('POST', `${GAME}/funnels`, body), 400, 'parameter_invalid');
  });
});

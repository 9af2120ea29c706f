import { fastify } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { audienceRoutes } from '../../../src/liveops/audiences/audience-routes.js';
import type { PlayerSample } from '../../../src/liveops/audiences/sample-queries.js';
import { scoreRoutes } from '../../../src/liveops/audiences/score-routes.js';
import { registerErrorHandlers } from '../../../src/platform/http/error-handler.js';
import { registerValidation } from '../../../src/platform/http/validation.js';
import { segment } from '../../decide/support/fixtures.js';
import { type AdminClient, adminContext, GAME, openAdminClient } from '../../support/admin-calls.js';
import { gameDocument } from '../../support/data-calls.js';
import { createHarness, type Harness } from '../../support/harness.js';

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

const AUDIENCE = {
  method: 'POST',
  url: `/admin/v1${GAME}/audience`,
  payload: { document: gameDocument([], { segments: [segment('all', 'true')] }), segmentId: 'all' },
} as const;
const SCORES = { method: 'GET', url: `/admin/v1${GAME}/prediction-scores` } as const;

describe.each([
  ['an audience', audienceRoutes, AUDIENCE, 'The players are still being counted.'],
  ['scores', scoreRoutes, SCORES, 'The scores are still being counted.'],
])('who asks for %s', (_, routes, request, message) => {
  it('is told to try again where the count takes too long, and gets the numbers afterwards', async () => {
    let end = (_sample: PlayerSample) => {};
    let drawn = new Promise<PlayerSample>((resolve) => {
      end = resolve;
    });
    // The first sample takes for ever; how long a request waits for it is a millisecond here.
    let maxWaitMs = 1;
    const send = async () => {
      const app = fastify();
      registerErrorHandlers(app);
      registerValidation(app);
      app.decorateRequest('admin', undefined);
      routes(app, adminContext(harness), { of: () => drawn }, maxWaitMs);
      const headers = { authorization: `Bearer ${admin.tokens.viewer}` };
      const response = await app.inject({ ...request, headers });
      return { app, response };
    };
    const late = await send();
    expect(late.response.statusCode, late.response.body).toBe(429);
    expect(late.response.headers['retry-after']).toMatch(/^[1-9]$/);
    expect(late.response.json().error).toMatchObject({
      code: 'busy',
      message: `${message} Try again in a few seconds.`,
    });
    end({ players: 0, ids: [] });
    await late.app.close();

    drawn = Promise.resolve({ players: 0, ids: [] });
    maxWaitMs = 60_000;
    const soon = await send();
    expect(soon.response.statusCode, soon.response.body).toBe(200);
    expect(soon.response.json().data).toMatchObject({ players: 0 });
    await soon.app.close();
  });
});

import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectCounts, expectGeneralError, get } from '../../support/data-calls.js';
import { adImpression, createHarness, type Harness, postEvents } from '../../support/harness.js';
import { metricValue } from '../../support/metric-value.js';

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;

let harness: Harness;
beforeAll(async () => {
  harness = await createHarness();
});
afterAll(() => harness.close());

it('refuses events before the disk is full, serves everything else, and takes events when there is room', async () => {
  let freeBytes = 255 * MIB;
  const disk = {
    reading: () => ({ freeBytes, totalBytes: 10 * GIB, isOutOfFiles: false }),
    stop: async () => {},
  };
  const { app, ctx } = await harness.addNode({}, { clock: harness.clock, disk });
  const session = await harness.login('device-1', app);
  const events = [adImpression(1, harness.clock.now())];

  const refused = await postEvents(app, session, events);
  expectGeneralError(refused, 503, 'unavailable');
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect(await metricValue(ctx.metrics.registry, 'savepoint_shed_requests_total{reason="disk"}')).toBe(1);
  expect((await get(app, '/v1/player/status', session)).statusCode).toBe(200);

  freeBytes = 257 * MIB;
  expectCounts(await postEvents(app, session, events), { accepted: 1, duplicates: 0 });
});

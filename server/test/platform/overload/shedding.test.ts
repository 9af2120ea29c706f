import { fastify } from 'fastify';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { registerErrorHandlers } from '../../../src/platform/http/error-handler.js';
import { OverloadedError } from '../../../src/platform/lib/overloaded-error.js';
import { createShedding, limitInFlight, type Shedding } from '../../../src/platform/overload/shedding.js';
import { createMetrics, type Metrics } from '../../../src/platform/telemetry/metrics.js';
import { observeResponses } from '../../../src/platform/telemetry/observation.js';
import { createManualClock } from '../../support/manual-clock.js';
import { metricValue } from '../../support/metric-value.js';

let metrics: Metrics;
let shedding: Shedding;
let lines: Record<string, unknown>[];

beforeEach(() => {
  lines = [];
  metrics = createMetrics();
  shedding = createShedding({ metrics, logger: createLogger() });
});
afterEach(() => {
  shedding.stop();
  metrics.stop();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const createLogger = () =>
  pino({ level: 'info', base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) });
const messages = () => lines.map(({ msg }) => msg);
const BEGINS = expect.stringMatching(/^overload: requests are refused/);
const ENDS = expect.stringMatching(/^overload has ended/);

describe('an overload', () => {
  it('is logged when it begins and when it has ended, not for each request', () => {
    const clock = createManualClock();
    vi.spyOn(performance, 'now').mockImplementation(clock.now);
    for (let n = 0; n < 1_000; n++) shedding.refused('wait');
    clock.advance(4_000);
    shedding.refused('own_line');
    expect(messages()).toEqual([BEGINS]);
    expect(lines[0]).toMatchObject({ reason: 'wait', level: 40 });
    clock.advance(4_000);
    shedding.refused('wait');
    clock.advance(20_000);
    expect(messages()).toEqual([BEGINS, ENDS]);
    expect(lines[1]).toMatchObject({ refused: 1_002, seconds: 8 });

    shedding.refused('full');
    clock.advance(20_000);
    expect(messages()).toEqual([BEGINS, ENDS, BEGINS, ENDS]);
    expect(lines[3]).toMatchObject({ refused: 1, seconds: 0 });
  });

  it('is counted by reason', async () => {
    for (const reason of ['wait', 'wait', 'own_line', 'full'] as const) shedding.refused(reason);
    const shed = (reason: string) =>
      metricValue(metrics.registry, `savepoint_shed_requests_total{reason="${reason}"}`);
    expect([await shed('wait'), await shed('own_line'), await shed('full')]).toEqual([2, 1, 1]);
  });

  it('does not begin because a client hung up', async () => {
    shedding.refused('hung_up');
    expect(lines).toEqual([]);
    expect(await metricValue(metrics.registry, 'savepoint_shed_requests_total{reason="hung_up"}')).toBe(1);
  });
});

describe('requests beyond what can be served in time', () => {
  /** At a rate of one a millisecond, which is not measured anew while the clock stands still, 100 may be in flight. */
  const LIMIT = { maxWaitMs: 100, now: () => 0, overheadMs: () => 0 };

  function buildApp() {
    // On a machine that stands still for seconds, the overload would end and begin again.
    vi.spyOn(performance, 'now').mockReturnValue(0);
    const app = fastify();
    const ends: (() => void)[] = [];
    registerErrorHandlers(app, shedding);
    observeResponses(app, { logger: createLogger(), times: metrics.requests, who: () => ({}) });
    const limit = (form: 'auth' | 'data') => limitInFlight({ shedding, form, ...LIMIT });
    const handler = () => new Promise<string>((resolve) => ends.push(() => resolve('answered')));
    app.get('/v1/data', { onRequest: limit('data') }, handler);
    app.get('/auth/login', { onRequest: limit('auth') }, handler);
    app.get('/v1/full', async () => {
      throw new OverloadedError();
    });
    return { app, ends };
  }

  it.each(['/v1/data', '/auth/login'])(
    'are a 503 at once, in the form of %s, and not logged one by one',
    async (url) => {
      const { app, ends } = buildApp();
      const inFlight = Array.from({ length: 101 }, () => app.inject({ url }));
      await expect.poll(() => ends.length).toBe(101);
      for (let n = 0; n < 3; n++) {
        const refused = await app.inject({ url });
        expect(refused.statusCode).toBe(503);
        expect(refused.headers['retry-after']).toMatch(/^[1-9]$/);
        expect(refused.headers['cache-control']).toBe('no-store');
        const error = { code: 'unavailable', message: expect.any(String) };
        expect(refused.json()).toEqual(
          url.startsWith('/auth/')
            ? { error: expect.any(String), code: 'unavailable' }
            : { error, status: 'error' },
        );
      }
      expect(messages()).toEqual([BEGINS]);

      ends.shift()?.();
      await inFlight.shift();
      inFlight.push(app.inject({ url }));
      await expect.poll(() => ends.length).toBe(101);
      expect((await app.inject({ url })).statusCode).toBe(503);
      for (const end of ends) end();
      expect((await Promise.all(inFlight)).every(({ statusCode }) => statusCode === 200)).toBe(true);
      const count = `savepoint_http_request_duration_seconds_count{route="${url}",method="GET",status="503"}`;
      expect(await metricValue(metrics.registry, count)).toBe(4);
      await app.close();
    },
  );

  it('are counted and logged in the same way where a full line refuses them later', async () => {
    const { app } = buildApp();
    for (let n = 0; n < 3; n++) {
      const refused = await app.inject({ url: '/v1/full' });
      expect(refused.statusCode).toBe(503);
      expect(refused.headers['retry-after']).toMatch(/^[1-9]$/);
    }
    expect(messages()).toEqual([BEGINS]);
    expect(await metricValue(metrics.registry, 'savepoint_shed_requests_total{reason="full"}')).toBe(3);
    await app.close();
  });
});

import type { IncomingMessage } from 'node:http';
import { type FastifyInstance, type FastifyReply, fastify } from 'fastify';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { EVENT_LIMITS } from '../../../src/core/events/intake/limits.js';
import { registerErrorHandlers } from '../../../src/platform/http/error-handler.js';
import { allowHalfOpen } from '../../../src/platform/http/half-close.js';
import { refuseEarly } from '../../../src/platform/overload/early-refusal.js';
import { createEventAdmission, respondAfterHangUp } from '../../../src/platform/overload/event-admission.js';
import { createShedding, type Shedding } from '../../../src/platform/overload/shedding.js';
import { createMetrics, type Metrics } from '../../../src/platform/telemetry/metrics.js';
import { testSettings } from '../../support/harness.js';
import { metricValue } from '../../support/metric-value.js';
import { bodyOf, openConnection, requestText } from '../../support/raw-http.js';

/** 1 KB runs at once, and 8 KB may be before a request. The clock stands still, so that nothing is measured anew. */
const LIMITS = {
  capacity: 1_024,
  minCapacity: 1_024,
  initialRatePerMs: 16,
  stallTimeoutMs: 3_600_000,
  now: () => 0,
  overheadMs: () => 0,
};
const SETTINGS = { ...testSettings(), maxWaitMs: 500 };

/** A route that is admitted as events are, whose work goes on until the test ends it. The player is named by a header. */
describe('the way of a batch to its turn', () => {
  let app: FastifyInstance;
  let metrics: Metrics;
  let shedding: Shedding;
  let port: number;
  let begun: string[];
  let guarded: string[];
  let ends: Map<string, () => void>;

  beforeEach(async () => {
    metrics = createMetrics();
    shedding = createShedding({ metrics, logger: pino({ level: 'silent' }) });
    const admission = createEventAdmission({ settings: SETTINGS, metrics, shedding }, EVENT_LIMITS, LIMITS);
    begun = [];
    guarded = [];
    ends = new Map();
    app = fastify();
    // As the player API does.
    allowHalfOpen(app);
    registerErrorHandlers(app, shedding);
    app.addHook('onRequest', async (request, reply) => {
      guarded.push(nameOf(request.headers));
      admission.announce(request, reply, nameOf(request.headers));
    });
    app.addHook('onRequest', admission.endAnnouncement);
    app.post('/v1/events', async (request, reply) => {
      const name = nameOf(request.headers);
      const bytes = JSON.stringify(request.body).length;
      const response = await admission.run(reply, { userId: name, bytes }, async () => {
        begun.push(name);
        await new Promise<void>((resolve) => ends.set(name, resolve));
        return { name };
      });
      return response ?? respondAfterHangUp(reply);
    });
    refuseEarly(app.server, {
      method: 'POST',
      path: '/v1/events',
      refusalOf: admission.refusalOf,
      corsOrigins: '*',
      shedding,
      times: metrics.requests,
    });
    await app.listen({ host: '127.0.0.1', port: 0 });
    port = (app.server.address() as { port: number }).port;
  });
  afterEach(async () => {
    for (const end of ends.values()) end();
    await app.close();
    shedding.stop();
    metrics.stop();
  });

  const nameOf = (headers: Record<string, unknown>) => String(headers['x-player']);
  const send = (name: string, kilobytes = 1) =>
    app.inject({
      method: 'POST',
      url: '/v1/events',
      headers: { 'x-player': name },
      payload: ['x'.repeat(kilobytes * 1_024)],
    });
  const shed = (reason: string) =>
    metricValue(metrics.registry, `savepoint_shed_requests_total{reason="${reason}"}`);
  const waiting = () => metricValue(metrics.registry, 'savepoint_intake_waiting_requests');
  const end = async (name: string) => {
    await expect.poll(() => ends.has(name)).toBe(true);
    ends.get(name)?.();
  };

  const batchOf = (name: string) =>
    requestText({
      method: 'POST',
      path: '/v1/events',
      headers: [
        ['x-player', name],
        ['content-type', 'application/json'],
        ['content-length', '5'],
      ],
      body: '["x"]',
    });

  it('refuses before the guard, with Retry-After, what would wait too long', async () => {
    const running = send('running', 9);
    await expect.poll(() => begun).toEqual(['running']);
    // Over a connection: what is injected begins at Fastify.
    const connection = await openConnection(port);
    connection.send(batchOf('late'));
    const refused = await connection.closed;
    expect(refused).toMatch(/^HTTP\/1\.1 503 [\s\S]*retry-after: [1-9]\r\n/);
    expect(bodyOf(refused)).toEqual({
      error: { code: 'unavailable', message: expect.stringMatching(/send it again/) },
      status: 'error',
    });
    expect(guarded).toEqual(['running']);
    expect(await shed('wait')).toBe(1);
    await end('running');
    expect((await running).statusCode).toBe(200);
    const again = send('late');
    await end('late');
    expect((await again).statusCode).toBe(200);
  });

  it('refuses a player whose own line is full, and takes the others', async () => {
    const running = send('running');
    await expect.poll(() => begun).toEqual(['running']);
    const flood = [send('flood')];
    await expect.poll(waiting).toBe(1);
    flood.push(send('flood'));
    const refused = await Promise.race(flood.map((sent, n) => sent.then((response) => ({ n, response }))));
    expect(refused.response.statusCode).toBe(503);
    expect(await shed('own_line')).toBe(1);
    const other = send('other');
    await expect.poll(waiting).toBe(2);
    await end('running');
    for (const name of ['flood', 'other']) await end(name);
    expect((await other).statusCode).toBe(200);
    expect((await running).statusCode).toBe(200);
    expect((await Promise.all(flood)).map(({ statusCode }) => statusCode)).toEqual([200, 503]);
  });

  it('a client that closes its sending side gets a response, but does not wait in line', async () => {
    const first = await openConnection(port);
    first.socket.end(batchOf('first'));
    await end('first');
    expect(await first.closed).toMatch(/^HTTP\/1\.1 200 /);

    const running = send('running', 2);
    await expect.poll(() => begun).toEqual(['first', 'running']);
    const before = await openConnection(port);
    before.socket.end(batchOf('before'));
    const meanwhile = await openConnection(port);
    meanwhile.send(batchOf('meanwhile'));
    await expect.poll(waiting).toBe(1);
    meanwhile.socket.end();
    for (const { closed } of [before, meanwhile]) {
      expect(await closed).toMatch(/^HTTP\/1\.1 503 [\s\S]*retry-after: \d/);
    }
    expect(await waiting()).toBe(0);
    expect(await shed('hung_up')).toBe(2);
    await end('running');
    expect((await running).statusCode).toBe(200);
    expect(begun).toEqual(['first', 'running']);
  });

  it('a client that hangs up leaves the line, and its batch is never begun', async () => {
    const running = send('running', 2);
    await expect.poll(() => begun).toEqual(['running']);
    const connection = await openConnection(port);
    connection.send(batchOf('gone'));
    await expect.poll(waiting).toBe(1);
    connection.socket.destroy();
    await expect.poll(waiting).toBe(0);
    expect(await shed('hung_up')).toBe(1);
    const next = send('next');
    await end('running');
    await end('next');
    expect((await running).statusCode).toBe(200);
    expect((await next).statusCode).toBe(200);
    expect(begun).toEqual(['running', 'next']);
  });

  it('a body that is announced and never comes takes no capacity', async () => {
    const connection = await openConnection(port);
    const headers: [string, string][] = [
      ['x-player', 'slow'],
      ['content-type', 'application/json'],
      ['content-length', '1000000'],
    ];
    connection.send(requestText({ method: 'POST', path: '/v1/events', headers }));
    await expect.poll(() => guarded).toEqual(['slow']);
    const other = send('other');
    await end('other');
    expect((await other).statusCode).toBe(200);
    connection.socket.destroy();
  });

  it('tells the waiting line, the work and how long each batch waited', async () => {
    const value = (name: string) => metricValue(metrics.registry, name);
    const running = send('running', 2);
    await expect.poll(() => begun).toEqual(['running']);
    const second = send('second', 3);
    await expect.poll(waiting).toBe(1);
    expect(await value('savepoint_intake_waiting_bytes')).toBeGreaterThan(3_000);
    expect(await value('savepoint_intake_running_bytes')).toBeGreaterThan(2_000);
    expect(await value('savepoint_intake_running_bytes')).toBeLessThan(3_000);
    await end('running');
    await end('second');
    await Promise.all([running, second]);
    expect(await value('savepoint_intake_running_bytes')).toBe(0);
    expect(await value('savepoint_intake_wait_seconds_count')).toBe(2);
    expect(await value('savepoint_intake_rate_bytes')).toBe(16_000);
  });
});

it('counts that a batch waits for a slow event loop before it is read and before its response', () => {
  const metrics = createMetrics();
  onTestFinished(() => void metrics.stop());
  let lagMs = 0;
  const shedding: Shedding = { refused() {}, retryAfterSeconds: () => 1, lagMs: () => lagMs, stop() {} };
  const { overheadMs: _, ...limits } = LIMITS;
  const admission = createEventAdmission({ settings: SETTINGS, metrics, shedding }, EVENT_LIMITS, limits);
  // 192 of the 500 ms that a batch may wait.
  const size = { userId: 'running', bytes: 3_072 };
  void admission.run({ elapsedTime: 0 } as FastifyReply, size, () => new Promise(() => {}));
  const refusal = () => admission.refusalOf({ headers: {} } as IncomingMessage);
  lagMs = 150;
  expect(refusal()).toBeUndefined();
  lagMs = 160;
  expect(refusal()).toBe('wait');
});

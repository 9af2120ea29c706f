import { type FastifyInstance, fastify } from 'fastify';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { registerCors } from '../../../src/platform/http/cors.js';
import { registerErrorHandlers } from '../../../src/platform/http/error-handler.js';
import { registerSingleHeaders } from '../../../src/platform/http/repeated-headers.js';
import { requestId } from '../../../src/platform/http/request-id.js';
import { refuseEarly } from '../../../src/platform/overload/early-refusal.js';
import { createShedding, type Shedding, sendOverloaded } from '../../../src/platform/overload/shedding.js';
import { createMetrics, type Metrics } from '../../../src/platform/telemetry/metrics.js';
import { observeResponses } from '../../../src/platform/telemetry/observation.js';
import { metricValue } from '../../support/metric-value.js';
import { openConnection, statusOf } from '../../support/raw-http.js';

const PATH = '/v1/events';
const ORIGIN = 'https://game.example';
const LARGEST = 1_048_576;

describe('a request that is refused before Fastify has it', () => {
  let app: FastifyInstance;
  let metrics: Metrics;
  let shedding: Shedding;
  let port: number;
  let isFull: boolean;
  let lines: Record<string, unknown>[];
  /** What Fastify was asked, and the bodies that it read. */
  let asked: string[];
  let bodies: number[];

  /** The hooks of the player API. The route itself refuses, too, when it is full, as one does that finds out later. */
  beforeEach(async () => {
    lines = [];
    asked = [];
    bodies = [];
    isFull = true;
    const write = (line: string) => void lines.push(JSON.parse(line));
    const logger = pino({ level: 'debug', base: null }, { write });
    metrics = createMetrics();
    shedding = createShedding({ metrics, logger });
    app = fastify({ genReqId: requestId, requestIdHeader: false, keepAliveTimeout: 72_000 });
    app.decorateRequest('isShed', undefined);
    registerErrorHandlers(app, shedding);
    app.addHook('onRequest', async (request, reply) => {
      asked.push(request.url);
      reply.header('x-request-id', request.id);
    });
    registerSingleHeaders(app);
    observeResponses(app, { logger, times: metrics.requests, who: () => ({}) });
    const corsOrigins = [ORIGIN];
    registerCors(app, corsOrigins);
    app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    app.post(PATH, { bodyLimit: LARGEST }, async (request, reply) => {
      bodies.push((request.body as Buffer).length);
      if (!isFull) return 'taken';
      shedding.refused('wait');
      return sendOverloaded(request, reply, 'data');
    });
    refuseEarly(app.server, {
      method: 'POST',
      path: PATH,
      refusalOf: ({ headers }) => (isFull && headers['x-let-in'] === undefined ? 'wait' : undefined),
      corsOrigins,
      shedding,
      times: metrics.requests,
    });
    await app.listen({ host: '127.0.0.1', port: 0 });
    port = (app.server.address() as { port: number }).port;
  });
  afterEach(async () => {
    await app.close();
    shedding.stop();
    metrics.stop();
  });

  const post = (headers: Record<string, string | number> = {}, body = 'events', path = PATH) => {
    const all = { host: 'localhost', 'content-length': Buffer.byteLength(body), ...headers };
    const text = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    return `POST ${path} HTTP/1.1\r\n${text.join('')}\r\n${body}`;
  };
  const statusesIn = (text: string) => (text.match(/HTTP\/1\.1 \d+/g) ?? []).map((line) => statusOf(line));
  /** The bytes without what differs from one response to the next. */
  const comparable = (text: string) =>
    text.replace(/retry-after: [1-9]\r/, 'retry-after: n\r').replace(/Date: [^\r]+/, 'Date: d');
  const count = (status: number) =>
    metricValue(
      metrics.registry,
      `savepoint_http_request_duration_seconds_count{route="${PATH}",method="POST",status="${status}"}`,
    );
  const shed = () => metricValue(metrics.registry, 'savepoint_shed_requests_total{reason="wait"}');

  it.each([
    ['a game', {}],
    ['a web game', { origin: ORIGIN }],
    ['a page of another origin', { origin: 'https://evil.example' }],
    ['a client that names its request', { 'x-request-id': 'mine-1' }],
    ['a client that closes', { connection: 'close' }],
  ])('gets the very bytes that Fastify would send: %s', async (_who, headers) => {
    const named = { 'x-request-id': 'same', ...headers };
    const early = await openConnection(port);
    early.send(post(named));
    const late = await openConnection(port);
    late.send(post({ ...named, 'x-let-in': 'yes' }));
    const [first, second] = [await early.received(/\}$/), await late.received(/\}$/)];
    expect(first).toMatch(/^HTTP\/1\.1 503 [\s\S]*retry-after: [1-9]\r\n[\s\S]*"unavailable"/);
    expect(comparable(first)).toBe(comparable(second));
    // Only the second one was Fastify's.
    expect(asked).toEqual([PATH]);
    expect(bodies).toEqual(['events'.length]);
    await expect.poll(() => count(503)).toBe(2);
    expect(await shed()).toBe(2);
  });

  it('is not logged one by one, only that the overload has begun', async () => {
    const connection = await openConnection(port);
    for (let n = 1; n <= 3; n++) {
      connection.send(post());
      await expect.poll(() => statusesIn(connection.text())).toHaveLength(n);
    }
    const said = (pattern: RegExp) => lines.filter(({ msg }) => pattern.test(String(msg))).length;
    const [begun, ended] = [said(/^overload: requests are refused/), said(/^overload has ended/)];
    expect(begun + ended).toBe(lines.length);
    expect(begun).toBeGreaterThanOrEqual(1);
    // On a machine that stands still for seconds, the overload ends, and may begin again.
    expect([0, 1]).toContain(begun - ended);
  });

  it.each(['', '?retry=1'])('may be sent again on the same connection: %s', async (query) => {
    const connection = await openConnection(port);
    connection.send(post({}, 'x'.repeat(LARGEST), PATH + query));
    await expect.poll(() => statusesIn(connection.text())).toEqual([503]);
    isFull = false;
    connection.send(post({}, 'x'.repeat(LARGEST), PATH + query));
    await expect.poll(() => statusesIn(connection.text())).toEqual([503, 200]);
    expect(bodies).toEqual([LARGEST]);
  });

  it('gets its response before its body is there, and the body is not taken for the next request', async () => {
    const connection = await openConnection(port);
    const next = post({}, 'the next one');
    connection.send(post({ 'content-length': next.length }, ''));
    await expect.poll(() => statusesIn(connection.text())).toEqual([503]);
    isFull = false;
    // Looks like a request, but is the body.
    connection.send(next);
    connection.send(post());
    await expect.poll(() => statusesIn(connection.text())).toEqual([503, 200]);
    expect(bodies).toEqual(['events'.length]);
  });

  it('may have a body of unknown length', async () => {
    const connection = await openConnection(port);
    const chunked = `POST ${PATH} HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`;
    connection.send(chunked);
    await expect.poll(() => statusesIn(connection.text())).toEqual([503]);
    isFull = false;
    connection.send(chunked);
    await expect.poll(() => statusesIn(connection.text())).toEqual([503, 200]);
  });

  it('gets its response in its turn among pipelined requests', async () => {
    const connection = await openConnection(port);
    connection.send(post({ 'x-let-in': 'yes', 'x-request-id': 'a' }) + post({ 'x-request-id': 'b' }));
    await expect.poll(() => statusesIn(connection.text())).toEqual([503, 503]);
    expect(connection.text().match(/x-request-id: \w/g)).toEqual(['x-request-id: a', 'x-request-id: b']);
  });

  it('is not asked for a body that it has not sent', async () => {
    const connection = await openConnection(port);
    connection.send(post({ expect: '100-continue', 'content-length': 6 }, ''));
    // The client may send the body or not, so nothing else can follow on this connection.
    expect(await connection.closed).toMatch(/^HTTP\/1\.1 503 [\s\S]*connection: close\r\n/);

    isFull = false;
    const taken = await openConnection(port);
    taken.send(post({ expect: '100-continue', 'content-length': 6 }, ''));
    await expect.poll(() => statusesIn(taken.text())).toEqual([100]);
    taken.send('events');
    await expect.poll(() => statusesIn(taken.text())).toEqual([100, 200]);
  });

  it('is a 400 first where a header is repeated that must not be', async () => {
    const connection = await openConnection(port);
    connection.send(post({ Authorization: 'one', authorization: 'two' }));
    expect(await connection.received(/\}$/)).toMatch(/^HTTP\/1\.1 400 [\s\S]*header_invalid/);
    expect(await shed()).toBe(0);
  });

  it('is one of this route only', async () => {
    const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`;
    const others = [get('/v1/other'), get(PATH), post({}, '', '/v1/events-of-others')];
    for (const request of others) {
      const connection = await openConnection(port);
      connection.send(request);
      expect(statusOf(await connection.received(/\}$/))).toBeOneOf([404, 405]);
    }
    const spelled = await openConnection(port);
    spelled.send(post({}, 'events', '/v1/%65vents'));
    expect(await spelled.received(/\}$/)).toMatch(/^HTTP\/1\.1 503 /);
    expect(asked).toEqual(['/v1/other', PATH, '/v1/events-of-others', '/v1/%65vents']);
  });

  it('may be closed by its client while its body is on the way', async () => {
    const gone = await openConnection(port);
    gone.send(post({ 'content-length': 100 }, 'half'));
    await expect.poll(() => statusesIn(gone.text())).toEqual([503]);
    gone.socket.destroy();
    isFull = false;
    const other = await openConnection(port);
    other.send(post());
    await expect.poll(() => statusesIn(other.text())).toEqual([200]);
  });
});

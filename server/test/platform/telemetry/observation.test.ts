import { PassThrough } from 'node:stream';
import { fastify } from 'fastify';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBulkHistogram } from '../../../src/platform/telemetry/bulk-histogram.js';
import { observeResponses } from '../../../src/platform/telemetry/observation.js';
import { get } from '../../support/data-calls.js';
import { createHarness, type Harness, type Session } from '../../support/harness.js';

describe('a histogram that is told in bulk', () => {
  it('has counted all at a scrape, however many they are', async () => {
    const registry = new Registry();
    const name = 'waits_seconds';
    const times = createBulkHistogram({
      name,
      help: 'x',
      labelNames: ['route'] as const,
      buckets: [1],
      registers: [registry],
    });
    const count = async () => /waits_seconds_count\{route="a"\} (\d+)/.exec(await registry.metrics())?.[1];
    times.observe({ route: 'a' }, 0.5);
    expect(await count()).toBe('1');
    for (let n = 0; n < 1_000; n++) times.observe({ route: 'a' }, 2);
    expect(await count()).toBe('1001');
    expect(await count()).toBe('1001');
    expect(await registry.metrics()).toContain('waits_seconds_bucket{le="1",route="a"} 1');
    expect(await registry.metrics()).toContain('waits_seconds_sum{route="a"} 2000.5');
  });
});

describe('responses are counted by their route', () => {
  let harness: Harness;
  let session: Session;
  beforeAll(async () => {
    harness = await createHarness();
    session = await harness.login('observed');
  });
  afterAll(() => harness.close());

  const counted = async (route: string, method: string, status: number) => {
    const metrics = await harness.ctx.metrics.registry.metrics();
    const line = `savepoint_http_request_duration_seconds_count{route="${route}",method="${method}",status="${status}"}`;
    return Number(
      metrics
        .split('\n')
        .find((text) => text.startsWith(line))
        ?.slice(line.length) ?? 0,
    );
  };

  it('once each, refused or not, and never by an invented address', async () => {
    await get(harness.app, '/v1/player/status', session);
    await get(harness.app, '/v1/player/status?x=1', session, { authorization: undefined });
    await harness.app.inject({ url: '/v1/player/invented-1' });
    await harness.app.inject({ url: '/invented-2' });
    await harness.app.inject({
      method: 'OPTIONS',
      url: '/v1/events',
      headers: { origin: 'https://a.example' },
    });
    expect(await counted('/auth/login', 'POST', 200)).toBe(1);
    expect(await counted('/v1/player/status', 'GET', 200)).toBe(1);
    expect(await counted('/v1/player/status', 'GET', 401)).toBe(1);
    expect(await counted('unknown', 'GET', 404)).toBe(2);
    expect(await counted('*', 'OPTIONS', 204)).toBe(1);
    expect(await harness.ctx.metrics.registry.metrics()).not.toContain('invented');
  });
});

it('a response that lasts is timed until it begins, and counted then', async () => {
  const registry = new Registry();
  const times = createBulkHistogram({
    name: 'live_seconds',
    help: 'x',
    labelNames: ['route', 'method', 'status'] as const,
    buckets: [3_600],
    registers: [registry],
  });
  const app = fastify();
  app.decorateRequest('isShed', undefined);
  observeResponses(app, { logger: pino({ level: 'silent' }), times, who: () => ({}) });
  const stream = new PassThrough();
  app.get('/live', { config: { isLive: true } }, () => stream);
  app.get('/refused', { config: { isLive: true } }, (_request, reply) => reply.code(403).send({}));
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const counted = async (route: string, status: number) =>
    (await registry.metrics()).includes(
      `live_seconds_count{route="${route}",method="GET",status="${status}"} 1`,
    );

  stream.write('first');
  const response = await fetch(`${url}/live`);
  // It goes on for as long as somebody listens.
  expect(await counted('/live', 200)).toBe(true);
  stream.end();
  expect(await response.text()).toBe('first');
  await fetch(`${url}/refused`);
  expect(await counted('/refused', 403)).toBe(true);
  await app.close();
  expect(await counted('/live', 200)).toBe(true);
});

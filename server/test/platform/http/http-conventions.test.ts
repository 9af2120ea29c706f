import type { InjectOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectGeneralError, get } from '../../support/data-calls.js';
import { createHarness, type Harness, type Session } from '../../support/harness.js';
import { expectStringError } from '../../support/session-calls.js';

describe('what every response has in common', () => {
  let harness: Harness;
  let session: Session;
  beforeAll(async () => {
    harness = await createHarness();
    session = await harness.login('conventions');
  });
  afterAll(() => harness.close());

  const ask = (options: InjectOptions) => harness.app.inject(options);

  describe('x-request-id', () => {
    it.each(['abc', 'a'.repeat(128), '0198c1f2-7d7a-7b0e:x_y.z'])('echoes %s', async (id) => {
      const response = await ask({ url: '/v1/limits', headers: { 'x-request-id': id } });
      expect(response.headers['x-request-id']).toBe(id);
    });

    it.each(['', ' ', 'a b', 'a'.repeat(129), 'a\tb', 'é', 'a,b', '<script>', '"'])(
      'replaces %j',
      async (id) => {
        const response = await ask({ url: '/v1/limits', headers: { 'x-request-id': id } });
        expect(response.headers['x-request-id']).toMatch(/^[A-Za-z0-9._:-]{5,128}$/);
        expect(response.headers['x-request-id']).not.toBe(id);
      },
    );

    it('replaces a repeated one', async () => {
      const headers = { 'x-request-id': ['one', 'two'] };
      const response = await ask({ url: '/v1/limits', headers: headers as never });
      expect(['one', 'two', 'one,two', 'one, two']).not.toContain(response.headers['x-request-id']);
    });

    it('makes a new one for each request', async () => {
      const responses = await Promise.all(Array.from({ length: 50 }, () => ask({ url: '/v1/limits' })));
      expect(new Set(responses.map((response) => response.headers['x-request-id'])).size).toBe(50);
    });

    it.each([
      { url: '/nothing' },
      { url: '/%zz' },
      { url: '/v1/player/status' },
      { url: '/v1/events', method: 'DELETE' },
      { url: '/auth/login', method: 'POST', payload: 'x', headers: { 'content-type': 'text/plain' } },
      { url: '/auth/login', method: 'POST', payload: '{', headers: { 'content-type': 'application/json' } },
      { url: '/v1/limits', method: 'OPTIONS' },
    ] as InjectOptions[])('is on the response to $url', async (options) => {
      const headers = { ...(options.headers as Record<string, string>), 'x-request-id': 'follow-me' };
      const response = await ask({ ...options, headers });
      expect(response.headers['x-request-id'], response.body).toBe('follow-me');
    });
  });

  describe('CORS', () => {
    const origin = 'https://game.example.com';

    it.each(['/auth/login', '/v1/events', '/v1/player/store_configs'])(
      'responds to the preflight of %s',
      async (url) => {
        const wanted = 'authorization,content-type,x-tenant-id,x-game-id,x-player-id';
        const response = await ask({
          method: 'OPTIONS',
          url,
          headers: {
            origin,
            'access-control-request-method': 'POST',
            'access-control-request-headers': wanted,
          },
        });
        expect(response.statusCode).toBe(204);
        expect(response.headers['access-control-allow-origin']).toBe('*');
        expect(String(response.headers['access-control-allow-methods']).split(/, */)).toEqual(
          expect.arrayContaining(['GET', 'POST']),
        );
        expect(response.headers['access-control-allow-headers']).toBe(wanted);
        expect(Number(response.headers['access-control-max-age'])).toBeGreaterThan(0);
      },
    );

    it('lets web games read Date, x-request-id and what else they need, also on errors', async () => {
      const responses = await Promise.all([
        get(harness.app, '/v1/player/store_configs', session, { origin }),
        get(harness.app, '/v1/player/status', session, { origin, authorization: undefined }),
        ask({ url: '/nothing', headers: { origin } }),
      ]);
      expect(responses.map((response) => response.statusCode)).toEqual([200, 401, 404]);
      for (const { headers } of responses) {
        expect(headers['access-control-allow-origin']).toBe('*');
        const exposed = String(headers['access-control-expose-headers']).split(/, */);
        expect(exposed).toEqual(
          expect.arrayContaining(['date', 'x-request-id', 'etag', 'retry-after', 'ratelimit']),
        );
        expect(Date.parse(String(headers.date))).not.toBeNaN();
      }
    });

    it('allows only the configured origins, where there are some', async () => {
      const { app } = await harness.addNode({ corsOrigins: [origin] });
      const allowed = await app.inject({ url: '/v1/limits', headers: { origin } });
      expect(allowed.headers['access-control-allow-origin']).toBe(origin);
      const other = await app.inject({ url: '/v1/limits', headers: { origin: 'https://evil.example.com' } });
      expect(other.headers['access-control-allow-origin']).toBeUndefined();
      for (const { headers } of [allowed, other]) expect(headers.vary).toBe('Origin');
      const preflight = await app.inject({
        method: 'OPTIONS',
        url: '/v1/limits',
        headers: { origin: 'https://evil.example.com', 'access-control-request-method': 'GET' },
      });
      expect(Object.keys(preflight.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    });

    it('says nothing to clients that are no browsers, and lets no cache serve that to one', async () => {
      const keys = await ask({ url: '/.well-known/jwks.json' });
      expect(keys.headers['access-control-allow-origin']).toBeUndefined();
      expect(keys.headers.vary).toBe('Origin');
    });
  });

  describe('addresses and methods', () => {
    it.each([
      '/',
      '/v1',
      '/v1/players',
      '/v1/player/status/',
      '/V1/player/status',
      '/v1/nothing?x=1',
      '//',
      '/v1/player/stat*',
      '/:x(',
      '/v1/../x',
      '/%00',
      '/a%20b',
      `/${'a'.repeat(500)}`,
    ])('%s is not there', async (url) => {
      expectGeneralError(await ask({ url }), 404, 'not_found');
    });

    it('an address under /auth/ is not there in the string form', async () => {
      expectStringError(await ask({ url: '/auth/nothing' }), 404, 'not_found');
    });

    it('an address that cannot be decoded is a bad request', async () => {
      expectGeneralError(await ask({ url: '/%zz' }), 400, 'request_invalid');
    });

    it.each([
      ['/v1/player/status', 'POST', 'GET, HEAD'],
      ['/v1/player/store_configs', 'DELETE', 'GET, HEAD'],
      ['/v1/player/segments?x=1', 'PUT', 'GET, HEAD'],
      ['/v1/limits', 'PATCH', 'GET, HEAD'],
      ['/v1/events', 'GET', 'POST'],
      ['/v1/events', 'HEAD', 'POST'],
    ] as const)('%s does not support %s', async (url, method, allow) => {
      const response = await ask({ url, method, headers: session.headers });
      expect(response.headers.allow).toBe(allow);
      expectGeneralError(response, 405, 'method_not_allowed');
    });

    it.each(['/auth/login', '/auth/refresh', '/auth/logout'])(
      'GET %s is refused in the string form',
      async (url) => {
        const response = await ask({ url });
        expectStringError(response, 405, 'method_not_allowed');
        expect(response.headers.allow).toBe('POST');
      },
    );

    it('HEAD responds as GET does, without the body', async () => {
      for (const url of ['/v1/player/status', '/v1/player/store_configs', '/v1/player/segments']) {
        const full = await get(harness.app, url, session);
        const head = await ask({ method: 'HEAD', url, headers: session.headers });
        expect(head.statusCode).toBe(200);
        expect(head.body).toBe('');
        for (const name of ['content-type', 'content-length', 'etag', 'cache-control']) {
          expect(head.headers[name]).toBe(full.headers[name]);
        }
      }
      expect((await ask({ method: 'HEAD', url: '/v1/player/status' })).statusCode).toBe(401);
    });
  });
});

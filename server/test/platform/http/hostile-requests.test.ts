import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import type { InjectOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withoutRateLimits } from '../../support/data-calls.js';
import { createHarness, type Harness, type Session } from '../../support/harness.js';
import { runs } from '../../support/property-runs.js';
import { addServerKey, call, type ServerRequest } from '../../support/server-calls.js';

const API_DOCUMENT = new URL('../../../../openapi/player.json', import.meta.url);

const PATHS = [
  '/auth/login',
  '/auth/refresh',
  '/auth/logout',
  '/v1/events',
  '/v1/player/status',
  '/v1/player/store_configs',
  '/v1/player/segments',
  '/v1/limits',
  '/.well-known/jwks.json',
];
const METHODS = ['GET', 'POST', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'] as const;

describe('hostile requests', () => {
  let harness: Harness;
  let session: Session;
  beforeAll(async () => {
    harness = await createHarness({ settings: withoutRateLimits() });
    session = await harness.login('hostile');
  });
  afterAll(() => harness.close());

  const expectNo5xx = async (options: InjectOptions) => {
    const response = await harness.app.inject(options);
    expect(response.statusCode, response.body).toBeLessThan(500);
    expect(response.headers['x-request-id']).toMatch(/./);
    return response;
  };

  it('of any method, address, headers and body never fail on our side', async () => {
    await fc.assert(
      fc.asyncProperty(requests(), async ({ headers, withSession, ...request }) => {
        // Without the session's logout, which would end it for all that follow.
        fc.pre(!(withSession && request.url.startsWith('/auth/logout') && request.method === 'POST'));
        await expectNo5xx({
          ...request,
          headers: { ...(withSession ? session.headers : {}), ...headers } as Record<string, string>,
        });
      }),
      { numRuns: runs(400) },
    );
  });

  it('with an odd text anywhere in the address of any route never fail on our side', async () => {
    const { headers: ofServer } = await addServerKey(harness);
    // What the routes ask for, so that each comes as far as to look the text up. Members that they do not know are ignored.
    const payload = {
      signedPayload: 'a.b.c',
      message: { messageId: '1', data: 'e30=' },
      userId: 'x',
      ageGroup: null,
    };
    for (const { method, url, isOfServer } of await oddAddresses()) {
      const headers = isOfServer ? ofServer : session.headers;
      const response = await call(harness.app, {
        ...{ method, url, headers },
        ...(method === 'GET' || method === 'DELETE' ? {} : { payload }),
      });
      expect(response.statusCode, `${method} ${url}: ${response.body}`).toBeLessThan(500);
    }
  });

  it('with JSON of wrong types never fail on our side', async () => {
    const bodies = fc.oneof(
      fc.record(members(['apiKey', 'deviceId', 'timestamp', 'signature', 'refreshToken', 'allDevices']), {
        requiredKeys: [],
      }),
      fc.jsonValue(),
    );
    const paths = fc.constantFrom('/auth/login', '/auth/refresh', '/auth/logout', '/v1/events');
    await fc.assert(
      fc.asyncProperty(paths, bodies, async (url, body) => {
        const { authorization: _token, ...withoutToken } = session.headers;
        const response = await expectNo5xx({
          method: 'POST',
          url,
          headers: {
            ...(url === '/v1/events' ? session.headers : withoutToken),
            'content-type': 'application/json',
          },
          payload: JSON.stringify(body),
        });
        if (url.startsWith('/auth/')) expect(response.statusCode).toBeGreaterThanOrEqual(400);
      }),
      { numRuns: runs(250) },
    );
  });

  it('with events that are nearly right never fail on our side', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(events(), { minLength: 1, maxLength: 8 }), async (batch) => {
        await expectNo5xx({
          method: 'POST',
          url: '/v1/events',
          headers: { ...session.headers, 'content-type': 'application/json' },
          payload: JSON.stringify(batch),
        });
      }),
      { numRuns: runs(250) },
    );
  });
});

const ODD_TEXTS = [
  '%00',
  'a%00b',
  '%ED%A0%80',
  '__proto__',
  'constructor',
  '%F0%9F%98%80',
  '%0A',
  'x'.repeat(300),
];

type Operation = Readonly<{ parameters?: readonly Readonly<{ in: string; name: string }>[] }>;
type OddAddress = { method: NonNullable<ServerRequest['method']>; url: string; isOfServer: boolean };

/** Every route with a parameter in its address or its query, and each odd text in the place of each parameter. */
async function oddAddresses(): Promise<OddAddress[]> {
  const { paths } = JSON.parse(await readFile(API_DOCUMENT, 'utf8')) as {
    paths: Record<string, Record<string, Operation>>;
  };
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([name, { parameters = [] }]) => {
      const method = name.toUpperCase() as OddAddress['method'];
      const isOfServer = path.startsWith('/v1/server/');
      return parameters
        .filter((parameter) => parameter.in === 'path' || parameter.in === 'query')
        .flatMap((parameter) =>
          ODD_TEXTS.map((text) => ({ method, url: addressWith(path, parameter, text), isOfServer })),
        );
    }),
  );
}

function addressWith(path: string, parameter: { in: string; name: string }, text: string): string {
  const others = path.replace(`{${parameter.name}}`, text).replace(/\{\w+\}/g, 'demo-studio');
  return parameter.in === 'query' ? `${others}?${parameter.name}=${text}` : others;
}

function requests() {
  const headerName = fc.constantFrom(
    'authorization',
    'x-tenant-id',
    'x-player-id',
    'content-type',
    'content-encoding',
    'content-length',
    'if-none-match',
    'x-request-id',
    'origin',
    'access-control-request-method',
    'accept',
    'cookie',
    'x-forwarded-for',
  );
  const headerValue = fc.oneof(
    fc.string(),
    fc.constantFrom(
      'application/json',
      'gzip',
      'br',
      'deflate',
      '*',
      'Bearer a.b.c',
      '0',
      '-1',
      '99999999999',
      'null',
    ),
  );
  return fc.record({
    method: fc.constantFrom(...METHODS),
    url: fc.oneof(
      fc.constantFrom(...PATHS),
      fc.tuple(fc.constantFrom(...PATHS), fc.webQueryParameters()).map(([path, query]) => `${path}?${query}`),
      fc.webPath().map((path) => `/${path}`),
      fc.string().map((text) => `/${encodeURI(text.toWellFormed())}`),
      fc.constantFrom(
        '/%',
        '/%zz',
        '/%ff',
        '/:x(',
        '/*',
        '/v1/*',
        '//',
        '/?',
        '/v1/player/%73tatus',
        '/__proto__',
      ),
    ),
    headers: fc.dictionary(headerName, headerValue, { maxKeys: 5 }),
    payload: fc.oneof(
      fc.string(),
      fc.json(),
      fc.uint8Array().map((bytes) => Buffer.from(bytes)),
    ),
    withSession: fc.boolean(),
  });
}

/** Each member of any JSON value, or of one that is nearly right. */
function members(names: readonly string[]): Record<string, fc.Arbitrary<unknown>> {
  const value = fc.oneof(
    fc.jsonValue(),
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      '',
      'USD',
      'dev-key',
      '2026-11-15T12:00:00Z',
      '\0',
      '\ud800',
      '1e5',
      1e300,
      -1e300,
      5e-324,
      -0,
      2 ** 63,
    ),
  );
  return Object.fromEntries(names.map((name) => [name, value]));
}

function events() {
  const payload = fc.record(
    members([
      'userId',
      'adId',
      'sessionId',
      'durationMs',
      'transactionId',
      'skuId',
      'price',
      'currency',
      'promoId',
      '__proto__',
    ]),
    { requiredKeys: [] },
  );
  const metadata = fc.record(members(['osName', 'osVersion', 'deviceType', 'country', 'locale']), {
    requiredKeys: [],
  });
  const types = [
    'Ad_Impression',
    'Session_Start',
    'Session_End',
    'Purchase',
    'Refund',
    'Store_View',
    'Level_Complete',
  ];
  return fc.record(
    {
      eventType: fc.oneof(
        { weight: 5, arbitrary: fc.constantFrom(...types) },
        fc.string({ unit: 'binary' }),
        fc.jsonValue(),
      ),
      timestamp: fc.oneof(
        { weight: 5, arbitrary: fc.date({ noInvalidDate: true }).map((date) => date.toISOString()) },
        fc.constantFrom(
          '0000-01-01T00:00:00+23:59',
          '9999-12-31T23:59:59.999999999-23:59',
          '2026-11-15T12:00:00Z',
        ),
        fc.jsonValue(),
      ),
      payload: fc.oneof({ weight: 5, arbitrary: payload }, fc.jsonValue()),
      metadata: fc.oneof({ weight: 5, arbitrary: metadata }, fc.jsonValue()),
      eventId: fc.oneof(fc.string({ unit: 'binary' }), fc.jsonValue()),
    },
    { requiredKeys: ['eventType', 'timestamp', 'payload'] },
  );
}

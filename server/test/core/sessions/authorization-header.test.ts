import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHarness, type Harness, type Session } from '../../support/harness.js';
import { expectRefusedToken, expectStringError } from '../../support/session-calls.js';

let harness: Harness;
let session: Session;
beforeAll(async () => {
  harness = await createHarness();
  session = await harness.login();
  await harness.app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => harness.close());

const ROUTES = [
  ['GET', '/v1/player/status'],
  ['GET', '/v1/player/store_configs'],
  ['GET', '/v1/player/segments'],
  ['POST', '/v1/events'],
  ['POST', '/auth/logout'],
] as const;

function call(method: 'GET' | 'POST', url: string, authorization?: string) {
  const { authorization: _, ...identity } = session.headers;
  const headers = authorization === undefined ? identity : { ...identity, authorization };
  return harness.app.inject({ method, url, headers });
}

describe.each(ROUTES)('%s %s', (method, url) => {
  test('without a token names the scheme and no error', async () => {
    const response = await call(method, url);
    expectStringError(response, 401, 'token_missing');
    expect(response.headers['www-authenticate']).toBe('Bearer');
  });

  test('with a token that is none says invalid_token', async () => {
    expectRefusedToken(await call(method, url, 'Bearer nonsense'), 'token_invalid');
  });
});

describe('the scheme', () => {
  const status = (authorization: string) => call('GET', '/v1/player/status', authorization);

  test.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])('%s is taken', async (scheme) => {
    expect((await status(`${scheme} ${session.accessToken}`)).statusCode).toBe(200);
    expect((await status(`${scheme}  ${session.accessToken}`)).statusCode).toBe(200);
  });

  test.each(['Basic ZGV2LWtleTpkZXYtc2VjcmV0', 'Token abc', 'Bearer', 'bearer ', '', 'BearerX abc'])(
    '%j is no bearer token at all: the scheme and no error (RFC 6750)',
    async (authorization) => {
      const response = await status(authorization);
      expectStringError(response, 401, 'token_missing');
      expect(response.headers['www-authenticate']).toBe('Bearer');
    },
  );

  test('the bare token without a scheme is not taken', async () => {
    expectStringError(await status(session.accessToken), 401, 'token_missing');
  });

  test.each<[string, (token: string) => string]>([
    ['in quotes', (token) => `Bearer "${token}"`],
    ['followed by another', (token) => `Bearer ${token} ${token}`],
    ['joined with another', (token) => `Bearer ${token}, Bearer ${token}`],
    ['as a parameter', (token) => `Bearer token=${token}`],
    ['behind a tab', (token) => `Bearer \t${token}`],
  ])('a token %s is refused', async (_name, change) => {
    expectRefusedToken(await status(change(session.accessToken)), 'token_invalid');
  });

  test('a token in the query or in a cookie is not looked at', async () => {
    const { authorization: _, ...identity } = session.headers;
    const response = await harness.app.inject({
      method: 'GET',
      url: `/v1/player/status?access_token=${session.accessToken}`,
      headers: { ...identity, cookie: `access_token=${session.accessToken}` },
    });
    expectStringError(response, 401, 'token_missing');
  });
});

/** Over a socket: `inject` cannot send a header twice. */
function raw(method: string, url: string, headers: [string, string][]): Promise<string> {
  const { port } = harness.app.server.address() as AddressInfo;
  const lines = [['Host', 'test'], ['Connection', 'close'], ...headers].map((pair) => pair.join(': '));
  return new Promise((resolve, reject) => {
    let response = '';
    const socket = connect(port, '127.0.0.1', () =>
      socket.write(`${method} ${url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`),
    );
    socket.setEncoding('utf8');
    socket.on('data', (text) => {
      response += text;
    });
    socket.on('end', () => resolve(response));
    socket.on('error', reject);
  });
}

describe('a header sent twice', () => {
  const good = (): [string, string][] => Object.entries(session.headers);

  test('is accepted when it is sent once', async () => {
    expect(await raw('GET', '/v1/player/status', good())).toMatch(/^HTTP\/1\.1 200 /);
  });

  test.each([
    ['the same twice', () => `Bearer ${session.accessToken}`],
    ['a second of another player', () => 'Bearer nonsense'],
    ['a second of another scheme', () => 'Basic abc'],
  ])('Authorization, %s, is a 400', async (_name, second) => {
    for (const headers of [
      [...good(), ['authorization', second()] as [string, string]],
      [['AUTHORIZATION', second()] as [string, string], ...good()],
    ]) {
      const response = await raw('GET', '/v1/player/status', headers);
      expect(response).toMatch(/^HTTP\/1\.1 400 /);
      expect(response).toContain('"code":"header_invalid"');
      expect(response).toContain('"status":"error"');
    }
  });

  test('Authorization, at logout, is a 400 in the string form and ends nothing', async () => {
    const response = await raw('POST', '/auth/logout', [
      ...good(),
      ['Authorization', 'Bearer nonsense'],
      ['Content-Length', '0'],
    ]);
    expect(response).toMatch(/^HTTP\/1\.1 400 /);
    expect(response).toMatch(/\{"error":"[^"]+","code":"header_invalid"\}/);
    expect(await raw('GET', '/v1/player/status', good())).toMatch(/^HTTP\/1\.1 200 /);
  });

  test.each(['X-Tenant-ID', 'X-Game-Id', 'X-Player-Id'])('%s is a 400', async (name) => {
    const same = session.headers[name.toLowerCase()] ?? '';
    const response = await raw('GET', '/v1/player/status', [...good(), [name, same]]);
    expect(response).toMatch(/^HTTP\/1\.1 400 /);
    expect(response).toContain('"code":"header_invalid"');
  });
});

describe('an empty logout over a socket', () => {
  test.each<[string, [string, string][]]>([
    ['no body headers at all', []],
    ['Content-Length: 0', [['Content-Length', '0']]],
    [
      'JSON of no length',
      [
        ['Content-Type', 'application/json'],
        ['Content-Length', '0'],
      ],
    ],
  ])('with %s ends the session', async (_name, headers) => {
    const { accessToken } = await harness.login('leaving');
    const response = await raw('POST', '/auth/logout', [
      ['Authorization', `Bearer ${accessToken}`],
      ...headers,
    ]);
    expect(response).toMatch(/^HTTP\/1\.1 200 /);
    expect(response).toContain('{"data":{"revokedSessions":1},"status":"success"}');
  });
});

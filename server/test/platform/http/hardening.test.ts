import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHarness, type Harness, type Session } from '../../support/harness.js';
import { bodyOf, exchange, openConnection, requestText, statusOf } from '../../support/raw-http.js';

type HeaderList = [string, string][];

describe('the listening service', () => {
  let harness: Harness;
  let session: Session;
  let port: number;
  beforeAll(async () => {
    harness = await createHarness();
    session = await harness.login('raw');
    await harness.app.listen({ host: '127.0.0.1', port: 0 });
    port = (harness.app.server.address() as AddressInfo).port;
  });
  afterAll(() => harness.close());

  const identity = (): HeaderList => Object.entries(session.headers);
  const post = (headers: HeaderList, body: string) =>
    exchange(
      port,
      requestText({ method: 'POST', path: '/v1/events', headers: [...identity(), ...headers], body }),
    );
  const JSON_TYPE: [string, string] = ['Content-Type', 'application/json'];

  const expectError = (response: string, status: number, code: string) => {
    expect(statusOf(response), response).toBe(status);
    expect(bodyOf(response)).toMatchObject({ error: { code }, status: 'error' });
    expect(response).toMatch(/^x-request-id: \S+\r$/im);
  };

  it('cuts slow headers and slow bodies, and says why', async () => {
    const drip = async (start: string, drop: string) => {
      const connection = await openConnection(port);
      connection.send(start);
      const timer = setInterval(() => connection.send(drop), 500);
      // A connection that is never cut ends the test by its own time-out: no time decides here.
      return connection.closed.finally(() => clearInterval(timer));
    };
    const slowBody = requestText({
      method: 'POST',
      path: '/v1/events',
      headers: [...identity(), JSON_TYPE, ['Content-Length', '10000']],
      body: '[',
    });
    const attempts = await Promise.all([
      drip('GET /v1/limits HTTP/1.1\r\nHost: localhost\r\n', 'X-Slow: 1\r\n'),
      drip(slowBody, ' '),
      drip(slowBody.replace('/v1/events', '/auth/login'), ' '),
      drip('GET /', 'a'),
    ]);
    for (const response of attempts) expectError(response, 408, 'request_timeout');
  });

  it.each([
    ['Authorization', () => ['Authorization', session.headers.authorization]],
    ['X-Tenant-ID', () => ['x-tenant-id', session.headers['x-tenant-id']]],
    ['X-Tenant-ID in another case', () => ['X-TENANT-ID', 'other']],
    ['Content-Length', () => ['Content-Length', '2']],
    ['Host', () => ['host', 'localhost']],
    ['Host with another name', () => ['HOST', 'evil.example']],
  ] as [string, () => [string, string]][])('refuses a repeated %s', async (_name, header) => {
    const response = await post([JSON_TYPE, ['Content-Length', '2'], header()], '[]');
    expect(statusOf(response), response).toBe(400);
    expect(bodyOf(response)).toMatchObject({
      error: { code: expect.stringMatching(/^(header|request)_invalid$/) },
    });
  });

  it.each([
    [
      'two lengths that differ',
      [
        ['Content-Length', '2'],
        ['Content-Length', '3'],
      ],
    ],
    [
      'a length and chunks',
      [
        ['Content-Length', '2'],
        ['Transfer-Encoding', 'chunked'],
      ],
    ],
    ['a length that is none', [['Content-Length', '2x']]],
    ['a negative length', [['Content-Length', '-2']]],
    ['an unknown transfer encoding', [['Transfer-Encoding', 'gzip']]],
    ['a control character in a header', [['X-Bad', 'a\u0001b']]],
    ['a space in a header name', [['X Bad', '1']]],
    ['a line break without a carriage return before a header', [['X-A', '1\nX-Tenant-ID: other']]],
  ] as [string, HeaderList][])('refuses %s', async (_name, headers) => {
    expectError(await post([JSON_TYPE, ...headers], '[]'), 400, 'request_invalid');
  });

  it.each([
    'garbage\r\n\r\n',
    '\u0016\u0003\u0001\u0002\u0000\u0001',
    'GET /v1/limits HTTP/9.9\r\n\r\n',
    'get /v1/limits HTTP/1.1\r\nHost: x\r\n\r\n',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  ])('%j is not HTTP', async (text) => {
    expectError(await exchange(port, text), 400, 'request_invalid');
  });

  it.each([
    ['GET', '/v1/limits', { error: { code: 'header_invalid' }, status: 'error' }],
    ['GET', '/nothing', { error: { code: 'header_invalid' }, status: 'error' }],
    ['POST', '/auth/login', { error: expect.stringContaining('host'), code: 'header_invalid' }],
  ])('refuses a repeated Host also at %s %s, where nobody is asked for', async (method, path, body) => {
    const response = await exchange(port, requestText({ method, path, headers: [['Host', 'localhost']] }));
    expect(statusOf(response), response).toBe(400);
    expect(bodyOf(response)).toMatchObject(body);
  });

  it('refuses a request without a host, unless it is one of HTTP/1.0', async () => {
    const get = (version: string) => `GET /v1/limits HTTP/${version}\r\nConnection: close\r\n\r\n`;
    expectError(await exchange(port, get('1.1')), 400, 'header_missing');
    expect(statusOf(await exchange(port, get('1.0')))).toBe(200);
  });

  it('refuses headers that are too large', async () => {
    const response = await exchange(port, requestText({ headers: [['X-Large', 'x'.repeat(20_000)]] }));
    expectError(response, 431, 'headers_too_large');
  });

  it('refuses a chunked body over the limit before its end', async () => {
    const connection = await openConnection(port);
    connection.send(
      requestText({
        method: 'POST',
        path: '/v1/events',
        headers: [...identity(), JSON_TYPE, ['Transfer-Encoding', 'chunked']],
      }),
    );
    const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`;
    for (let sent = 0; sent <= 17; sent++) connection.send(chunk);
    expectError(await connection.closed, 413, 'body_too_large');
  });

  it('refuses a length over the limit without waiting for the body', async () => {
    expectError(await post([JSON_TYPE, ['Content-Length', '1048577']], '['), 413, 'body_too_large');
  });

  it('reads the rest of a body over the limit, so that a proxy that is still sending it gets the response', async () => {
    const connection = await openConnection(port);
    const length: [string, string] = ['Content-Length', String(2 * 1024 ** 2)];
    const headers = [...identity(), JSON_TYPE, length];
    const request = requestText({ method: 'POST', path: '/v1/events', headers });
    connection.send(request.replace('Connection: close', 'Connection: keep-alive'));
    expectError(await connection.received(/"status":"error"/), 413, 'body_too_large');

    connection.send(' '.repeat(2 * 1024 ** 2));
    // The connection is as good as before.
    connection.send(requestText({}));
    expect((await connection.closed).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200']);
  });

  it('takes a chunked body', async () => {
    const response = await post(
      [JSON_TYPE, ['Transfer-Encoding', 'chunked']],
      '1\r\n[\r\n1\r\n]\r\n0\r\n\r\n',
    );
    expect(statusOf(response), response).toBe(202);
  });

  it('a body needs a Content-Type, and a batch a body', async () => {
    expectError(await post([['Content-Length', '2']], '[]'), 415, 'unsupported_media_type');
    expectError(await post([], ''), 400, 'body_invalid');
    expectError(await post([JSON_TYPE], ''), 400, 'body_invalid');
    expectError(await post([JSON_TYPE, ['Content-Length', '0']], ''), 400, 'body_invalid');
    expectError(await post([JSON_TYPE, ['Transfer-Encoding', 'chunked']], '0\r\n\r\n'), 400, 'body_invalid');
  });

  it('says 100 Continue to who asks for it', async () => {
    const connection = await openConnection(port);
    const headers: HeaderList = [
      ...identity(),
      JSON_TYPE,
      ['Content-Length', '2'],
      ['Expect', '100-continue'],
    ];
    connection.send(requestText({ method: 'POST', path: '/v1/events', headers }));
    await connection.received(/^HTTP\/1\.1 100 Continue\r\n\r\n/);
    connection.send('[]');
    expect(await connection.closed).toContain('HTTP/1.1 202');
  });

  it('refuses any other expectation', async () => {
    const response = await post([JSON_TYPE, ['Content-Length', '2'], ['Expect', 'a-miracle']], '[]');
    expect(statusOf(response), response).toBe(417);
  });

  it('responds to pipelined requests in their order', async () => {
    const get = (id: string, path: string) =>
      `GET ${path} HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${id}\r\n${identity()
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join('')}\r\n`;
    const paths = ['/v1/player/status', '/v1/limits', '/nothing', '/v1/player/segments', '/v1/limits'];
    const connection = await openConnection(port);
    connection.send(paths.map((path, n) => get(`order-${n}`, path)).join(''));
    const text = await connection.received(/order-4[\s\S]*\r\n\r\n\{/);
    expect([...text.matchAll(/x-request-id: order-(\d)/g)].map(([, n]) => n)).toEqual([
      '0',
      '1',
      '2',
      '3',
      '4',
    ]);
    expect([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual([
      '200',
      '200',
      '404',
      '200',
      '200',
    ]);
    connection.socket.destroy();
  });

  describe('a client that closes its sending side after its request', () => {
    const halfClose = async (request: string): Promise<string> => {
      const connection = await openConnection(port);
      connection.socket.end(request);
      return connection.closed;
    };
    const keptAlive = (text: string) => text.replace('Connection: close\r\n', '');

    it.each([
      ['GET', '/v1/limits', '', 200],
      ['GET', '/v1/player/status', '', 200],
      ['GET', '/nothing', '', 404],
      ['POST', '/auth/refresh', '{"refreshToken":"x"}', 401],
      ['POST', '/v1/events', '[]', 202],
    ])('gets its response: %s %s', async (method, path, body, status) => {
      const headers: HeaderList = body === '' ? [] : [JSON_TYPE, ['Content-Length', String(body.length)]];
      const text = requestText({ method, path, headers: [...identity(), ...headers], body });
      for (const request of [text, keptAlive(text)]) {
        const response = await halfClose(request);
        expect(statusOf(response), response).toBe(status);
        expect(() => bodyOf(response)).not.toThrow();
      }
    });

    it('has its events stored', async () => {
      const event = { eventType: 'Half_Close', timestamp: new Date().toISOString(), payload: {} };
      const body = JSON.stringify([event]);
      const headers: HeaderList = [...identity(), JSON_TYPE, ['Content-Length', String(body.length)]];
      const response = await halfClose(requestText({ method: 'POST', path: '/v1/events', headers, body }));
      expect(bodyOf(response)).toMatchObject({ data: { accepted: 1 } });
    });

    it('gets the responses of all that it pipelined', async () => {
      const request = (id: string) => keptAlive(requestText({ headers: [['X-Request-Id', id]] }));
      const text = await halfClose(['first', 'second', 'third'].map(request).join(''));
      expect([...text.matchAll(/x-request-id: (\w+)/g)].map(([, id]) => id)).toEqual([
        'first',
        'second',
        'third',
      ]);
    });

    it('is refused if the request was not whole, and is not waited for without one', async () => {
      const cut = requestText({
        method: 'POST',
        path: '/v1/events',
        headers: [...identity(), JSON_TYPE, ['Content-Length', '20']],
        body: '[',
      });
      expectError(await halfClose(cut), 400, 'request_invalid');
      expectError(await halfClose('GET /v1/limits HTTP/1.1\r\nHost: x\r\n'), 400, 'request_invalid');
      expect(await halfClose('')).toBe('');
    });
  });

  it('HEAD has no body on the wire, whatever the status', async () => {
    for (const path of ['/v1/limits', '/v1/events', '/nothing']) {
      const response = await exchange(port, requestText({ method: 'HEAD', path }));
      expect(response).toMatch(/\r\n\r\n$/);
    }
  });

  it('is still well after all that', async () => {
    expect(statusOf(await post([JSON_TYPE, ['Content-Length', '2']], '[]'))).toBe(202);
  });
});

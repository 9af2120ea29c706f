import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { rotateSigningKey } from '../../server/src/studio/sessions/signing-key-changes.js';
import { testActor } from '../../server/test/support/harness.js';
import {
  createPlayerVerifier,
  expressSigner,
  fastifySigner,
  fetchSigner,
  signLogin,
} from '../src/server/index.js';
import { KEY, type RealService, startRealService } from './support/real-service.js';

let service: RealService;
beforeAll(async () => {
  service = await startRealService();
});
afterAll(() => service.close());
afterEach(() => {
  vi.useRealTimers();
});

const logIn = (login: unknown) =>
  fetch(`${service.baseUrl}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(login),
  });
const tokenOf = async (deviceId: string): Promise<string> => {
  const response = await logIn(await signLogin({ ...KEY, deviceId }));
  return ((await response.json()) as { accessToken: string }).accessToken;
};
const ask = (url: string, body: unknown) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

describe('signLogin', () => {
  it('signs as the specification says', async () => {
    const login = await signLogin({ ...KEY, deviceId: 'gerät', timestamp: '2026-11-15T12:00:00Z' });
    expect(login).toMatchObject({ apiKey: 'dev-key', deviceId: 'gerät', timestamp: '2026-11-15T12:00:00Z' });
    expect((await logIn(await signLogin({ ...KEY, deviceId: 'gerät' }))).status).toBe(200);
  });
});

type Endpoint = { url: string; close(): Promise<void> };

const ENDPOINTS: [string, (allow?: (deviceId: string) => boolean) => Promise<Endpoint>][] = [
  [
    'Fastify',
    async (allow) => {
      const app = Fastify();
      app.post('/sign', fastifySigner({ ...KEY, ...(allow && { allow }) }));
      return { url: `${await app.listen({ port: 0, host: '127.0.0.1' })}/sign`, close: () => app.close() };
    },
  ],
  [
    'fetch',
    async (allow) => {
      const handle = fetchSigner({ ...KEY, ...(allow && { allow }) });
      return listen(async (body) => {
        const response = await handle(new Request('http://studio.test/sign', { method: 'POST', body }));
        return { status: response.status, body: await response.text() };
      });
    },
  ],
  [
    'Express',
    async (allow) => {
      const handle = expressSigner({ ...KEY, ...(allow && { allow }) });
      return listen(
        (text) =>
          new Promise((resolve, reject) => {
            let status = 200;
            const response = {
              status: (code: number) => {
                status = code;
              },
              set: () => {},
              json: (body: unknown) => resolve({ status, body: JSON.stringify(body) }),
            };
            handle({ body: text.startsWith('{') ? JSON.parse(text) : undefined }, response, reject);
          }),
      );
    },
  ],
];

describe.each(ENDPOINTS)('a signing endpoint with %s', (_name, open) => {
  it('signs logins that the service takes', async () => {
    const { url, close } = await open();
    const response = await ask(url, { deviceId: 'phone' });
    expect(response.status).toBe(200);
    expect((await logIn(await response.json())).status).toBe(200);
    await close();
  });

  it('signs with the time that the client knows from the service, unless it is far away', async () => {
    const { url, close } = await open();
    const near = `${new Date(Date.now() - 1_800_000).toISOString().slice(0, 19)}Z`;
    const far = `${new Date(Date.now() + 86_400_000).toISOString().slice(0, 19)}Z`;
    const timestampOf = async (timestamp: string) =>
      ((await (await ask(url, { deviceId: 'phone', timestamp })).json()) as { timestamp: string }).timestamp;
    expect(await timestampOf(near)).toBe(near);
    expect(await timestampOf(far)).not.toBe(far);
    expect(await timestampOf('yesterday')).toMatch(/Z$/);
    await close();
  });

  it('refuses a device that the studio does not allow, and a body without a device id', async () => {
    const { url, close } = await open((deviceId) => deviceId === 'good');
    expect((await ask(url, { deviceId: 'good' })).status).toBe(200);
    expect((await ask(url, { deviceId: 'bad' })).status).toBe(403);
    for (const body of [{}, { deviceId: '' }, { deviceId: 7 }, { deviceId: 'x'.repeat(257) }]) {
      expect((await ask(url, body)).status).toBe(400);
    }
    await close();
  });
});

describe('a player verifier', () => {
  const counting = () => {
    let count = 0;
    let isDown = false;
    const counted: typeof fetch = (input, init) => {
      count++;
      return isDown ? Promise.reject(new TypeError('fetch failed')) : fetch(input, init);
    };
    return {
      fetch: counted,
      count: () => count,
      setDown: (down: boolean) => {
        isDown = down;
      },
    };
  };
  const code = (promise: Promise<unknown>) =>
    promise.then(
      () => 'none',
      (error) => error.code,
    );

  it('says who the player is, and asks for the keys once', async () => {
    const network = counting();
    const verify = createPlayerVerifier({
      baseUrl: service.baseUrl,
      gameId: 'demo-game',
      fetch: network.fetch,
    });
    const tokens = await Promise.all(['a', 'b', 'c'].map(tokenOf));
    const players = await Promise.all(tokens.map((token) => verify(token)));
    expect(players.map(({ deviceId }) => deviceId)).toEqual(['a', 'b', 'c']);
    expect(players[0]).toMatchObject({ tenantId: 'demo-studio', gameId: 'demo-game' });
    expect(network.count()).toBe(1);
  });

  it('refuses tampered, foreign and expired tokens', async () => {
    const { baseUrl } = service;
    const verify = createPlayerVerifier({ baseUrl });
    const token = await tokenOf('a');
    const [head, body, tail] = token.split('.') as [string, string, string];
    const none = Buffer.from('{"alg":"none","typ":"at+jwt","kid":"x"}').toString('base64url');
    const other = Buffer.from('{"sub":"somebody"}').toString('base64url');
    // The same bytes: of the last character, only the first two bits count.
    const strayBits = tail.slice(0, -1) + String.fromCharCode(tail.charCodeAt(tail.length - 1) + 1);
    expect(Buffer.from(strayBits, 'base64url')).toEqual(Buffer.from(tail, 'base64url'));
    for (const bad of [
      '',
      'a.b.c',
      `${token}.x`,
      `${none}.${body}.`,
      `${head}.${other}.${tail}`,
      `${head}.${body}.AAAA`,
      `${head}.${body}.${strayBits}`,
    ]) {
      expect(await code(verify(bad))).toBe('token_invalid');
    }
    for (const checks of [
      { gameId: 'other' },
      { tenantId: 'other' },
      { issuer: 'other' },
      { audience: 'other' },
    ]) {
      expect(await code(createPlayerVerifier({ baseUrl, ...checks })(token))).toBe('token_invalid');
    }
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_700_000 });
    expect(await code(createPlayerVerifier({ baseUrl })(token))).toBe('token_expired');
  });

  it('accepts a new signing key at once, and the old one as before', async () => {
    const network = counting();
    const verify = createPlayerVerifier({ baseUrl: service.baseUrl, fetch: network.fetch });
    const old = await tokenOf('a');
    await verify(old);
    await rotateSigningKey(service.pool, service.masterKeys, testActor(service.clock.now()), {
      immediately: true,
    });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 11_000 });
    const fresh = await tokenOf('a');
    expect(fresh.split('.')[0]).not.toBe(old.split('.')[0]);
    expect((await verify(fresh)).deviceId).toBe('a');
    expect((await verify(old)).deviceId).toBe('a');
    expect(network.count()).toBe(2);
    // Invented key ids do not cause a request each.
    const made = Buffer.from('{"alg":"ES256","typ":"at+jwt","kid":"made-up"}').toString('base64url');
    for (let i = 0; i < 5; i++)
      expect(await code(verify(`${made}.${fresh.split('.')[1]}.AAAA`))).toBe('token_invalid');
    expect(network.count()).toBe(2);
  });

  it('uses its cached keys for an hour while the service cannot be reached', async () => {
    const network = counting();
    const verify = createPlayerVerifier({
      baseUrl: service.baseUrl,
      fetch: network.fetch,
      toleranceSeconds: 86_400,
    });
    const token = await tokenOf('a');
    await verify(token);
    network.setDown(true);
    const start = Date.now();
    vi.useFakeTimers({ toFake: ['Date'], now: start + 3_000_000 });
    expect((await verify(token)).deviceId).toBe('a');
    vi.setSystemTime(start + 4_000_000);
    expect(await code(verify(token))).toBe('keys_unavailable');
    network.setDown(false);
    expect((await verify(token)).deviceId).toBe('a');
  });
});

async function listen(
  handle: (body: string) => Promise<{ status: number; body: string }>,
): Promise<Endpoint> {
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', async () => {
      const { status, body } = await handle(Buffer.concat(chunks).toString());
      response.writeHead(status, { 'content-type': 'application/json', connection: 'close' }).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

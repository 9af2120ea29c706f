import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createHarness, type Harness, postEvents, postLogin, signedLogin } from '../../support/harness.js';
import {
  addStudio,
  expectAlive,
  expectRefusedToken,
  expectStringError,
  getStatus,
  postLogout,
  postRefresh,
  refreshed,
} from '../../support/session-calls.js';

const QUOTAS = {
  enabled: true,
  loginsPerDevice: 3,
  failuresPerAddress: 4,
  requestsPerPlayer: 5,
  eventsPerPlayer: 600,
  eventBytesPerPlayer: 1_048_576,
  requestsPerServerKey: 60_000,
  eventsPerServerKey: 1_000_000,
};

/** The limits count by the monotonic clock, which here stands still unless a test moves it. */
let monotonic = 1_000;
beforeAll(() => {
  vi.spyOn(performance, 'now').mockImplementation(() => monotonic);
});
afterAll(() => {
  vi.restoreAllMocks();
});

let harness: Harness;
// The counts live in the node: a new one for each test.
beforeEach(async () => {
  harness = await createHarness({ settings: { rateLimits: QUOTAS } });
});
afterEach(() => harness.close());

const body = (deviceId = 'device-1') => signedLogin({ deviceId, nowMs: harness.clock.now() });
const login = (deviceId?: string) => postLogin(harness.app, body(deviceId));
const wrong = () => ({ ...body(), signature: 'wrong' });

type Response = Awaited<ReturnType<typeof login>>;

function expectLimited(response: Response, policy: string, retryAfter: number): void {
  expectStringError(response, 429, 'rate_limited');
  expect(response.headers['retry-after']).toBe(String(retryAfter));
  expect(response.headers['ratelimit-policy']).toBe(policy);
  expect(response.headers.ratelimit).toBe(`${policy.split(';')[0]};r=0;t=${retryAfter}`);
}

async function times<T>(count: number, call: () => Promise<T>): Promise<T[]> {
  const responses: T[] = [];
  for (let n = 0; n < count; n++) responses.push(await call());
  return responses;
}

describe('logins of one device', () => {
  const POLICY = '"login";q=3;w=60';

  test('tell what is left, and beyond the quota are a 429', async () => {
    const responses = await times(3, login);
    expect(responses.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200]);
    expect(responses.map(({ headers }) => headers.ratelimit)).toEqual([
      '"login";r=2;t=20',
      '"login";r=1;t=20',
      '"login";r=0;t=20',
    ]);
    expect(responses.every(({ headers }) => headers['ratelimit-policy'] === POLICY)).toBe(true);
    expect(responses.some(({ headers }) => 'retry-after' in headers)).toBe(false);
    expectLimited(await login(), POLICY, 20);
  });

  test('are possible again after Retry-After', async () => {
    await times(4, login);
    monotonic += 19_999;
    expectLimited(await login(), POLICY, 1);
    monotonic += 1;
    expect((await login()).statusCode).toBe(200);
  });

  test('a 429 opens no session', async () => {
    await times(5, login);
    const { rows } = await harness.pool.query('select count(*)::int as n from sessions');
    expect(rows[0].n).toBe(3);
  });

  test('do not count against another device, nor the same device of another game', async () => {
    await times(4, login);
    expect((await login('device-2')).statusCode).toBe(200);
    const studio = await addStudio(harness, 'rival-studio', 'rival-game');
    await studio.login('device-1');
  });

  test('refused ones do not use up the quota of the device they name', async () => {
    await times(4, () => postLogin(harness.app, wrong()));
    expect((await login()).headers.ratelimit).toBe('"login";r=2;t=20');
  });
});

describe('failures of one address', () => {
  const POLICY = '"failures";q=4;w=60';
  const from = (remoteAddress: string, payload: object, headers = {}) =>
    harness.app.inject({ method: 'POST', url: '/auth/login', remoteAddress, payload, headers });

  test('beyond the quota are a 429 while a good login still succeeds', async () => {
    for (const response of await times(4, () => postLogin(harness.app, wrong()))) {
      expectRefusedToken(response, 'credentials_invalid');
    }
    expectLimited(await postLogin(harness.app, wrong()), POLICY, 15);
    expect((await login()).statusCode).toBe(200);
    expectLimited(await postLogin(harness.app, wrong()), POLICY, 15);
  });

  test('count the network of an IPv6 address', async () => {
    const ofNetwork = await Promise.all([1, 2, 3, 4, 5].map((n) => from(`2001:db8:1:1::${n}`, wrong())));
    expect(ofNetwork.map(({ statusCode }) => statusCode).sort()).toEqual([401, 401, 401, 401, 429]);
    expect((await from('2001:db8:2::1', wrong())).statusCode).toBe(401);
  });

  test('an unknown key and a wrong signature are held up alike', async () => {
    await times(4, () => postLogin(harness.app, wrong()));
    const unknown = await postLogin(harness.app, { ...body(), apiKey: 'no-such-key' });
    expectLimited(unknown, POLICY, 15);
    expect((await postLogin(harness.app, wrong())).body).toBe(unknown.body);
  });

  test('count refreshes, too, and a good refresh still succeeds', async () => {
    const session = await harness.login();
    await times(4, () => postRefresh(harness.app, 'nonsense'));
    expectLimited(await postRefresh(harness.app, 'nonsense'), POLICY, 15);
    expectLimited(await postLogin(harness.app, wrong()), POLICY, 15);
    await refreshed(harness.app, session.refreshToken);
  });

  test('do not count a wrong clock or a malformed request', async () => {
    const late = signedLogin({ deviceId: 'device-1', nowMs: harness.clock.now() - 3_600_000 });
    await times(5, () => postLogin(harness.app, late));
    await times(5, () => postLogin(harness.app, {}));
    expectRefusedToken(await postLogin(harness.app, wrong()), 'credentials_invalid');
  });

  test('hold up no other address, and X-Forwarded-For invents none', async () => {
    await times(4, () => from('192.0.2.1', wrong()));
    expect((await from('192.0.2.1', wrong())).statusCode).toBe(429);
    expect((await from('192.0.2.1', wrong(), { 'x-forwarded-for': '192.0.2.9' })).statusCode).toBe(429);
    expect((await from('192.0.2.2', wrong())).statusCode).toBe(401);
  });
});

describe('requests of one player', () => {
  const POLICY = '"player";q=5;w=60';

  test('beyond the quota are a 429, in the general form outside /auth/', async () => {
    const session = await harness.login();
    const responses = await times(5, () => getStatus(harness.app, session));
    expect(responses.map(({ statusCode }) => statusCode)).toEqual(Array(5).fill(200));
    expect(responses[0]?.headers.ratelimit).toBe('"player";r=4;t=12');
    expect(responses[0]?.headers['ratelimit-policy']).toBe(POLICY);
    const refused = await getStatus(harness.app, session);
    expect(refused.statusCode).toBe(429);
    expect(refused.json()).toEqual({
      error: { code: 'rate_limited', message: expect.any(String) },
      status: 'error',
    });
    expect(refused.headers).toMatchObject({ 'retry-after': '12', 'ratelimit-policy': POLICY });
    expect((await postEvents(harness.app, session, [])).statusCode).toBe(429);
    expectLimited(await postLogout(harness.app, session.accessToken), POLICY, 12);
    monotonic += 12_000;
    await expectAlive(harness.app, session);
  });

  test('count over all sessions of the player, and against no other player', async () => {
    const [phone, tablet, stranger] = [
      await harness.login(),
      await harness.login(),
      await harness.login('device-2'),
    ];
    await times(3, () => getStatus(harness.app, phone));
    await times(2, () => getStatus(harness.app, tablet));
    expect((await getStatus(harness.app, phone)).statusCode).toBe(429);
    await expectAlive(harness.app, stranger);
  });

  test('a refresh that is one too many leaves its token as it was', async () => {
    const session = await harness.login();
    await times(5, () => getStatus(harness.app, session));
    expectLimited(await postRefresh(harness.app, session.refreshToken), POLICY, 12);
    monotonic += 60_000;
    harness.clock.advance(60_000);
    await refreshed(harness.app, session.refreshToken);
  });

  test('a login is not one of them', async () => {
    const session = await harness.login();
    await times(6, () => getStatus(harness.app, session));
    expect((await login()).statusCode).toBe(200);
  });
});

describe('switched off', () => {
  test('nothing is limited and no such header is sent', async () => {
    const { app } = await harness.addNode({ rateLimits: { ...QUOTAS, enabled: false } });
    const logins = await times(5, () => postLogin(app, body()));
    const failures = await times(6, () => postLogin(app, wrong()));
    const session = await harness.login('device-1', app);
    const reads = await times(8, () => getStatus(app, session));
    expect(logins.concat(reads).every(({ statusCode }) => statusCode === 200)).toBe(true);
    expect(failures.every(({ statusCode }) => statusCode === 401)).toBe(true);
    for (const { headers } of [...logins, ...failures, ...reads]) {
      expect(Object.keys(headers).filter((name) => /ratelimit|retry/.test(name))).toEqual([]);
    }
  });

  test('/v1/limits says what is in force', async () => {
    const { app } = await harness.addNode({ rateLimits: { ...QUOTAS, enabled: false } });
    const rates = async (node = app) =>
      (await node.inject({ method: 'GET', url: '/v1/limits' })).json().rates;
    expect(await rates(harness.app)).toEqual({
      enabled: true,
      loginsPerDevice: { requests: 3, windowSeconds: 60 },
      failuresPerAddress: { requests: 4, windowSeconds: 60 },
      requestsPerPlayer: { requests: 5, windowSeconds: 60 },
      eventsPerPlayer: { events: 600, windowSeconds: 60 },
      eventBytesPerPlayer: { bytes: 1_048_576, windowSeconds: 60 },
    });
    expect(await rates()).toMatchObject({ enabled: false });
  });
});

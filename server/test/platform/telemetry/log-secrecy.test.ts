import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { DEMO } from '../../../src/app/demo-studio.js';
import { createHarness, type Harness, postLogin, signedLogin } from '../../support/harness.js';
import { getStatus, postLogout, postRefresh, refreshed } from '../../support/session-calls.js';

/** Everything that is logged, at the chattiest level and without the redaction that the real logger adds on top. */
let lines: string[] = [];
const logger = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });

let harness: Harness;
beforeAll(async () => {
  harness = await createHarness({ logger });
});
afterAll(() => harness.close());
afterEach(() => {
  lines = [];
});

const loginBody = (deviceId = 'device-1') => signedLogin({ deviceId, nowMs: harness.clock.now() });

/** Whole, and in parts: a token cut in the middle is as bad. */
function expectNotLogged(...secrets: string[]): void {
  const log = lines.join('');
  for (const secret of secrets) {
    for (const part of [
      secret,
      ...secret.split('.').filter((text) => text.length > 20),
      secret.slice(0, 24),
    ]) {
      expect(log).not.toContain(part);
    }
  }
  expect(log).not.toContain(DEMO.secret);
}

function expectLogged(message: string, members: Record<string, unknown>): void {
  const objects = lines.map((line) => JSON.parse(line));
  expect(objects).toContainEqual(expect.objectContaining({ msg: message, ...members }));
}

describe('the log', () => {
  test('of a session names route, status and player, and none of its tokens', async () => {
    const body = loginBody();
    const response = await postLogin(harness.app, body);
    const { accessToken, refreshToken, userId } = response.json();
    const next = await refreshed(harness.app, refreshToken);
    await getStatus(harness.app, next);
    await postLogout(harness.app, next.accessToken, { refreshToken: next.refreshToken });

    const who = { tenant: 'demo-studio', game: 'demo-game', player: userId };
    for (const [method, route] of [
      ['POST', '/auth/login'],
      ['POST', '/auth/refresh'],
      ['GET', '/v1/player/status'],
      ['POST', '/auth/logout'],
    ]) {
      expectLogged('request', { method, route, status: 200, requestId: expect.any(String), ...who });
    }
    expectNotLogged(body.signature, accessToken, refreshToken, next.accessToken, next.refreshToken);
  });

  test('of what was refused carries none of it either', async () => {
    const session = await harness.login();
    const wrong = { ...loginBody(), deviceId: 'other' };
    await postLogin(harness.app, wrong);
    await postLogin(harness.app, { ...loginBody(), timestamp: 'malformed-timestamp' });
    await postLogin(harness.app, { ...loginBody(), deviceId: { secret: 'in-the-wrong-place' } });
    await postLogout(harness.app, session.accessToken);
    await postRefresh(harness.app, session.refreshToken);
    await getStatus(harness.app, session);
    const query = `/v1/player/status?access_token=${session.accessToken}`;
    await harness.app.inject({ method: 'GET', url: query });
    await harness.app.inject({ method: 'GET', url: `/nowhere/${session.refreshToken}` });

    expectLogged('request', { route: '/auth/login', status: 401 });
    expectLogged('request', { route: '/auth/login', status: 400 });
    expectLogged('request', { route: '/auth/refresh', status: 401 });
    expectNotLogged(
      wrong.signature,
      'malformed-timestamp',
      'in-the-wrong-place',
      session.accessToken,
      session.refreshToken,
    );
  });

  test('of a broken body does not quote it', async () => {
    const { signature } = loginBody();
    for (const payload of [`{"signature":"${signature}",`, `{"signature":"${signature}","apiKey":\xff}`]) {
      const headers = { 'content-type': 'application/json' };
      await harness.app.inject({ method: 'POST', url: '/auth/login', headers, payload });
    }
    expectNotLogged(signature);
  });

  test('of a failure on our side has the cause, which the response has not', async () => {
    const session = await harness.login();
    const body = loginBody();
    await harness.pool.query('alter table sessions rename to sessions_away');
    const responses = [
      await postLogin(harness.app, body),
      await postRefresh(harness.app, session.refreshToken),
      await getStatus(harness.app, session),
      await postLogout(harness.app, session.accessToken),
    ];
    await harness.pool.query('alter table sessions_away rename to sessions');
    for (const response of responses) {
      expect(response.statusCode).toBe(500);
      expect(response.body).toContain('"internal"');
      expect(response.body).not.toMatch(/sessions|relation|select|at /);
    }
    expectLogged('a request failed', { code: 'internal', level: 50, err: expect.any(Object) });
    expect(lines.join('')).toContain('relation \\"sessions\\" does not exist');
    expectNotLogged(body.signature, session.accessToken, session.refreshToken);
  });

  test('of a key whose row was tampered with names the key, not its secret', async () => {
    await harness.pool.query(
      'update api_keys set sealed_secret = set_byte(sealed_secret, 40, get_byte(sealed_secret, 40) # 1)',
    );
    harness.ctx.apiKeys.forget(DEMO.keyId);
    expect((await postLogin(harness.app, loginBody())).statusCode).toBe(401);
    expectLogged(
      'the stored secret of an API key cannot be unsealed: its row was changed. Logins with this key are refused; rotate it',
      { level: 50, keyId: DEMO.keyId },
    );
    expectNotLogged(loginBody().signature);
  });
});

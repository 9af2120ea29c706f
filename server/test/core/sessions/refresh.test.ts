import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseSentToken, type SentRefreshToken } from '../../../src/core/sessions/refresh-token.js';
import { bucketOfDevice, bucketOfUser } from '../../../src/platform/lib/player-buckets.js';
import { createHarness, type Harness, toSession } from '../../support/harness.js';
import {
  expectAlive,
  expectDead,
  expectRefusedToken,
  expectStringError,
  getStatus,
  postLogout,
  postRefresh,
  refreshed,
} from '../../support/session-calls.js';

let harness: Harness;
beforeAll(async () => {
  harness = await createHarness();
});
afterAll(() => harness.close());

const DAY_MS = 86_400_000;

async function expectRefused(refreshToken: unknown): Promise<void> {
  expectRefusedToken(await postRefresh(harness.app, refreshToken), 'refresh_token_invalid');
}

function parsed(refreshToken: string): SentRefreshToken {
  const token = parseSentToken(refreshToken);
  if (token === undefined) throw new Error(`${refreshToken} is no refresh token`);
  return token;
}

async function gameIdOf(deviceId: string): Promise<number> {
  const { rows } = await harness.pool.query<{ gameId: number }>(
    'select game_id as "gameId" from devices where device_id = $1',
    [deviceId],
  );
  return rows[0]?.gameId ?? 0;
}

describe('the request', () => {
  test.each([
    ['missing', {}],
    ['a number', { refreshToken: 5 }],
    ['null', { refreshToken: null }],
    ['an object', { refreshToken: {} }],
    ['an array', { refreshToken: ['a'] }],
    ['a boolean', { refreshToken: true }],
  ])('with refreshToken %s is a 400', async (_name, payload) => {
    const response = await harness.app.inject({ method: 'POST', url: '/auth/refresh', payload });
    expectStringError(response, 400, 'body_invalid');
  });

  test('wrapped in an array, a good token is not unwrapped and stays good', async () => {
    const { refreshToken } = await harness.login();
    expectStringError(await postRefresh(harness.app, [refreshToken]), 400, 'body_invalid');
    await refreshed(harness.app, refreshToken);
  });

  test.each([
    ['with a Content-Type', { 'content-type': 'application/json' }],
    ['without one', {}],
  ])('an empty body %s is a 400', async (_name, headers) => {
    const response = await harness.app.inject({ method: 'POST', url: '/auth/refresh', headers });
    expectStringError(response, 400, 'body_invalid');
  });

  test('needs no bearer token, and ignores one that is sent and unknown members', async () => {
    const { refreshToken } = await harness.login();
    const response = await harness.app.inject({
      method: 'POST',
      url: '/auth/refresh',
      headers: { authorization: 'Bearer expired-long-ago' },
      payload: { refreshToken, deviceId: 7, more: [] },
    });
    expect(response.statusCode).toBe(200);
  });
});

describe('the response', () => {
  test('has the very shape of the login response, playerConfig included', async () => {
    const login = await harness.login('phone-7');
    harness.clock.advance(1000);
    const response = await postRefresh(harness.app, login.refreshToken);
    expect(response.headers['cache-control']).toBe('no-store');
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    const { accessToken, refreshToken, ...rest } = response.json();
    const { accessToken: firstAccess, refreshToken: firstRefresh, ...same } = login.body;
    expect(rest).toEqual(same);
    expect(Object.keys(response.json())).toEqual(Object.keys(login.body));
    expect(accessToken).not.toBe(firstAccess);
    expect(refreshToken).not.toBe(firstRefresh);
    expect(response.body).toContain('"offerPrice":10.00');
  });

  test('its access token works, and the one before goes on working', async () => {
    const first = await harness.login();
    await expectAlive(harness.app, await refreshed(harness.app, first.refreshToken));
    await expectAlive(harness.app, first);
  });
});

describe('a refresh token is refused', () => {
  test.each([
    ['empty', ''],
    ['a word', 'nonsense'],
    ['of the right length', 'A'.repeat(86)],
    ['with NUL', '\u0000'.repeat(86)],
    ['with a lone surrogate', '\ud800'.repeat(86)],
    ['of 15,000 characters', 'A'.repeat(15_000)],
    ['__proto__', '__proto__'],
  ])('when it is %s', (_name, token) => expectRefused(token));

  test('when it is an access token', async () => {
    await expectRefused((await harness.login()).accessToken);
  });

  test('when any of its characters is changed, and the session stays', async () => {
    const session = await harness.login();
    const { refreshToken } = session;
    for (let at = 0; at < refreshToken.length; at += 5) {
      const other = refreshToken[at] === 'A' ? 'B' : 'A';
      await expectRefused(refreshToken.slice(0, at) + other + refreshToken.slice(at + 1));
    }
    await expectAlive(harness.app, session);
    await refreshed(harness.app, refreshToken);
  });

  test('when it names another session', async () => {
    const [mine, theirs] = [await harness.login('mine'), await harness.login('theirs')];
    const bytes = Buffer.from(mine.refreshToken, 'base64url');
    Buffer.from(theirs.refreshToken, 'base64url').copy(bytes, 0, 0, 16);
    await expectRefused(bytes.toString('base64url'));
    await refreshed(harness.app, theirs.refreshToken);
    await refreshed(harness.app, mine.refreshToken);
  });

  test('when its session has ended', async () => {
    const session = await harness.login();
    await postLogout(harness.app, session.accessToken);
    await expectDead(harness.app, session);
  });

  test('when its session is gone from the database', async () => {
    const session = await harness.login('gone');
    await harness.pool.query("delete from sessions where device_id = 'gone'");
    await expectDead(harness.app, session);
  });
});

describe('the 30 days of a refresh token', () => {
  test('are over after 30 days without use', async () => {
    const [early, late] = [await harness.login(), await harness.login()];
    harness.clock.advance(30 * DAY_MS - 1);
    await refreshed(harness.app, early.refreshToken);
    harness.clock.advance(1);
    await expectRefused(late.refreshToken);
  });

  test('restart with every use', async () => {
    let { refreshToken } = await harness.login();
    for (let use = 0; use < 4; use++) {
      harness.clock.advance(29 * DAY_MS);
      ({ refreshToken } = await refreshed(harness.app, refreshToken));
    }
  });

  test('can be set, and so can the grace period', async () => {
    const node = await harness.addNode({ refreshTtlSeconds: 60, refreshGraceSeconds: 0 });
    const session = await harness.login('short', node.app);
    const next = await refreshed(node.app, session.refreshToken);
    harness.clock.advance(60_000);
    expectRefusedToken(await postRefresh(node.app, next.refreshToken), 'refresh_token_invalid');
  });
});

describe('what is stored', () => {
  test('is a hash: neither token nor secret stand in the row', async () => {
    const session = await harness.login('hashed');
    const used = session.refreshToken;
    const { refreshToken } = await refreshed(harness.app, used);
    const { rows } = await harness.pool.query("select * from sessions where device_id = 'hashed'");
    const stored = JSON.stringify(rows, (_key, value) =>
      value?.type === 'Buffer' ? Buffer.from(value.data).toString('hex') : value,
    );
    for (const token of [used, refreshToken]) {
      const { secret } = parsed(token);
      for (const text of [
        token,
        ...(['hex', 'base64', 'base64url'] as const).map((e) => secret.toString(e)),
      ]) {
        expect(stored).not.toContain(text);
      }
    }
    const live = parsed(refreshToken).secret;
    expect(stored).toContain(createHash('sha256').update(live).digest('hex'));
  });

  test('names the bucket of its player, and is refused with another', async () => {
    const { refreshToken, userId } = await harness.login('in-a-bucket');
    const { bucket } = parsed(refreshToken);
    expect(bucket).toBe(bucketOfUser(userId));
    expect(bucket).toBe(bucketOfDevice(await gameIdOf('in-a-bucket'), 'in-a-bucket'));
    await expectRefused(`${refreshToken.startsWith('A') ? 'B' : 'A'}${refreshToken.slice(1)}`);
    await refreshed(harness.app, refreshToken);
  });

  test('carries 256 random bits', async () => {
    const secrets = await Promise.all(
      Array.from({ length: 20 }, async () => (await harness.login()).refreshToken),
    );
    expect(new Set(secrets.map((token) => token.slice(24, 60))).size).toBe(20);
  });

  test('outlives the node: another one, started later, takes the token and honours a logout', async () => {
    const [kept, ended] = [await harness.login('kept'), await harness.login('ended')];
    await postLogout(harness.app, ended.accessToken);
    const rotated = await refreshed(harness.app, kept.refreshToken);
    const later = await harness.addNode();
    await expectAlive(later.app, kept);
    await expectDead(later.app, ended);
    const response = await postRefresh(later.app, rotated.refreshToken);
    expect((await getStatus(harness.app, toSession(response.json()))).statusCode).toBe(200);
  });
});

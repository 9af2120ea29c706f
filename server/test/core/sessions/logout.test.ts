import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHarness, type Harness, postEvents, type Session } from '../../support/harness.js';
import {
  addStudio,
  expectAlive,
  expectDead,
  expectRefusedToken,
  expectStringError,
  postLogout,
  refreshed,
} from '../../support/session-calls.js';

let harness: Harness;
let nodes: [FastifyInstance, FastifyInstance];
beforeAll(async () => {
  harness = await createHarness();
  nodes = [harness.app, (await harness.addNode()).app];
});
afterAll(() => harness.close());

async function logout(session: Session, body?: object, app = harness.app): Promise<number> {
  const response = await postLogout(app, session.accessToken, body);
  expect(response.statusCode, response.body).toBe(200);
  const { revokedSessions } = response.json().data;
  expect(response.json()).toEqual({ data: { revokedSessions }, status: 'success' });
  expect(response.headers['cache-control']).toBe('no-store');
  return revokedSessions;
}

const expectDeadEverywhere = async (session: Session) => {
  for (const app of nodes) await expectDead(app, session);
};

describe('the request', () => {
  test.each([
    ['no body and no Content-Type', {}],
    ['an empty body with Content-Type: application/json', { 'content-type': 'application/json' }],
    [
      'an empty body of another type',
      { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '0' },
    ],
    ['Content-Length: 0', { 'content-length': '0', 'content-type': 'application/json' }],
  ])('%s ends the session', async (_name, extra) => {
    const session = await harness.login();
    const response = await harness.app.inject({
      method: 'POST',
      url: '/auth/logout',
      headers: { authorization: `Bearer ${session.accessToken}`, ...extra },
    });
    expect(response.statusCode, response.body).toBe(200);
    expect(response.json()).toEqual({ data: { revokedSessions: 1 }, status: 'success' });
    await expectDeadEverywhere(session);
  });

  test.each([
    ['an empty object', {}],
    ['allDevices false', { allDevices: false }],
    ['unknown members', { reason: 'bored', allDevice: true }],
    ['a refresh token that is none', { refreshToken: 'nonsense' }],
  ])('%s ends this session alone', async (_name, body) => {
    const [session, sibling] = [await harness.login(), await harness.login()];
    expect(await logout(session, body)).toBe(1);
    await expectDeadEverywhere(session);
    await expectAlive(harness.app, sibling);
  });

  test.each([
    ['allDevices as text', { allDevices: 'true' }],
    ['allDevices as a number', { allDevices: 1 }],
    ['allDevices null', { allDevices: null }],
    ['refreshToken as a number', { refreshToken: 1 }],
    ['refreshToken in an array', { refreshToken: ['a'] }],
    ['an array', []],
  ])('%s is a 400 and ends nothing', async (_name, body) => {
    const session = await harness.login();
    expectStringError(await postLogout(harness.app, session.accessToken, body), 400, 'body_invalid');
    await expectAlive(harness.app, session);
  });

  test('without a token is a 401 before the body is looked at', async () => {
    const response = await harness.app.inject({ method: 'POST', url: '/auth/logout', payload: '{broken' });
    expectStringError(response, 401, 'token_missing');
    expect(response.headers['www-authenticate']).toBe('Bearer');
  });

  test('needs none of the identity headers', async () => {
    const session = await harness.login();
    expect(await logout(session)).toBe(1);
  });
});

describe('after a logout', () => {
  test('every token of the session is refused at once, on every node and by every endpoint', async () => {
    const first = await harness.login('left');
    const next = await refreshed(nodes[1], first.refreshToken);
    // Both nodes have verified both tokens before, and remember them.
    for (const app of nodes) for (const session of [first, next]) await expectAlive(app, session);
    await logout(next);
    for (const app of nodes) {
      for (const session of [first, next]) {
        await expectDead(app, session);
        expectRefusedToken(await postEvents(app, session, []), 'session_ended');
      }
    }
  });

  test('a second logout is a 401', async () => {
    const session = await harness.login();
    await logout(session);
    for (const app of nodes) expectRefusedToken(await postLogout(app, session.accessToken), 'session_ended');
  });

  test('other sessions of the device and a new login go on', async () => {
    const [left, stays] = [await harness.login(), await harness.login()];
    await logout(left);
    await expectAlive(nodes[1], stays);
    const again = await harness.login();
    expect(again.userId).toBe(left.userId);
    await expectAlive(nodes[1], again);
  });
});

describe('allDevices', () => {
  test('ends every session of the player and of no other player', async () => {
    const rival = await addStudio(harness, 'rival-studio', 'demo-game');
    const mine = await Promise.all([1, 2, 3].map((n) => harness.login('everywhere', nodes[n % 2])));
    const others = [await harness.login('somebody else'), await rival.login('everywhere')];
    const [session] = mine;
    expect(await logout(session as Session, { allDevices: true }, nodes[1])).toBe(3);
    for (const session of mine) await expectDeadEverywhere(session);
    for (const session of others) await expectAlive(harness.app, session);
  });

  test('counts what it ended, not what had ended before', async () => {
    const [first, second, third] = [
      await harness.login('counted'),
      await harness.login('counted'),
      await harness.login('counted'),
    ];
    await logout(first);
    expect(await logout(second, { allDevices: true, refreshToken: third.refreshToken })).toBe(2);
  });
});

describe('a refreshToken in the body', () => {
  test('of this session: one session ended', async () => {
    const session = await harness.login();
    expect(await logout(session, { refreshToken: session.refreshToken })).toBe(1);
    await expectDeadEverywhere(session);
  });

  test('of another session of the player: both ended', async () => {
    const [session, other] = [await harness.login(), await harness.login()];
    expect(await logout(session, { refreshToken: other.refreshToken })).toBe(2);
    await expectDeadEverywhere(session);
    await expectDeadEverywhere(other);
  });

  test('of another player, in this game or another tenant’s: left alone', async () => {
    const rival = await addStudio(harness, 'other-studio', 'other-game');
    for (const other of [await harness.login('victim'), await rival.login('device-1')]) {
      const session = await harness.login();
      expect(await logout(session, { refreshToken: other.refreshToken })).toBe(1);
      await expectDeadEverywhere(session);
      await expectAlive(harness.app, other);
      await refreshed(harness.app, other.refreshToken);
    }
  });

  test('of a session that has ended: one session ended', async () => {
    const [session, ended] = [await harness.login(), await harness.login()];
    await logout(ended);
    expect(await logout(session, { refreshToken: ended.refreshToken })).toBe(1);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../../src/platform/lib/day.js';
import { type AdminClient, GAME, openAdminClient } from '../../support/admin-calls.js';
import { expectGeneralError } from '../../support/data-calls.js';
import {
  createHarness,
  type Harness,
  postEvents,
  postLogin,
  signedLogin,
  toSession,
} from '../../support/harness.js';
import { gameEvent, rejectedCodes } from '../../support/registry-calls.js';
import { call } from '../../support/server-calls.js';
import { addStudio, expectAlive, refreshed, type Studio } from '../../support/session-calls.js';

let harness: Harness;
let admin: AdminClient;
let other: Studio;
let stranger: string;
beforeAll(async () => {
  harness = await createHarness();
  admin = await openAdminClient(harness);
  other = await addStudio(harness, 'other-studio', 'other-game');
  stranger = await admin.addToken('owner', { tenant: 'other-studio' });
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

type Key = { apiKey: string; apiSecret: string };
type Listed = {
  keys: { apiKey: string; state: string; expiresAt: string | null; label: string }[];
  nextCursor: string | null;
};
const owner = <T>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown, status?: number) =>
  admin.ask<T>(method, GAME + path, body, admin.tokens.owner, status);
const create = (body: object = {}) => owner<Key>('POST', '/keys', body, 201);
const rotate = (apiKey: string, overlapHours: number) =>
  owner<Key & { former: { apiKey: string; expiresAt: string } }>(
    'POST',
    `/keys/${apiKey}/rotate`,
    { overlapHours },
    201,
  );
const list = () => owner<Listed>('GET', '/keys');
const login = ({ apiKey, apiSecret }: Key, deviceId = 'd', app = harness.app) =>
  postLogin(app, signedLogin({ deviceId, nowMs: harness.clock.now(), apiKey, secret: apiSecret }));

describe('an API key', () => {
  it('is created with its secret shown once, and logs players in', async () => {
    const key = await create({ label: 'build 1.42' });
    expect(key).toEqual({
      apiKey: expect.stringMatching(/^sp_live_[0-9a-f]{24}$/),
      apiSecret: expect.stringMatching(/^[\w-]{43}$/),
      kind: 'client',
      environment: 'production',
      label: 'build 1.42',
      scopes: [],
    });
    expect((await login(key)).statusCode).toBe(200);
    const listed = (await list()).keys.find(({ apiKey }) => apiKey === key.apiKey);
    expect(listed).toEqual({
      apiKey: key.apiKey,
      kind: 'client',
      environment: 'production',
      label: 'build 1.42',
      scopes: [],
      lastUsedAt: null,
      lastUsedFrom: null,
      createdAt: expect.any(String),
      expiresAt: null,
      revokedAt: null,
      state: 'active',
    });
    const development = await create({ environment: 'development' });
    expect(development.apiKey).toMatch(/^sp_dev_/);
  });

  it('of a server has scopes, is sent as it was shown, and keeps them when it is rotated', async () => {
    const scopes = ['players:read', 'events:write'];
    const key = await create({ kind: 'server', label: 'match server', scopes });
    expect(key).toEqual({
      apiKey: expect.stringMatching(/^sps_[0-9a-f]{24}$/),
      apiSecret: expect.stringContaining(`${key.apiKey}_`),
      kind: 'server',
      environment: 'production',
      label: 'match server',
      scopes,
    });
    const read = async ({ apiSecret }: Key) => {
      const headers = { authorization: `Bearer ${apiSecret}`, 'x-tenant-id': 'demo-studio' };
      return (await call(harness.app, { url: '/v1/server/players?deviceId=nobody', headers })).statusCode;
    };
    expect(await read(key)).toBe(404);
    // It signs no login.
    expect((await login(key)).statusCode).toBe(401);
    const next = await rotate(key.apiKey, 1);
    expect(next).toMatchObject({ kind: 'server', label: 'match server', scopes });
    expect([await read(key), await read(next)]).toEqual([404, 404]);
    await owner('DELETE', `/keys/${next.apiKey}`);
    expect([await read(key), await read(next)]).toEqual([404, 401]);
    harness.clock.advance(HOUR_MS);
    expect(await read(key)).toBe(401);
  });

  it('of a server needs scopes, and one of a client has none', async () => {
    for (const body of [
      { kind: 'server' },
      { kind: 'server', scopes: [] },
      { kind: 'server', scopes: ['everything'] },
      { kind: 'server', scopes: ['players:read', 'players:read'] },
      { kind: 'client', scopes: ['players:read'] },
      { scopes: ['players:read'] },
    ]) {
      const refused = await admin.call('POST', `${GAME}/keys`, body, admin.tokens.owner);
      expectGeneralError(refused, 400, 'body_invalid');
    }
  });

  it('is listed page by page, and not to other studios', async () => {
    const all = (await list()).keys.map(({ apiKey }) => apiKey);
    const paged: string[] = [];
    let after = '';
    do {
      const page = await owner<Listed>('GET', `/keys?limit=1${after}`);
      paged.push(...page.keys.map(({ apiKey }) => apiKey));
      after = page.nextCursor === null ? '' : `&cursor=${page.nextCursor}`;
    } while (after !== '');
    expect(paged).toEqual(all);
    expect(all).not.toContain(other.keyId);
  });

  it.each([
    { environment: 'test' },
    { environment: 1 },
    { label: 'x'.repeat(101) },
    { label: 'a\nb' },
    { label: null },
    { secret: 'mine' },
    [],
  ])('is not made of %j', async (body) => {
    const response = await admin.call('POST', `${GAME}/keys`, body, admin.tokens.owner);
    expectGeneralError(response, 400, 'body_invalid');
  });
});

describe('a rotated key', () => {
  it('works beside its successor until the overlap ends, exactly, on every node', async () => {
    const old = await create({ label: 'build 7' });
    const node = await harness.addNode();
    const session = toSession((await login(old)).json());
    await login(old, 'd', node.app);
    const rotated = await rotate(old.apiKey, 2);
    const end = harness.clock.now() + 2 * 3_600_000;
    expect(rotated).toMatchObject({
      label: 'build 7',
      former: { apiKey: old.apiKey, expiresAt: new Date(end).toISOString() },
    });
    for (const key of [old, rotated]) expect((await login(key)).statusCode).toBe(200);
    expect((await list()).keys.find(({ apiKey }) => apiKey === old.apiKey)).toMatchObject({
      state: 'ending',
      expiresAt: new Date(end).toISOString(),
    });

    // A key that was just used is cached, and the cache must respect the end.
    harness.clock.set(end - 1);
    for (const app of [harness.app, node.app]) expect((await login(old, 'd', app)).statusCode).toBe(200);
    harness.clock.set(end);
    for (const app of [harness.app, node.app]) {
      expect((await login(old, 'd', app)).statusCode).toBe(401);
      expect((await login(old, 'a new device', app)).statusCode).toBe(401);
    }
    expect((await login(rotated)).statusCode).toBe(200);
    // The response has no hint about the clock, as it would have for a key that works.
    const anHourAgo = harness.clock.now() - 3_600_000;
    const { apiKey, apiSecret: secret } = old;
    const late = signedLogin({ deviceId: 'd', nowMs: anHourAgo, apiKey, secret });
    expect((await postLogin(harness.app, late)).statusCode).toBe(401);
    const { rows } = await harness.pool.query("select from devices where device_id = 'a new device'");
    expect(rows).toEqual([]);
    expect((await list()).keys.find(({ apiKey }) => apiKey === old.apiKey)).toMatchObject({
      state: 'expired',
    });
    await expectAlive(harness.app, await refreshed(harness.app, session.refreshToken));
  });

  it('without an overlap ends at once, even if it was just used', async () => {
    const old = await create();
    expect((await login(old)).statusCode).toBe(200);
    const rotated = await rotate(old.apiKey, 0);
    expect((await login(old)).statusCode).toBe(401);
    expect((await login(rotated)).statusCode).toBe(200);
  });

  it('that has an earlier end keeps it', async () => {
    const old = await create();
    const { former } = await rotate(old.apiKey, 1);
    expect((await rotate(old.apiKey, 100)).former).toEqual(former);
    expect(Date.parse((await rotate(old.apiKey, 0)).former.expiresAt)).toBe(harness.clock.now());
    const again = await admin.call(
      'POST',
      `${GAME}/keys/${old.apiKey}/rotate`,
      { overlapHours: 1 },
      admin.tokens.owner,
    );
    expectGeneralError(again, 404, 'api_key_not_found');
  });

  it.each([{}, { overlapHours: -1 }, { overlapHours: 1.5 }, { overlapHours: '1' }, { overlapHours: 2_161 }])(
    'refuses an overlap of %j',
    async (body) => {
      const response = await admin.call('POST', `${GAME}/keys/dev-key/rotate`, body, admin.tokens.owner);
      expectGeneralError(response, 400, 'body_invalid');
    },
  );
});

describe('a revoked key', () => {
  it('opens no session; its sessions continue unless endSessions is true', async () => {
    const [gentle, harsh] = [await create(), await create()];
    const sessions = [toSession((await login(gentle)).json()), toSession((await login(harsh)).json())];
    await owner('DELETE', `/keys/${gentle.apiKey}`);
    await owner('DELETE', `/keys/${harsh.apiKey}?endSessions=true`);
    for (const key of [gentle, harsh]) expect((await login(key)).statusCode).toBe(401);
    const [first, second] = await Promise.all(
      sessions.map(({ headers }) => harness.app.inject({ url: '/v1/player/status', headers })),
    );
    expect([first?.statusCode, second?.statusCode]).toEqual([200, 401]);
    const again = await admin.call('DELETE', `${GAME}/keys/${gentle.apiKey}`, undefined, admin.tokens.owner);
    expectGeneralError(again, 404, 'api_key_not_found');
    const unsure = await admin.call(
      'DELETE',
      `${GAME}/keys/dev-key?endSessions=maybe`,
      undefined,
      admin.tokens.owner,
    );
    expectGeneralError(unsure, 400, 'parameter_invalid');
  });
});

it('the key of another studio is not found, whichever game is in the path', async () => {
  for (const [game, token, apiKey] of [
    ['other-game', stranger, 'dev-key'],
    ['demo-game', admin.tokens.owner, other.keyId],
    ['demo-game', admin.tokens.owner, 'no-such-key'],
    ['demo-game', admin.tokens.owner, '%00'],
    ['demo-game', admin.tokens.owner, "'"],
  ] as const) {
    const keys = `/games/${game}/keys/${apiKey}`;
    expectGeneralError(await admin.call('DELETE', keys, undefined, token), 404, 'api_key_not_found');
    expectGeneralError(
      await admin.call('POST', `${keys}/rotate`, { overlapHours: 0 }, token),
      404,
      'api_key_not_found',
    );
  }
  expect((await harness.login()).userId).toMatch(/./);
  await other.login('still-there');
});

describe('the settings of a game', () => {
  const patch = (body: unknown, token = admin.tokens.owner) => admin.call('PATCH', GAME, body, token);

  it('are changed one by one, and a setting that stays the same writes no entry', async () => {
    expect((await patch({ name: ' New name ' })).json().data).toEqual({
      gameId: 'demo-game',
      name: 'New name',
      retentionDays: null,
      unregisteredTypes: 'accept',
      erasureWaitDays: 0,
      erasurePage: false,
    });
    expect((await patch({ retentionDays: 90 })).json().data).toMatchObject({
      name: 'New name',
      retentionDays: 90,
    });
    const entries = async () =>
      (await harness.pool.query("select from audit_log where action = 'game.update'")).rows.length;
    const before = await entries();
    expect((await patch({ retentionDays: 90, name: 'New name' })).statusCode).toBe(200);
    expect(await entries()).toBe(before);
    const { games } = await admin.ask<{ games: object[] }>('GET', '/games');
    expect(games).toMatchObject([{ name: 'New name', retentionDays: 90 }]);
    expect((await patch({ retentionDays: null })).json().data).toMatchObject({ retentionDays: null });
  });

  it('say whether events of unregistered types are taken, which the next request obeys', async () => {
    const session = await harness.login();
    const refused = async (n: number) =>
      rejectedCodes(
        await postEvents(harness.app, session, [gameEvent('Unheard_Of', n, harness.clock.now())]),
      );
    expect(await refused(1)).toEqual([]);
    expect((await patch({ unregisteredTypes: 'hold' })).json().data).toMatchObject({
      name: 'New name',
      unregisteredTypes: 'hold',
    });
    const { games } = await admin.ask<{ games: object[] }>('GET', '/games');
    expect(games).toMatchObject([{ unregisteredTypes: 'hold' }]);
    expect(await refused(2)).toEqual(['event_type_unregistered']);
    expectGeneralError(
      await patch({ unregisteredTypes: 'accept' }, admin.tokens.editor),
      403,
      'role_too_low',
    );
    expect((await patch({ unregisteredTypes: 'accept' })).statusCode).toBe(200);
    expect(await refused(3)).toEqual([]);
  });

  it.each([
    {},
    { unregisteredTypes: 'drop' },
    { retentionDays: 0 },
    { retentionDays: 36_501 },
    { retentionDays: '90' },
    { erasureWaitDays: 31 },
    { erasureWaitDays: -1 },
    { erasureWaitDays: null },
    { erasurePage: 'on' },
    { name: '' },
    { name: ' ' },
    { name: 'a\u0007' },
    { publishedVersion: 0 },
  ])('do not become %j', async (body) => {
    expectGeneralError(await patch(body), 400, 'body_invalid');
  });
});

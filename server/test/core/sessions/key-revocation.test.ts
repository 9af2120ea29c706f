import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEMO } from '../../../src/app/demo-studio.js';
import { generateApiKey, insertApiKey } from '../../../src/core/sessions/api-key-queries.js';
import { revokeApiKey } from '../../../src/studio/games-and-keys/key-changes.js';
import {
  createHarness,
  type Harness,
  postLogin,
  type Session,
  signedLogin,
  testActor,
  toSession,
} from '../../support/harness.js';

let harness: Harness;
beforeAll(async () => {
  harness = await createHarness();
});
afterAll(() => harness.close());

const place = { tenant: DEMO.tenant, game: DEMO.game, environment: 'production', label: '' } as const;

async function keyWithSession() {
  const key = generateApiKey('production');
  await insertApiKey(harness.pool, harness.masterKeys, key, place);
  const signIn = ({ deviceId = 'd', nowMs = harness.clock.now(), app = harness.app } = {}) =>
    postLogin(app, signedLogin({ deviceId, nowMs, apiKey: key.keyId, secret: key.secret }));
  return { key, signIn, session: toSession((await signIn()).json()) };
}

const status = (session: Session, app = harness.app) =>
  app.inject({ url: '/v1/player/status', headers: session.headers });
const refresh = (session: Session) =>
  harness.app.inject({
    method: 'POST',
    url: '/auth/refresh',
    payload: { refreshToken: session.refreshToken },
  });

describe('a revoked key', () => {
  test('opens no more sessions, and leaves those it opened alone', async () => {
    const { key, signIn, session } = await keyWithSession();
    expect(
      await revokeApiKey(harness.pool, key.keyId, { endSessions: false }, testActor(harness.clock.now())),
    ).toBe(true);
    expect((await signIn()).statusCode).toBe(401);
    expect((await status(session)).statusCode).toBe(200);
    expect((await refresh(session)).statusCode).toBe(200);
  });

  test('creates no player for a new device', async () => {
    const { key, signIn } = await keyWithSession();
    await revokeApiKey(harness.pool, key.keyId, { endSessions: false }, testActor(harness.clock.now()));
    for (let n = 0; n < 2; n++) expect((await signIn({ deviceId: 'a-stranger' })).statusCode).toBe(401);
    const { rows } = await harness.pool.query("select from devices where device_id = 'a-stranger'");
    expect(rows).toEqual([]);
  });

  test('does not tell about the clock, although a node has just seen it stand', async () => {
    const { key, signIn } = await keyWithSession();
    const anHourAgo = { nowMs: harness.clock.now() - 3_600_000 };
    expect((await signIn(anHourAgo)).statusCode).toBe(400);
    await revokeApiKey(harness.pool, key.keyId, { endSessions: false }, testActor(harness.clock.now()));
    expect((await signIn(anHourAgo)).statusCode).toBe(401);
  });

  test('is not told that it comes too often', async () => {
    const { app } = await harness.addNode({
      rateLimits: { ...harness.ctx.settings.rateLimits, enabled: true, loginsPerDevice: 1 },
    });
    const { key, signIn } = await keyWithSession();
    expect((await signIn({ app })).statusCode).toBe(200);
    expect((await signIn({ app })).statusCode).toBe(429);
    await revokeApiKey(harness.pool, key.keyId, { endSessions: false }, testActor(harness.clock.now()));
    expect((await signIn({ app })).statusCode).toBe(401);
  });

  test('takes its sessions with it when asked to, on every node at once', async () => {
    const node = await harness.addNode();
    const { key, session } = await keyWithSession();
    expect((await status(session, node.app)).statusCode).toBe(200);
    expect(
      await revokeApiKey(harness.pool, key.keyId, { endSessions: true }, testActor(harness.clock.now())),
    ).toBe(true);
    for (const app of [harness.app, node.app]) expect((await status(session, app)).statusCode).toBe(401);
    expect((await refresh(session)).statusCode).toBe(401);
  });

  test('can have its sessions ended later, and is reported missing when there is nothing left to revoke', async () => {
    const { key, session } = await keyWithSession();
    await revokeApiKey(harness.pool, key.keyId, { endSessions: false }, testActor(harness.clock.now()));
    expect(
      await revokeApiKey(harness.pool, key.keyId, { endSessions: false }, testActor(harness.clock.now())),
    ).toBe(false);
    expect(
      await revokeApiKey(harness.pool, key.keyId, { endSessions: true }, testActor(harness.clock.now())),
    ).toBe(true);
    expect((await status(session)).statusCode).toBe(401);
    expect(
      await revokeApiKey(harness.pool, 'no-such-key', { endSessions: true }, testActor(harness.clock.now())),
    ).toBe(false);
  });
});

test('the secret of a key is read again after a minute, and until then not for each login', async () => {
  const { key, signIn } = await keyWithSession();
  await harness.pool.query(
    'update api_keys set sealed_secret = set_byte(sealed_secret, 40, get_byte(sealed_secret, 40) # 1) where key_id = $1',
    [key.keyId],
  );
  harness.clock.advance(59_000);
  expect((await signIn()).statusCode).toBe(200);
  harness.clock.advance(1_000);
  expect((await signIn()).statusCode).toBe(401);
});

test('a session of a development key is worth nothing on a production node', async () => {
  const production = await harness.addNode({ environment: 'production' });
  const session = await harness.login('developer');
  expect((await status(session)).statusCode).toBe(200);
  expect((await status(session, production.app)).statusCode).toBe(401);
  const response = await production.app.inject({
    method: 'POST',
    url: '/auth/refresh',
    payload: { refreshToken: session.refreshToken },
  });
  expect(response.statusCode).toBe(401);
});

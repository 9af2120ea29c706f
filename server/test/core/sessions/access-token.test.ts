import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rotateSigningKey } from '../../../src/studio/sessions/signing-key-changes.js';
import { createHarness, type Harness, type Session, testActor } from '../../support/harness.js';
import {
  expectAlive,
  expectRefusedToken,
  getKeySet,
  getStatus,
  postLogout,
  refreshed,
} from '../../support/session-calls.js';

let harness: Harness;
beforeAll(async () => {
  harness = await createHarness();
});
afterAll(() => harness.close());

async function jwks(app = harness.app) {
  const response = await getKeySet(app);
  expect(response.statusCode).toBe(200);
  return response.json();
}

/** As a studio's own game server would: with the public keys only. */
async function verifyOffline(accessToken: string, app = harness.app) {
  return jwtVerify(accessToken, createLocalJWKSet(await jwks(app)), {
    issuer: 'savepoint',
    audience: 'savepoint-players',
    typ: 'at+jwt',
    algorithms: ['ES256'],
    currentDate: new Date(harness.clock.now()),
  });
}

const kidOf = ({ accessToken }: Session) => decodeProtectedHeader(accessToken).kid;

describe('what a token says', () => {
  test('carries the claims of the contract and no others', async () => {
    const session = await harness.login('phone-ü');
    const { payload, protectedHeader } = await verifyOffline(session.accessToken);
    const [key] = (await jwks()).keys;
    expect(protectedHeader).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: key.kid });
    const issuedAt = Math.floor(harness.clock.now() / 1000);
    expect(payload).toEqual({
      iss: 'savepoint',
      aud: 'savepoint-players',
      sub: session.userId,
      tid: 'demo-studio',
      gid: 'demo-game',
      did: 'phone-ü',
      sid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      iat: issuedAt,
      exp: issuedAt + 3600,
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  test('every token has a jti of its own; a session keeps its sid', async () => {
    const [first, second] = [await harness.login(), await harness.login()];
    const [one, two] = [await verifyOffline(first.accessToken), await verifyOffline(second.accessToken)];
    expect(one.payload.jti).not.toBe(two.payload.jti);
    expect(one.payload.sid).not.toBe(two.payload.sid);
    const response = await harness.app.inject({
      method: 'POST',
      url: '/auth/refresh',
      payload: { refreshToken: first.refreshToken },
    });
    const { payload } = await verifyOffline(response.json().accessToken);
    expect(payload).toMatchObject({ sid: one.payload.sid, sub: first.userId, did: 'device-1' });
    expect(payload.jti).not.toBe(one.payload.jti);
  });

  test('issuer, audience and lifetime can be set', async () => {
    const config = { tokenIssuer: 'https://play.example', tokenAudience: 'game', accessTtlSeconds: 60 };
    const node = await harness.addNode(config);
    const session = await harness.login('device-1', node.app);
    const { payload } = await jwtVerify(session.accessToken, createLocalJWKSet(await jwks()), {
      currentDate: new Date(harness.clock.now()),
    });
    expect(payload).toMatchObject({ iss: 'https://play.example', aud: 'game' });
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(60);
    await expectAlive(node.app, session);
  });
});

describe('the key set', () => {
  test('is public, may be cached, and holds no private part', async () => {
    const response = await harness.app.inject({ method: 'GET', url: '/.well-known/jwks.json' });
    expect(response.headers['cache-control']).toMatch(/^public, max-age=\d+$/);
    expect(response.json()).toEqual({
      keys: [
        {
          kty: 'EC',
          crv: 'P-256',
          x: expect.any(String),
          y: expect.any(String),
          kid: expect.any(String),
          alg: 'ES256',
          use: 'sig',
        },
      ],
    });
  });

  test('every node serves the same one', async () => {
    const node = await harness.addNode();
    expect(await jwks(node.app)).toEqual(await jwks());
  });
});

describe('the lifetime', () => {
  test('ends to the second, also for a token that was verified before', async () => {
    const seen = await harness.login('seen');
    const unseen = await harness.login('unseen');
    const expiresAt = (Math.floor(harness.clock.now() / 1000) + 3600) * 1000;
    harness.clock.set(expiresAt - 1);
    await expectAlive(harness.app, seen);
    harness.clock.set(expiresAt);
    expectRefusedToken(await getStatus(harness.app, seen), 'token_expired');
    expectRefusedToken(await getStatus(harness.app, seen), 'token_expired');
    expectRefusedToken(await getStatus(harness.app, unseen), 'token_expired');
    expectRefusedToken(await postLogout(harness.app, seen.accessToken), 'token_expired');
  });
});

describe('rotation of the signing key', () => {
  const rotate = () =>
    rotateSigningKey(harness.pool, harness.masterKeys, testActor(harness.clock.now()), { immediately: true });

  test('keeps old tokens valid, signs new ones with the new key, and lists both', async () => {
    const before = await harness.login('rotated');
    const { kid } = await rotate();
    const after = await harness.login('rotated');
    expect(kidOf(after)).toBe(kid);
    expect(kidOf(before)).not.toBe(kid);
    const fresh = await harness.addNode();
    for (const app of [harness.app, fresh.app]) {
      const kids = (await jwks(app)).keys.map((key: { kid: string }) => key.kid);
      expect(kids).toEqual(expect.arrayContaining([kid, kidOf(before)]));
      for (const session of [before, after]) {
        await expectAlive(app, session);
        await verifyOffline(session.accessToken, app);
      }
    }
  });

  test('is obeyed by every node with its next login and its next refresh, whatever its clock says', async () => {
    const other = await harness.addNode();
    const session = await harness.login('device-1', other.app);
    // The clock of the machine on which the command runs is ahead.
    const actor = testActor(harness.clock.now() + 60_000);
    const { kid } = await rotateSigningKey(harness.pool, harness.masterKeys, actor, { immediately: true });
    expect(kidOf(await harness.login('device-1', other.app))).toBe(kid);
    expect(kidOf(await harness.login('device-1'))).toBe(kid);
    const next = await rotateSigningKey(harness.pool, harness.masterKeys, testActor(harness.clock.now()), {
      immediately: true,
    });
    expect(kidOf(await refreshed(other.app, session.refreshToken))).toBe(next.kid);
    await expectAlive(harness.app, session);
  });

  test('a new key is published long before it signs, so that no cache meets an unknown one', async () => {
    const before = kidOf(await harness.login());
    const { kid, signsFrom } = await rotateSigningKey(
      harness.pool,
      harness.masterKeys,
      testActor(harness.clock.now()),
      {
        immediately: false,
      },
    );
    expect((await jwks()).keys.map((key: { kid: string }) => key.kid)).toContain(kid);
    expect(signsFrom - harness.clock.now()).toBeGreaterThan(300_000);
    harness.clock.set(signsFrom - 1);
    expect(kidOf(await harness.login())).toBe(before);
    harness.clock.set(signsFrom);
    expect(kidOf(await harness.login())).toBe(kid);
  });

  test('a retired key leaves the set only after its last token has expired', async () => {
    const session = await harness.login();
    await rotate();
    const listed = async () => {
      await harness.ctx.signingKeys.reload();
      return (await jwks()).keys.some((key: { kid: string }) => key.kid === kidOf(session));
    };
    harness.clock.advance(3_600_000);
    expect(await listed()).toBe(true);
    harness.clock.advance(86_400_000);
    expect(await listed()).toBe(false);
    expect((await jwks()).keys).toHaveLength(1);
    await expectAlive(harness.app, await harness.login());
  });
});

import type { LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEMO } from '../../../src/app/demo-studio.js';
import { revokeApiKey } from '../../../src/studio/games-and-keys/key-changes.js';
import {
  createHarness,
  type Harness,
  type LoginBody,
  postLogin,
  signedLogin,
  testActor,
} from '../../support/harness.js';
import { addStudio, expectRefusedToken, type Studio } from '../../support/session-calls.js';

/** What the keys' rows hold decides nothing that a stranger could see: every refusal is one and the same response. */

let harness: Harness;
let rival: Studio;
beforeAll(async () => {
  harness = await createHarness();
  rival = await addStudio(harness, 'rival-studio', 'rival-game');
});
afterAll(() => harness.close());

type Key = { keyId: string; secret: string };

function loginWith({ keyId: apiKey, secret }: Key, deviceId = 'device-1'): LoginBody {
  return signedLogin({ deviceId, nowMs: harness.clock.now(), apiKey, secret });
}

/** Well signed by a device with a wrong clock: a key that may not log in is not told the time either. */
function lateLoginWith({ keyId: apiKey, secret }: Key): LoginBody {
  return signedLogin({ deviceId: 'device-1', nowMs: harness.clock.now() - 3_600_000, apiKey, secret });
}

/** What tells one response from another, without what differs between any two. */
function visible({ statusCode, headers, body }: LightMyRequestResponse) {
  const { 'x-request-id': _id, date: _date, ratelimit: _count, ...rest } = headers;
  return JSON.stringify({ statusCode, rest, body });
}

describe('refused logins look the same', () => {
  let reference: string;
  beforeAll(async () => {
    const response = await postLogin(harness.app, loginWith({ keyId: 'no-such-key', secret: 'x' }));
    expectRefusedToken(response, 'credentials_invalid');
    reference = visible(response);
  });

  const expectTheSame = async (body: LoginBody, app = harness.app) => {
    expect(visible(await postLogin(app, body))).toBe(reference);
  };

  test('a wrong signature', () => expectTheSame({ ...loginWith(DEMO), deviceId: 'device-2' }));

  test('a key id that cannot be one', () => expectTheSame(loginWith({ keyId: 'a b\u0000', secret: 'x' })));

  test('a revoked key, with its good signature and with a bad one', async () => {
    const revoked = await addStudio(harness, 'revoked-studio', 'game');
    await revoked.login('device-1');
    await revokeApiKey(harness.pool, revoked.keyId, { endSessions: false }, testActor(harness.clock.now()));
    await expectTheSame(loginWith(revoked));
    await expectTheSame(lateLoginWith(revoked));
    await expectTheSame({ ...loginWith(revoked), deviceId: 'device-2' });
  });

  test('a key revoked after this node has used it, also for a device that is new', async () => {
    const studio = await addStudio(harness, 'short-lived-studio', 'game');
    const other = await harness.addNode();
    expect((await postLogin(other.app, loginWith(studio))).statusCode).toBe(200);
    await revokeApiKey(harness.pool, studio.keyId, { endSessions: false }, testActor(harness.clock.now()));
    await expectTheSame(loginWith(studio), other.app);
    await expectTheSame(loginWith(studio, 'never seen'), other.app);
  });

  test('a development key in production, with its good signature and with a bad one', async () => {
    const production = await harness.addNode({ environment: 'production' });
    await expectTheSame(loginWith(DEMO), production.app);
    await expectTheSame(lateLoginWith(DEMO), production.app);
    await expectTheSame({ ...loginWith(DEMO), deviceId: 'device-2' }, production.app);
  });

  test('a production key works in production, and on a developer’s node', async () => {
    const live = await addStudio(harness, 'live-studio', 'live-game', 'production');
    const production = await harness.addNode({ environment: 'production' });
    for (const app of [production.app, harness.app]) {
      expect((await postLogin(app, loginWith(live))).statusCode).toBe(200);
    }
  });
});

describe('a tampered row does not log in', () => {
  const attacker = { secret: 'known to the attacker' };

  async function expectRefused(body: LoginBody): Promise<void> {
    expectRefusedToken(await postLogin(harness.app, body), 'credentials_invalid');
  }

  /** The sealed secret of one key written over another's. */
  const copySecret = (from: string, to: string) =>
    harness.pool.query(
      `update api_keys set sealed_secret = (select sealed_secret from api_keys where key_id = $1) where key_id = $2`,
      [from, to],
    );

  test('with the sealed secret of another tenant', async () => {
    const victim = await addStudio(harness, 'victim-studio', 'game');
    await copySecret(rival.keyId, victim.keyId);
    await expectRefused(loginWith({ keyId: victim.keyId, secret: rival.secret }));
    await expectRefused(loginWith(victim));
    await rival.login('device-1');
  });

  test('with the sealed secret of another key of the same game', async () => {
    const first = await addStudio(harness, 'two-keys', 'game');
    const second = await addStudio(harness, 'two-keys', 'game');
    await copySecret(first.keyId, second.keyId);
    await expectRefused(loginWith({ keyId: second.keyId, secret: first.secret }));
    await first.login('device-1');
  });

  test('moved to a game of another tenant', async () => {
    const victim = await addStudio(harness, 'moved-from', 'game');
    await addStudio(harness, 'moved-to', 'game');
    await harness.pool.query(
      `update api_keys set game_id =
         (select g.id from games g join tenants t on t.id = g.tenant_id where t.slug = 'moved-to')
       where key_id = $1`,
      [victim.keyId],
    );
    await expectRefused(loginWith(victim));
  });

  test.each([
    ['a secret in the clear', Buffer.from(attacker.secret)],
    ['nothing', Buffer.alloc(0)],
    ['zeros', Buffer.alloc(64)],
  ])('holding %s', async (name, bytes) => {
    const victim = await addStudio(harness, `holding-${bytes.length}`, 'game');
    await harness.pool.query('update api_keys set sealed_secret = $2 where key_id = $1', [
      victim.keyId,
      bytes,
    ]);
    await expectRefused(loginWith({ keyId: victim.keyId, secret: attacker.secret }));
    await expectRefused(loginWith({ keyId: victim.keyId, secret: bytes.toString() || name }));
  });

  test('and does not hold up the logins that come with it', async () => {
    const victim = await addStudio(harness, 'noisy-studio', 'game');
    await copySecret(rival.keyId, victim.keyId);
    const [broken, ...good] = await Promise.all(
      [loginWith(victim), loginWith(DEMO), loginWith(rival)].map((body) => postLogin(harness.app, body)),
    );
    expect(broken?.statusCode).toBe(401);
    expect(good.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
  });
});

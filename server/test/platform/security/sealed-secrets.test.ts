import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DEMO } from '../../../src/app/demo-studio.js';
import { loadDeviceHashes } from '../../../src/core/sessions/forgotten-devices.js';
import { findGame } from '../../../src/platform/admin-api/tenants.js';
import { createErasureHashes } from '../../../src/platform/security/erasure-hashes.js';
import { accountBinding } from '../../../src/platform/security/google-account-binding.js';
import { requireRightMasterKeys } from '../../../src/platform/security/master-key.js';
import {
  type MasterKeys,
  sealedUnder,
  UnsealError,
  unseal,
} from '../../../src/platform/security/master-keys.js';
import { listSealedSecrets } from '../../../src/platform/security/sealed-secrets.js';
import { resealAll } from '../../../src/studio/sessions/reseal-secrets.js';
import { saveAccount } from '../../../src/trust/stores/google/account-queries.js';
import {
  createHarness,
  type Harness,
  postEvents,
  postLogin,
  signedLogin,
  testActor,
  testMasterKeys,
} from '../../support/harness.js';
import { addServerKey } from '../../support/server-calls.js';
import { addStudio, expectAlive, refreshed, type Studio } from '../../support/session-calls.js';

let harness: Harness;
let studio: Studio;
// A new installation for each test: most of them leave one behind that nobody could start.
beforeEach(async () => {
  harness = await createHarness();
  studio = await addStudio(harness, 'sealed-studio', 'game');
});
afterEach(() => harness.close());

/** Every row of every table, as text; bytes are in hexadecimal. */
async function dump(): Promise<string> {
  const tables = await harness.pool.query<{ name: string }>(
    `select quote_ident(relname) as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'm')`,
  );
  expect(tables.rows.map(({ name }) => name)).toEqual(expect.arrayContaining(['api_keys', 'signing_keys']));
  const texts = await Promise.all(
    tables.rows.map(({ name }) => harness.pool.query<{ text: string }>(`select t::text from ${name} t`)),
  );
  return texts.flatMap(({ rows }) => rows.map((row) => Object.values(row).join())).join('\n');
}

/** However bytes may have been written down. */
function spellings(bytes: Buffer): string[] {
  return [
    ...(['hex', 'base64', 'base64url'] as const).map((e) => bytes.toString(e)),
    bytes.toString('latin1'),
  ];
}

describe('a server key', () => {
  test('has no sealed secret: the master key is checked and changed without it, and nothing stored shows it', async () => {
    const before = await listSealedSecrets(harness.pool);
    const { secret, headers } = await addServerKey(harness);
    expect(await listSealedSecrets(harness.pool)).toEqual(before);
    expect(await dump()).not.toContain(secret.slice(-49, -6));
    await resealAll(harness.pool, harness.masterKeys, testActor(harness.clock.now()));
    const read = { method: 'GET', url: '/v1/server/players?deviceId=nobody', headers } as const;
    expect((await harness.app.inject(read)).statusCode).toBe(404);
  });
});

test('the key of forgotten devices is sealed, too: a master key that cannot open it is refused', async () => {
  const fresh = testMasterKeys();
  await resealAll(harness.pool, rotated(fresh), testActor(harness.clock.now()));
  expect(await listSealedSecrets(harness.pool)).toMatchObject([{ deviceKeys: 1 }]);
  await harness.pool.query('delete from device_forgetting');
  await loadDeviceHashes(harness.pool, harness.masterKeys);
  const settings = { ...harness.ctx.settings, masterKey: undefined };
  await expect(requireRightMasterKeys(settings, harness.pool, fresh)).rejects.toThrow(
    'has the key of forgotten devices sealed under master key',
  );
});

describe('the database', () => {
  let rows: string;
  beforeEach(async () => {
    await expectAlive(harness.app, await studio.login('device-1'));
    rows = await dump();
  });

  test('holds what the tests below look through', () => {
    expect(rows).toContain(DEMO.keyId);
    expect(rows).toContain(studio.keyId);
    expect(rows).toContain(harness.ctx.signingKeys.current().kid);
  });

  test('has no API secret in it', () => {
    for (const secret of [DEMO.secret, studio.secret]) {
      for (const spelling of spellings(Buffer.from(secret))) expect(rows).not.toContain(spelling);
    }
  });

  test('has no private signing key in it', () => {
    const { privateKey } = harness.ctx.signingKeys.current();
    const scalar = Buffer.from(String(privateKey.export({ format: 'jwk' }).d), 'base64url');
    const der = privateKey.export({ format: 'der', type: 'pkcs8' });
    for (const secret of [scalar, der]) {
      for (const spelling of spellings(secret)) expect(rows).not.toContain(spelling);
    }
    expect(rows).not.toMatch(/PRIVATE KEY|"d": ?"/);
  });

  test('has no master key in it', () => {
    const [key] = harness.masterKeys.byId.values();
    for (const spelling of spellings((key as KeyObject).export())) expect(rows).not.toContain(spelling);
  });
});

describe('a signing key whose row was tampered with starts no node', () => {
  const tamper = async (statement: string) => {
    await (await harness.addNode()).ctx.signingKeys.reload();
    await harness.pool.query(statement);
    await expect(harness.addNode()).rejects.toThrow(UnsealError);
    await expect(
      resealAll(harness.pool, rotated(testMasterKeys()), testActor(harness.clock.now())),
    ).rejects.toThrow(UnsealError);
  };

  test('by one bit', () =>
    tamper(
      'update signing_keys set sealed_private = set_bit(sealed_private, 320, 1 - get_bit(sealed_private, 320))',
    ));

  test('by another kid', () => tamper("update signing_keys set kid = 'other'"));
});

/** The new key in front of the old one, as while rotating. */
function rotated(fresh: MasterKeys): MasterKeys {
  return {
    primaryId: fresh.primaryId,
    byId: new Map([...fresh.byId, ...harness.masterKeys.byId]),
  };
}

describe('rotation of the master key', () => {
  const nodeWith = async (masterKeys: MasterKeys) =>
    (await harness.addNode({}, { clock: harness.clock, masterKeys })).app;

  const sealedUnderKeys = async () => {
    const { rows } = await harness.pool.query<{ sealed: Buffer }>(
      'select sealed_secret as sealed from api_keys union all select sealed_private from signing_keys',
    );
    return new Set(rows.map(({ sealed }) => sealedUnder(sealed)));
  };

  const demoLogin = () => signedLogin({ deviceId: 'device-1', nowMs: harness.clock.now() });

  test('keeps logins, sessions and tokens working through every step', async () => {
    const fresh = testMasterKeys();
    const both = rotated(fresh);
    const before = await harness.login();
    const hash = (await harness.ctx.erasureHashes()).player(before.userId);
    const pem = generateKeyPairSync('rsa', { modulusLength: 2_048 })
      .privateKey.export({ format: 'pem', type: 'pkcs8' })
      .toString();
    const game = await findGame(harness.pool, DEMO.tenant, DEMO.game);
    const account = { gameId: game?.id ?? 0, email: 'a@example.com', privateKey: pem };
    await saveAccount(harness.pool, harness.masterKeys, account, testActor(harness.clock.now()));
    const whileRotating = await nodeWith(both);
    expect((await postLogin(whileRotating, demoLogin())).statusCode).toBe(200);

    expect(await resealAll(harness.pool, both, testActor(harness.clock.now()))).toEqual({
      apiKeys: 2,
      signingKeys: 1,
      secondFactors: 0,
      erasureKeys: 1,
      storeAccounts: 1,
      deviceKeys: 1,
    });
    expect(await sealedUnderKeys()).toEqual(new Set([fresh.primaryId]));
    const { rows } = await harness.pool.query('select sealed_key as sealed from google_accounts');
    expect(unseal(fresh, rows[0].sealed, accountBinding(account.gameId)).toString()).toBe(pem);
    const hashes = await createErasureHashes(harness.pool, async () => fresh)();
    expect(hashes.player(before.userId)).toEqual(hash);

    for (const app of [whileRotating, await nodeWith(both), await nodeWith(fresh)]) {
      const response = await postLogin(app, demoLogin());
      expect(response.statusCode, response.body).toBe(200);
      expect(response.json().userId).toBe(before.userId);
      await expectAlive(app, before);
    }
    await refreshed(await nodeWith(fresh), before.refreshToken);
  });

  test('done twice changes nothing the second time', async () => {
    const both = rotated(testMasterKeys());
    await resealAll(harness.pool, both, testActor(harness.clock.now()));
    expect(await resealAll(harness.pool, both, testActor(harness.clock.now()))).toEqual({
      apiKeys: 0,
      signingKeys: 0,
      secondFactors: 0,
      erasureKeys: 0,
      storeAccounts: 0,
      deviceKeys: 0,
    });
  });

  test('is all or nothing: one row that does not open leaves all as they were', async () => {
    await harness.pool.query('update api_keys set sealed_secret = $2 where key_id = $1', [
      studio.keyId,
      (await harness.pool.query('select sealed_secret as s from api_keys where key_id = $1', [DEMO.keyId]))
        .rows[0].s,
    ]);
    await expect(
      resealAll(harness.pool, rotated(testMasterKeys()), testActor(harness.clock.now())),
    ).rejects.toThrow(UnsealError);
    expect(await sealedUnderKeys()).toEqual(new Set([harness.masterKeys.primaryId]));
    await harness.login();
  });

  test('a node with neither key does not start; one with the old key only says so and refuses all logins', async () => {
    await expect(nodeWith(testMasterKeys())).rejects.toThrow(/not configured/);
    const session = await harness.login();
    await harness.ctx.erasureHashes();
    const old = await nodeWith(harness.masterKeys);
    await resealAll(harness.pool, rotated(testMasterKeys()), testActor(harness.clock.now()));
    const response = await postLogin(old, demoLogin());
    expect(response.statusCode).toBe(500);
    expect(response.json()).toMatchObject({ code: 'internal' });
    expect(response.body).not.toMatch(/master/i);
    const timestamp = new Date(harness.clock.now()).toISOString();
    const payload = { transactionId: 't-1', price: 1, currency: 'USD' };
    const bought = await postEvents(old, session, [{ eventType: 'Purchase', timestamp, payload }]);
    expect(bought.statusCode, bought.body).toBe(202);
  });

  test('a key that this node cannot open fails alone, and not what is asked in the same moment', async () => {
    await harness.pool.query(
      'update api_keys set sealed_secret = set_byte(sealed_secret, 2, get_byte(sealed_secret, 2) # 255) where key_id = $1',
      [studio.keyId],
    );
    const login = (apiKey: string, secret: string, deviceId: string) =>
      postLogin(harness.app, signedLogin({ deviceId, nowMs: harness.clock.now(), apiKey, secret }));
    const responses = await Promise.all([
      ...['a', 'b'].map((device) => login(DEMO.keyId, DEMO.secret, device)),
      login(studio.keyId, studio.secret, 'c'),
      login(DEMO.keyId, 'a wrong secret', 'd'),
    ]);
    expect(responses.map(({ statusCode }) => statusCode)).toEqual([200, 200, 500, 401]);
  });
});

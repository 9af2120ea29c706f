import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO } from '../../../src/app/demo-studio.js';
import { loadDeviceHashes } from '../../../src/core/sessions/forgotten-devices.js';
import { findGame } from '../../../src/platform/admin-api/tenants.js';
import {
  generateMasterKey,
  type MasterKeys,
  primaryId,
  seal,
} from '../../../src/platform/security/master-keys.js';
import { listSealedSecrets } from '../../../src/platform/security/sealed-secrets.js';
import { revokeApiKey } from '../../../src/studio/games-and-keys/key-changes.js';
import { replaceLostSecrets } from '../../../src/studio/sessions/replace-lost-secrets.js';
import { resealAll } from '../../../src/studio/sessions/reseal-secrets.js';
import { saveAccount } from '../../../src/trust/stores/google/account-queries.js';
import { runCommandUnder } from '../../support/command.js';
import {
  createHarness,
  type Harness,
  postLogin,
  signedLogin,
  testActor,
  testMasterKeys,
} from '../../support/harness.js';
import { addStudio, getStatus, refreshed } from '../../support/session-calls.js';

let harness: Harness;
beforeAll(async () => {
  harness = await createHarness();
});
afterAll(() => harness.close());

const actor = () => testActor(harness.clock.now());
const loginWith = (secret: string) =>
  signedLogin({ deviceId: 'device-1', nowMs: harness.clock.now(), apiKey: DEMO.keyId, secret });

describe('without the master key, what it sealed is replaced', () => {
  let lost: string;
  let fresh: MasterKeys;
  let before: Awaited<ReturnType<Harness['login']>>;
  let replaced: Awaited<ReturnType<typeof replaceLostSecrets>>;

  beforeAll(async () => {
    lost = primaryId(harness.masterKeys);
    fresh = testMasterKeys(generateMasterKey());
    before = await harness.login();
    const { pool, masterKeys } = harness;
    await harness.ctx.erasureHashes();
    const ended = await addStudio(harness, 'ended-studio', 'game');
    await revokeApiKey(pool, ended.keyId, { endSessions: false }, actor());
    const game = await findGame(pool, DEMO.tenant, DEMO.game);
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
    const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
    await saveAccount(
      pool,
      masterKeys,
      { gameId: game?.id ?? 0, email: 'a@example.com', privateKey: pem },
      actor(),
    );
    await pool.query(
      `insert into accounts (id, email, email_key, name, second_factor, created_at)
       values (gen_random_uuid(), 'ada@example.com', 'ada@example.com', 'Ada', $1, now()),
         (gen_random_uuid(), 'bob@example.com', 'bob@example.com', 'Bob', null, now())`,
      [seal(masterKeys, 'secret', 'somewhere')],
    );
    replaced = await replaceLostSecrets(pool, fresh, lost, actor());
  });

  it('says what was replaced, without revoked keys', () => {
    expect(replaced).toEqual({
      apiKeys: [
        {
          keyId: DEMO.keyId,
          tenant: DEMO.tenant,
          game: DEMO.game,
          secret: expect.stringMatching(/^\S{43}$/),
        },
      ],
      signingKeys: 1,
      accounts: ['ada@example.com'],
      googleAccounts: [{ tenant: DEMO.tenant, game: DEMO.game }],
      isErasureKeyNew: true,
      isDeviceKeyNew: true,
    });
  });

  it('leaves players and their sessions, and signs logins with the new secret of the same key', async () => {
    const { app: node } = await harness.addNode({}, { clock: harness.clock, masterKeys: fresh });
    expect((await postLogin(node, loginWith(DEMO.secret))).statusCode).toBe(401);
    const login = await postLogin(node, loginWith(replaced.apiKeys[0]?.secret ?? ''));
    expect(login.statusCode, login.body).toBe(200);
    expect(login.json().userId).toBe(before.userId);
    expect((await getStatus(node, before)).statusCode).toBe(401);
    const again = await refreshed(node, before.refreshToken);
    expect((await getStatus(node, again)).statusCode).toBe(200);
    await loadDeviceHashes(harness.pool, fresh);
  });

  it('leaves nothing that the next rotation could not open', async () => {
    expect((await listSealedSecrets(harness.pool)).map(({ masterKeyId }) => masterKeyId)).toEqual([
      primaryId(fresh),
    ]);
    const next = testMasterKeys(generateMasterKey());
    const both = { primaryId: next.primaryId, byId: new Map([...next.byId, ...fresh.byId]) };
    const counts = await resealAll(harness.pool, both, actor());
    expect(counts).toMatchObject({
      apiKeys: 2,
      signingKeys: 1,
      secondFactors: 0,
      storeAccounts: 0,
      erasureKeys: 1,
      deviceKeys: 1,
    });
  });
});

describe('savepoint master-key replace-lost', () => {
  const run = (key: string, id: string) =>
    runCommandUnder(key, harness.databaseUrl, 'master-key', 'replace-lost', id);

  it('touches nothing without the id of a key that is in use and not set', async () => {
    const [sealed] = await listSealedSecrets(harness.pool);
    const id = sealed?.masterKeyId ?? '';
    const unknown = await run(generateMasterKey(), '00000000');
    expect(unknown).toMatchObject({ code: 1, out: '' });
    expect(unknown.errors).toContain(
      `Nothing is sealed under master key 00000000. Keys that are in use: ${id}.`,
    );
    expect(await listSealedSecrets(harness.pool)).toEqual([sealed]);
  });

  it('shows each new secret once, and what is left to do', async () => {
    const [sealed] = await listSealedSecrets(harness.pool);
    const key = generateMasterKey();
    const { out, errors, code } = await run(key, sealed?.masterKeyId ?? '');
    expect(code, errors).toBe(0);
    expect(out).toMatch(new RegExp(`^ {2}${DEMO.tenant} +${DEMO.game} +${DEMO.keyId} +\\S{43}$`, 'm'));
    expect(out).toContain('Replaced 1 signing keys: clients refresh their tokens, no session ends.');
    const again = await run(key, (await listSealedSecrets(harness.pool))[0]?.masterKeyId ?? '');
    expect(again.errors).toContain('is not lost: it is among those that are set.');
  });
});

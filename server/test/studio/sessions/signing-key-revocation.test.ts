import type { FastifyInstance } from 'fastify';
import { decodeProtectedHeader } from 'jose';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DEMO } from '../../../src/app/demo-studio.js';
import { listSigningKeys } from '../../../src/core/sessions/signing-key-queries.js';
import { insertGame } from '../../../src/platform/admin-api/tenants.js';
import { generateMasterKey } from '../../../src/platform/security/master-keys.js';
import {
  ensureSigningKey,
  revokeSigningKey,
  rotateSigningKey,
} from '../../../src/studio/sessions/signing-key-changes.js';
import { runCommandUnder } from '../../support/command.js';
import {
  createHarness,
  type Harness,
  postEvents,
  type Session,
  testActor,
  testMasterKeys,
} from '../../support/harness.js';
import {
  addStudio,
  expectAlive,
  expectRefusedToken,
  getKeySet,
  getStatus,
  postLogout,
  refreshed,
} from '../../support/session-calls.js';

const masterKey = generateMasterKey();
let harness: Harness;
let other: FastifyInstance;
beforeEach(async () => {
  harness = await createHarness({ masterKey });
  other = (await harness.addNode()).app;
});
afterEach(() => harness.close());

const kidOf = ({ accessToken }: Session) => String(decodeProtectedHeader(accessToken).kid);
const actor = () => testActor(harness.clock.now());
const revoke = (kid: string) => revokeSigningKey(harness.pool, harness.masterKeys, kid, actor());
const rotate = (immediately: boolean) =>
  rotateSigningKey(harness.pool, harness.masterKeys, actor(), { immediately });

async function listedKids(app: FastifyInstance): Promise<string[]> {
  const response = await getKeySet(app);
  return response.json<{ keys: { kid: string }[] }>().keys.map(({ kid }) => kid);
}

describe('a signing key that is revoked', () => {
  test('is refused by every node with the very next request, also in tokens that were verified before', async () => {
    const remembered = await harness.login('remembered');
    const unseen = await harness.login('unseen');
    for (const app of [harness.app, other]) await expectAlive(app, remembered);
    const leaked = kidOf(remembered);

    const revocation = await revoke(leaked);
    for (const app of [harness.app, other]) {
      expectRefusedToken(await getStatus(app, remembered), 'token_invalid');
      expectRefusedToken(await getStatus(app, unseen), 'token_invalid');
      expectRefusedToken(await getStatus(app, remembered), 'token_invalid');
      expectRefusedToken(await postEvents(app, remembered, []), 'token_invalid');
      expectRefusedToken(await postLogout(app, remembered.accessToken), 'token_invalid');
    }

    // The session goes on: its refresh token is none of the key's.
    const again = await refreshed(other, remembered.refreshToken);
    expect(kidOf(again)).toBe(revocation?.signer);
    expect(revocation).toEqual({ signer: expect.not.stringMatching(leaked), isNew: true });
    for (const app of [harness.app, other]) await expectAlive(app, again);
  });

  test('is refused by a node that another request has told of it', async () => {
    const victim = await harness.login('victim');
    await rotate(true);
    const bystander = await harness.login('bystander');
    for (const app of [harness.app, other]) await expectAlive(app, victim);
    await revoke(kidOf(victim));
    for (const app of [harness.app, other]) {
      await expectAlive(app, bystander);
      expectRefusedToken(await getStatus(app, victim), 'token_invalid');
    }
  });

  test('is refused in a game that was created after the last change of the keys', async () => {
    await rotate(true);
    const studio = await addStudio(harness, 'new-studio', 'new-game');
    const session = await studio.login('device-1');
    await expectAlive(other, session);
    await revoke(kidOf(session));
    expectRefusedToken(await getStatus(other, session), 'token_invalid');
  });

  test('signs no more: the next login of any node is signed with another key', async () => {
    const leaked = kidOf(await harness.login());
    const revocation = await revoke(leaked);
    for (const app of [other, harness.app]) {
      const session = await harness.login('device-1', app);
      expect(kidOf(session)).toBe(revocation?.signer);
      await expectAlive(harness.app, session);
    }
  });

  test('leaves the public key set of every node at once, and a new node never knows it', async () => {
    const session = await harness.login();
    const revocation = await revoke(kidOf(session));
    const fresh = (await harness.addNode()).app;
    for (const app of [harness.app, other, fresh])
      expect(await listedKids(app)).toEqual([revocation?.signer]);
    expectRefusedToken(await getStatus(fresh, session), 'token_invalid');
  });

  test('is followed by the one that is published and waits to sign', async () => {
    const session = await harness.login();
    const published = await rotate(false);
    await rotate(false);
    expect(await revoke(kidOf(session))).toEqual({ signer: published.kid, isNew: false });
    expect(kidOf(await harness.login('device-1', other))).toBe(published.kid);
  });

  test('changes nothing else when it was not the one that signs', async () => {
    const old = await harness.login('old');
    const present = await rotate(true);
    const session = await harness.login();
    const pending = await rotate(false);
    for (const kid of [kidOf(old), pending.kid]) {
      expect(await revoke(kid)).toEqual({ signer: present.kid, isNew: false });
    }
    for (const app of [harness.app, other]) {
      await expectAlive(app, session);
      expectRefusedToken(await getStatus(app, old), 'token_invalid');
      expect(await listedKids(app)).toEqual([present.kid]);
    }
    expect(kidOf(await harness.login('old', other))).toBe(present.kid);
  });

  test('is revoked once; others that do not exist are not', async () => {
    const kid = kidOf(await harness.login());
    expect(await revoke(kid)).toBeDefined();
    expect(await revoke(kid)).toBeUndefined();
    expect(await revoke('nobody')).toBeUndefined();
    expect(await listSigningKeys(harness.pool)).toHaveLength(2);
  });
});

describe('signing keys', () => {
  test('that a node cannot open do not stop it: it signs with those it can, and verifies all', async () => {
    const before = kidOf(await harness.login());
    const { kid } = await rotateSigningKey(harness.pool, testMasterKeys(), actor(), { immediately: true });
    for (const app of [harness.app, other]) {
      const session = await harness.login('device-1', app);
      expect(kidOf(session)).toBe(before);
      await expectAlive(app, session);
      expect(await listedKids(app)).toEqual([kid, before]);
    }
  });

  test('are told to a game that is created while they change', async () => {
    const client = await harness.pool.connect();
    await client.query('begin');
    await insertGame(client, DEMO.tenant, 'new-game', 'New game');
    let isDone = false;
    const rotation = rotate(true).finally(() => {
      isDone = true;
    });
    const isWaiting = async () => {
      const { rowCount } = await harness.pool.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return isDone || rowCount !== 0;
    };
    await expect.poll(isWaiting, { timeout: 60_000 }).toBe(true);
    await client.query('commit');
    client.release();
    await rotation;
    const { rows } = await harness.pool.query(
      'select slug from games, signing_key_state s where signing_keys_version <> s.version',
    );
    expect(rows).toEqual([]);
  });

  test('of a new installation: one, however many nodes start at once', async () => {
    await harness.pool.query('delete from signing_keys');
    await Promise.all(
      Array.from({ length: 3 }, () => ensureSigningKey(harness.pool, harness.masterKeys, Date.now())),
    );
    expect(await listSigningKeys(harness.pool)).toHaveLength(1);
  });
});

describe('savepoint signing-key', () => {
  const command = (...args: string[]) =>
    runCommandUnder(masterKey, harness.databaseUrl, 'signing-key', ...args);

  test('list, rotate and revoke', async () => {
    const leaked = kidOf(await harness.login());
    const rotated = await command('rotate');
    const published = /^Published key (\S+)\. New tokens are signed with it from /.exec(rotated.out)?.[1];
    const before = await command('list');
    expect(before.out.split('\n').map((line) => line.replace(/\d{4}-\d\d-\d\dT\S+/g, 'T'))).toEqual([
      expect.stringMatching(/^kid +created +state$/),
      `${published}  T  published, signs from T`,
      `${leaked}  T  signs`,
      '',
    ]);

    const revoked = await command('revoke', leaked);
    expect(revoked).toMatchObject({
      code: 0,
      out: `Revoked key ${leaked}. Every node refuses its tokens from the next request on; clients refresh.\nTokens are now signed with ${published}.\n`,
    });
    expect((await command('list')).out).toMatch(
      new RegExp(`^${published} .* signs\n${leaked} .* revoked \\d`, 'm'),
    );
    const again = await command('revoke', leaked);
    expect(again).toMatchObject({
      code: 1,
      errors: `\nThere is no signing key "${leaked}" that is not revoked. List them: savepoint signing-key list\n`,
    });
  });
});

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { transaction } from '../../../src/platform/db/pool.js';
import { hashOfToken } from '../../../src/platform/lib/secret-token.js';
import { changePassword } from '../../../src/studio/accounts/account-changes.js';
import { emailKeyOf, findAccountByEmail } from '../../../src/studio/accounts/account-queries.js';
import { insertAdminSession } from '../../../src/studio/admin-api/admin-sessions.js';
import {
  addPerson,
  differentNetworks,
  expectRefused,
  PASSWORD,
  type Person,
  personOf,
  signIn,
} from '../../support/account-calls.js';
import { type AdminClient, openAdminClient } from '../../support/admin-calls.js';
import { expectGeneralError } from '../../support/data-calls.js';
import { createHarness, type Harness } from '../../support/harness.js';
import { findWaiting } from '../../support/locks.js';

const NOWHERE = { network: null, browser: null };

let harness: Harness;
let admin: AdminClient;
let ada: Person;
const fromElsewhere = differentNetworks();

beforeAll(async () => {
  harness = await createHarness();
  admin = await openAdminClient(harness);
  ada = await addPerson(harness, admin, 'owner', { email: 'Ada@Studio.example', name: 'Ada' });
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

describe('a change of the password', () => {
  it('requires the current password, and ends all other sessions', async () => {
    const grace = await addPerson(harness, admin, 'editor');
    const elsewhere = personOf(admin, await signIn(admin, grace.email, PASSWORD, fromElsewhere()));
    const newPassword = 'nine purple otters sing';
    for (const body of [{ newPassword }, { newPassword, currentPassword: 'wrong' }])
      expectGeneralError(await grace.call('PUT', '/account/password', body), 403, 'password_wrong');
    expect(await grace.ask('PUT', '/account/password', { newPassword, currentPassword: PASSWORD })).toEqual({
      sessionsEnded: 1,
    });
    expectRefused(await elsewhere.call('GET', '/me'), 'session_ended');
    await grace.ask('GET', '/me');
    expectRefused(await signIn(admin, grace.email, PASSWORD, fromElsewhere()), 'sign_in_refused');
    personOf(admin, await signIn(admin, grace.email, newPassword, fromElsewhere()));
  });

  it('lets no session begin with the former password, which was checked just before', async () => {
    const { accountId, email } = await addPerson(harness, admin, 'editor');
    const checked = await findAccountByEmail(harness.pool, emailKeyOf(email));
    const passwordHash = checked?.passwordHash ?? null;
    const begin = () =>
      insertAdminSession(harness.pool, { accountId, passwordHash }, NOWHERE, harness.clock.now());
    expect(await begin()).toBeDefined();
    // The change has begun, and will end all sessions: a session that begins now waits for the change.
    let waiting: ReturnType<typeof begin> | undefined;
    await transaction(harness.pool, async (client) => {
      await client.query("update accounts set password_hash = 'another' where id = $1", [accountId]);
      waiting = begin();
      await vi.waitUntil(() => findWaiting(harness.pool, 'insert into account_sessions'), {
        timeout: 60_000,
      });
      await client.query('delete from account_sessions where account_id = $1', [accountId]);
    });
    expect(await waiting).toBeUndefined();
    expect(await begin()).toBeUndefined();
    const { rows } = await harness.pool.query('select from account_sessions where account_id = $1', [
      accountId,
    ]);
    expect(rows).toEqual([]);
  });

  it('to a weak password is refused', async () => {
    const change = (newPassword: string) =>
      ada.call('PUT', '/account/password', { currentPassword: PASSWORD, newPassword });
    expectGeneralError(await change('too short'), 400, 'body_invalid');
    expectGeneralError(await change('ababababababab'), 422, 'password_weak');
    expectGeneralError(await change('ada@STUDIO.example'), 422, 'password_weak');
  });

  it('is slowed down like signing in, for this session only', async () => {
    const grace = await addPerson(harness, admin, 'editor');
    const other = personOf(admin, await signIn(admin, grace.email, PASSWORD, fromElsewhere()));
    const change = (person: Person, currentPassword: string) =>
      person.call('PUT', '/account/password', { currentPassword, newPassword: 'nine purple otters sing' });
    const responses = await Promise.all(Array.from({ length: 9 }, (_, n) => change(grace, `guess ${n}`)));
    expect(new Set(responses.map(({ statusCode }) => statusCode))).toEqual(new Set([403]));
    await change(grace, 'another guess');
    expectGeneralError(await change(grace, PASSWORD), 429, 'sign_in_slowed');
    expect((await change(other, PASSWORD)).statusCode).toBe(200);
  });
});

describe('a change of the password that comes too late', () => {
  const actor = () => ({ name: 'test', nowMs: harness.clock.now() });

  it('changes nothing if the password has changed since it was checked', async () => {
    const person = await addPerson(harness, admin, 'viewer');
    const account = await findAccountByEmail(harness.pool, emailKeyOf(person.email));
    if (account === undefined) throw new Error('there is no account');
    const session = await insertAdminSession(harness.pool, account, NOWHERE, harness.clock.now());
    if (session === undefined) throw new Error('there is no session');
    const before = { ...account, passwordHash: 'what it was when it was checked' };
    const late = changePassword(harness.pool, before, 'of the attacker', hashOfToken(session.token), actor());
    await expect(late).rejects.toMatchObject({ code: 'password_wrong' });
    expect(await findAccountByEmail(harness.pool, emailKeyOf(person.email))).toEqual(account);
  });

  it('changes nothing if its session has ended meanwhile', async () => {
    const person = await addPerson(harness, admin, 'viewer');
    const account = await findAccountByEmail(harness.pool, emailKeyOf(person.email));
    if (account === undefined) throw new Error('there is no account');
    const late = changePassword(harness.pool, account, 'of the attacker', Buffer.alloc(32), actor());
    await expect(late).rejects.toMatchObject({ code: 'session_ended' });
    expect(await findAccountByEmail(harness.pool, emailKeyOf(person.email))).toEqual(account);
  });
});

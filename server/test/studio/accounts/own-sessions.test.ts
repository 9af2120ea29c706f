import { afterAll, beforeAll, expect, it } from 'vitest';
import { writeCursor } from '../../../src/platform/admin-api/page-cursor.js';
import {
  addPerson,
  expectRefused,
  PASSWORD,
  type Person,
  personOf,
  signIn,
} from '../../support/account-calls.js';
import { type AdminClient, openAdminClient } from '../../support/admin-calls.js';
import { expectGeneralError } from '../../support/data-calls.js';
import { createHarness, type Harness } from '../../support/harness.js';

type Session = { sessionId: string; isCurrent: boolean } & Record<string, unknown>;
type Page = { sessions: Session[]; nextCursor: string | null };

let harness: Harness;
let admin: AdminClient;
beforeAll(async () => {
  harness = await createHarness();
  admin = await openAdminClient(harness);
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0';

/** Another session of the person, on another device. */
async function signInAgain({ email }: Person, remoteAddress: string): Promise<Person> {
  harness.clock.advance(1_000);
  const headers = { 'user-agent': FIREFOX };
  return personOf(admin, await signIn(admin, email, PASSWORD, { remoteAddress, headers }));
}
const sessionsOf = async (person: Person, query = '') => person.ask<Page>('GET', `/account/sessions${query}`);

it('lists the sessions of the account, newest first, with browser and network', async () => {
  const ada = await addPerson(harness, admin, 'owner');
  const other = await signInAgain(ada, '203.0.113.77');
  const now = harness.clock.now();
  const { sessions, nextCursor } = await sessionsOf(other);
  expect(nextCursor).toBeNull();
  expect(sessions).toHaveLength(2);
  expect(sessions[0]).toEqual({
    sessionId: expect.stringMatching(/^[0-9a-f]{24}$/),
    isCurrent: true,
    browser: 'Firefox on Linux',
    network: '203.0.113.0/24',
    signedInAt: new Date(now).toISOString(),
    seenAt: new Date(now).toISOString(),
    expiresAt: new Date(now + 7 * 86_400_000).toISOString(),
  });
  expect(sessions[1]).toMatchObject({ isCurrent: false, network: '127.0.0.0/24' });
  expect((await sessionsOf(ada)).sessions.map(({ isCurrent }) => isCurrent)).toEqual([false, true]);
});

it('pages through many sessions, also sessions of the same instant', async () => {
  const ada = await addPerson(harness, admin, 'owner');
  for (let n = 0; n < 4; n++) await signInAgain(ada, `10.1.${n}.1`);
  await harness.pool.query('update account_sessions set created_at = $2 where account_id = $1', [
    ada.accountId,
    new Date(harness.clock.now()),
  ]);
  const all = (await sessionsOf(ada)).sessions.map(({ sessionId }) => sessionId);
  expect(new Set(all).size).toBe(5);
  const paged: string[] = [];
  let query = '?limit=2';
  for (;;) {
    const page = await sessionsOf(ada, query);
    paged.push(...page.sessions.map(({ sessionId }) => sessionId));
    if (page.nextCursor === null) break;
    query = `?limit=2&cursor=${page.nextCursor}`;
  }
  expect(paged).toEqual(all);
  const forged = writeCursor('own sessions', [Number.MAX_SAFE_INTEGER, String(all[0])]);
  for (const wrong of ['cursor=x', `cursor=${forged}`, 'limit=0', 'limit=101'])
    expectGeneralError(await ada.call('GET', `/account/sessions?${wrong}`), 400, 'parameter_invalid');
});

it('does not list sessions that have ended', async () => {
  const ada = await addPerson(harness, admin, 'owner');
  harness.clock.advance(8 * 86_400_000);
  const again = await signInAgain(ada, '10.2.0.1');
  expect((await sessionsOf(again)).sessions).toHaveLength(1);
});

it('ends one session, whose next request is refused, and keeps the others', async () => {
  const ada = await addPerson(harness, admin, 'owner');
  const [lost, kept] = [await signInAgain(ada, '10.3.0.1'), await signInAgain(ada, '10.3.0.2')];
  const { sessionId } = (await sessionsOf(lost)).sessions.find(({ isCurrent }) => isCurrent) as Session;
  expect(await ada.ask('DELETE', `/account/sessions/${sessionId}`)).toEqual({ sessionsEnded: 1 });
  expectRefused(await lost.call('GET', '/me'), 'session_ended');
  await kept.ask('GET', '/me');
  expectGeneralError(await ada.call('DELETE', `/account/sessions/${sessionId}`), 404, 'session_not_found');
});

it('ends all other sessions, and keeps the current one', async () => {
  const ada = await addPerson(harness, admin, 'owner');
  const others = [await signInAgain(ada, '10.4.0.1'), await signInAgain(ada, '10.4.0.2')];
  expect(await ada.ask('POST', '/account/sessions/end-others')).toEqual({ sessionsEnded: 2 });
  for (const other of others) expectRefused(await other.call('GET', '/me'), 'session_ended');
  await ada.ask('GET', '/me');
  expect(await ada.ask('POST', '/account/sessions/end-others')).toEqual({ sessionsEnded: 0 });
});

it('is for the own account only, whatever the role, and not for tokens', async () => {
  const ada = await addPerson(harness, admin, 'owner');
  const eve = await addPerson(harness, admin, 'owner');
  const [own] = (await sessionsOf(ada)).sessions;
  for (const id of [own?.sessionId, 'x', '0'.repeat(24), "'"])
    expectGeneralError(await eve.call('DELETE', `/account/sessions/${id}`), 404, 'session_not_found');
  expect((await sessionsOf(eve)).sessions.map(({ sessionId }) => sessionId)).not.toContain(own?.sessionId);
  await eve.ask('POST', '/account/sessions/end-others');
  await ada.ask('GET', '/me');
  const { owner } = admin.tokens;
  expectGeneralError(await admin.call('GET', '/account/sessions', undefined, owner), 403, 'account_needed');
  const withoutCsrf = await ada.call('DELETE', `/account/sessions/${own?.sessionId}`, undefined, {
    'x-csrf-token': 'x',
  });
  expect(withoutCsrf.statusCode).toBe(403);
});

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { transaction } from '../../../src/platform/db/pool.js';
import {
  addPerson,
  expectRefused,
  PASSWORD,
  type Person,
  personOf,
  post,
  signIn,
} from '../../support/account-calls.js';
import { type AdminClient, openAdminClient } from '../../support/admin-calls.js';
import { expectGeneralError } from '../../support/data-calls.js';
import { createHarness, type Harness } from '../../support/harness.js';
import { findWaiting } from '../../support/locks.js';
import { addStudio } from '../../support/session-calls.js';

let harness: Harness;
let admin: AdminClient;
let ada: Person;
let eve: Person;
beforeAll(async () => {
  harness = await createHarness();
  admin = await openAdminClient(harness);
  await addStudio(harness, 'other-studio', 'other-game');
  ada = await addPerson(harness, admin, 'owner', { name: 'Ada' });
  eve = await addPerson(harness, admin, 'owner', { tenant: 'other-studio', name: 'Eve' });
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

type Created = { token: string; path: string; invitation: { invitationId: string } };
const invite = (email: string, role = 'editor', by = ada) =>
  by.ask<Created>('POST', '/invitations', { email, role }, 201);
const accept = (token: string, body: Record<string, unknown> = { name: 'Grace', password: PASSWORD }) =>
  post(admin, '/invitations/accept', { token, ...body });
const rolesOf = async (email: string) => {
  const { rows } = await harness.pool.query<{ line: string }>(
    `select t.slug || ' ' || m.role as line
     from accounts a join studio_members m on m.account_id = a.id join tenants t on t.id = m.tenant_id
     where a.email_key = $1 order by 1`,
    [email],
  );
  return rows.map(({ line }) => line);
};

describe('an invitation', () => {
  it('creates an account with the email and role of the invitation', async () => {
    const { token, path, invitation } = await invite('Grace@studio.example');
    expect(path).toBe(`/console/invitation#token=${token}`);
    expect(invitation).toMatchObject({
      email: 'Grace@studio.example',
      role: 'editor',
      invitedBy: 'Ada',
      expiresAt: new Date(harness.clock.now() + 7 * 86_400_000).toISOString(),
    });
    const shown = await post(admin, '/invitations/show', { token });
    expect(shown.json().data).toEqual({
      email: 'Grace@studio.example',
      role: 'editor',
      studio: 'Demo Studio',
      invitedBy: 'Ada',
      expiresAt: expect.any(String),
    });
    const grace = personOf(admin, await accept(token));
    expect(await grace.ask('GET', '/me')).toMatchObject({ name: 'Grace', role: 'editor' });
    expect(await rolesOf('grace@studio.example')).toEqual(['demo-studio editor']);
    personOf(admin, await signIn(admin, 'grace@studio.example', PASSWORD));
    for (const again of [await accept(token), await post(admin, '/invitations/show', { token })])
      expectGeneralError(again, 404, 'link_invalid');
  });

  it('is stored as a hash', async () => {
    const { token } = await invite('hashed@studio.example');
    const { rows } = await harness.pool.query('select i::text as line from invitations i');
    const text = rows.map(({ line }) => line).join();
    for (const each of [token, Buffer.from(token).toString('hex')]) expect(text).not.toContain(each);
  });

  it('that is accepted by many requests at once adds one member', async () => {
    const { token } = await invite('crowd@studio.example');
    const responses = await Promise.all(
      Array.from({ length: 6 }, (_, n) =>
        accept(token, { name: `Crowd ${n}`, password: `${PASSWORD} ${n}` }),
      ),
    );
    const won = responses.flatMap(({ statusCode }, n) => (statusCode === 200 ? [n] : []));
    expect(won).toHaveLength(1);
    for (const each of responses.filter(({ statusCode }) => statusCode !== 200))
      expect([401, 404], each.body).toContain(each.statusCode);
    expect(await rolesOf('crowd@studio.example')).toEqual(['demo-studio editor']);
    // From another network: the requests that came too late may have used up the guesses of this one.
    const elsewhere = { remoteAddress: '10.7.7.7' };
    personOf(admin, await signIn(admin, 'crowd@studio.example', `${PASSWORD} ${won[0]}`, elsewhere));
  });

  it('that is withdrawn while it is being accepted adds no member', async () => {
    const { token, invitation } = await invite('taken-back@studio.example');
    let accepting: ReturnType<typeof accept> | undefined;
    await transaction(harness.pool, async (client) => {
      await client.query('delete from invitations where id = $1', [invitation.invitationId]);
      accepting = accept(token);
      const isWaiting = () => findWaiting(harness.pool, 'delete from invitations where token_hash');
      await vi.waitUntil(isWaiting, { timeout: 60_000 });
    });
    const response = await accepting;
    expect(response?.json()).toMatchObject({ error: { code: 'link_invalid' } });
    const { rows } = await harness.pool.query(
      "select from accounts where email_key = 'taken-back@studio.example'",
    );
    expect(rows).toEqual([]);
  });

  it('of two studios to one new address creates one account, in either order', async () => {
    const [one, two] = [
      await invite('both@studio.example'),
      await invite('both@studio.example', 'viewer', eve),
    ];
    const responses = await Promise.all([accept(one.token), accept(two.token)]);
    const refused = responses.filter(({ statusCode }) => statusCode !== 200);
    for (const each of refused) expectRefused(each, 'sign_in_refused');
    if (refused.length > 0) {
      const left = responses[0]?.statusCode === 200 ? two : one;
      personOf(admin, await accept(left.token));
    }
    expect(await rolesOf('both@studio.example')).toEqual(['demo-studio editor', 'other-studio viewer']);
  });

  it('to an address with an account requires the password of the account, and does not change the account', async () => {
    const { token } = await invite(ada.email, 'viewer', eve);
    const stolen = await accept(token, { name: 'Eve was here', password: 'chosen by eve herself' });
    expectRefused(stolen, 'sign_in_refused');
    const person = personOf(admin, await accept(token, { name: 'ignored', password: PASSWORD }));
    expect(person.accountId).toBe(ada.accountId);
    expect(await rolesOf(ada.email)).toEqual(['demo-studio owner', 'other-studio viewer']);
    const { rows } = await harness.pool.query('select name from accounts where id = $1', [ada.accountId]);
    expect(rows).toEqual([{ name: 'Ada' }]);
  });

  it('does not tell the owner, who has the link, whether the address has an account', async () => {
    const { email } = await addPerson(harness, admin, 'viewer', { tenant: 'other-studio' });
    const [known, unknown] = [await invite(email), await invite('no-account@studio.example')];
    const answers = async (token: string, address: string) => {
      const shown = await post(admin, '/invitations/show', { token });
      const tries = [
        await accept(token, { password: 'a password that is wrong' }),
        await accept(token, { password: 'short' }),
        await accept(token, { name: 'Eve', password: 'short' }),
        await accept(token, { name: 'Eve', password: 'passwordpassword' }),
        await accept(token, { name: '', password: 'a password that is wrong' }),
      ];
      return [shown, ...tries].map((each) => [each.statusCode, each.body.replaceAll(address, 'the address')]);
    };
    expect(await answers(known.token, email)).toEqual(
      await answers(unknown.token, 'no-account@studio.example'),
    );
    const { invitations } = await ada.ask<{ invitations: { email: string }[] }>('GET', '/invitations');
    const listed = invitations.filter((each) => [email, 'no-account@studio.example'].includes(each.email));
    expect(listed.map((each) => Object.keys(each))).toEqual([
      Object.keys(listed[0] ?? {}),
      Object.keys(listed[0] ?? {}),
    ]);
  });

  it('ends after a week, when it is withdrawn, and when the same address is invited again', async () => {
    const first = await invite('late@studio.example');
    const second = await invite('LATE@studio.example', 'viewer');
    expectGeneralError(await accept(first.token), 404, 'link_invalid');
    harness.clock.advance(7 * 86_400_000 - 1);
    expect((await post(admin, '/invitations/show', { token: second.token })).statusCode).toBe(200);
    harness.clock.advance(1);
    expectGeneralError(await accept(second.token), 404, 'link_invalid');
    ada = personOf(admin, await signIn(admin, ada.email, PASSWORD), 'demo-studio');
    eve = personOf(admin, await signIn(admin, eve.email, PASSWORD), 'other-studio');

    const third = await invite('late@studio.example');
    const { invitationId } = third.invitation;
    expectGeneralError(await eve.call('DELETE', `/invitations/${invitationId}`), 404, 'invitation_not_found');
    await ada.ask('DELETE', `/invitations/${invitationId}`);
    expectGeneralError(await accept(third.token), 404, 'link_invalid');
    for (const id of [invitationId, 'x', '%00'])
      expectGeneralError(await ada.call('DELETE', `/invitations/${id}`), 404, 'invitation_not_found');
  });

  it('is refused for the address of a member', async () => {
    const { email } = await addPerson(harness, admin, 'viewer');
    const response = await ada.call('POST', '/invitations', { email: email.toUpperCase(), role: 'owner' });
    expectGeneralError(response, 409, 'already_member');
  });

  it('requires a name and a password that is not weak', async () => {
    const { token } = await invite('picky@studio.example');
    for (const password of ['short', 'aaaaaaaaaaaaaaaa', 'picky@studio.example'])
      expectGeneralError(await accept(token, { name: 'P', password }), 422, 'password_weak');
    for (const name of ['', ' ', 'a\nb', 'x'.repeat(101), 7])
      expectGeneralError(await accept(token, { name, password: PASSWORD }), 400, 'body_invalid');
    personOf(admin, await accept(token, { name: 'P', password: PASSWORD }));
  });

  it.each([
    { email: 'x', role: 'viewer' },
    { email: 'a@b', role: 'king' },
    { email: ['a@b'], role: 'viewer' },
    { role: 'viewer' },
    { email: 'a@b' },
    { email: '<a@b>', role: 'viewer' },
    { email: 'a b@c', role: 'viewer' },
  ])('is not made of %j', async (body) => {
    expectGeneralError(await ada.call('POST', '/invitations', body), 400, 'body_invalid');
  });
});

describe('the list of invitations', () => {
  it('has the open invitations, page by page, and none of another studio', async () => {
    type Listed = { invitations: { email: string }[]; nextCursor: string | null };
    const open = async (by: Person) =>
      (await by.ask<Listed>('GET', '/invitations')).invitations.map(({ email }) => email);
    const before = await open(ada);
    await invite('one@studio.example');
    await invite('two@studio.example');
    // Invitations of the same millisecond come in any order.
    expect((await open(ada)).toSorted()).toEqual(
      [...before, 'one@studio.example', 'two@studio.example'].toSorted(),
    );
    expect(await open(eve)).not.toContain('one@studio.example');
    const first = await ada.ask<Listed>('GET', '/invitations?limit=1');
    expect(first.invitations).toHaveLength(1);
    const second = await ada.ask<Listed>('GET', `/invitations?limit=1&cursor=${first.nextCursor}`);
    expect(second.invitations).not.toEqual(first.invitations);
  });
});

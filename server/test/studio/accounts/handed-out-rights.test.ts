import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createPool, transaction } from '../../../src/platform/db/pool.js';
import { addPerson, type Person, post } from '../../support/account-calls.js';
import { type AdminClient, openAdminClient } from '../../support/admin-calls.js';
import { expectGeneralError } from '../../support/data-calls.js';
import { createHarness, type Harness, NO_TIMEOUT_MS } from '../../support/harness.js';
import { listWaiting } from '../../support/locks.js';
import { addStudio } from '../../support/session-calls.js';

let harness: Harness;
let admin: AdminClient;
let ada: Person;
beforeAll(async () => {
  harness = await createHarness();
  admin = await openAdminClient(harness);
  await addStudio(harness, 'other-studio', 'other-game');
  ada = await addPerson(harness, admin, 'owner', { name: 'Ada' });
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

type HandedOut = { invitationsWithdrawn: number; adminTokens: { tokenId: string; name: string }[] };
type Created = { tokenId: string; token: string };

let invited = 0;
const invite = async (by: Person) => {
  invited++;
  const body = { email: `invited-${invited}@studio.example`, role: 'owner' };
  return by.ask<{ token: string }>('POST', '/invitations', body, 201);
};
const isOpen = async ({ token }: { token: string }) =>
  (await post(admin, '/invitations/show', { token })).statusCode === 200;
const createToken = (by: Person, name: string) =>
  by.ask<Created>('POST', '/admin-tokens', { name, role: 'owner' }, 201);

describe.each([
  ['removed', 'DELETE', undefined],
  ['demoted to editor', 'PUT', { role: 'editor' }],
] as const)('an owner who is %s', (_, method, body) => {
  it('loses the invitations that they made, and the response lists their tokens', async () => {
    const grace = await addPerson(harness, admin, 'owner', { name: 'Grace' });
    const hers = await invite(grace);
    const his = await invite(ada);
    const token = await createToken(grace, 'Nightly export');
    const revoked = await createToken(grace, 'Old');
    await createToken(ada, 'Of Ada');
    await ada.ask('DELETE', `/admin-tokens/${revoked.tokenId}`);

    const handedOut = await ada.ask<HandedOut>(method, `/members/${grace.accountId}`, body);
    expect(handedOut).toMatchObject({
      invitationsWithdrawn: 1,
      adminTokens: [{ tokenId: token.tokenId, name: 'Nightly export', role: 'owner', expiresAt: null }],
    });
    expect([await isOpen(hers), await isOpen(his)]).toEqual([false, true]);
    // Programs keep working until an owner revokes their tokens.
    expect((await admin.call('GET', '/me', undefined, token.token)).statusCode).toBe(200);
    const { rows } = await harness.pool.query(
      `select actor, actor_email as email, action, target from audit_log order by id desc limit 1`,
    );
    expect(rows).toEqual([
      {
        actor: 'Ada',
        email: ada.email,
        action: 'invitation.revoke',
        target: expect.stringContaining('invitation of'),
      },
    ]);
  });
});

it('an owner whose role stays keeps the invitations', async () => {
  const grace = await addPerson(harness, admin, 'owner');
  const hers = await invite(grace);
  const kept = await ada.ask<HandedOut>('PUT', `/members/${grace.accountId}`, { role: 'owner' });
  expect(kept).toMatchObject({ invitationsWithdrawn: 0, adminTokens: [] });
  expect(await isOpen(hers)).toBe(true);
});

it('invitations to another studio stay', async () => {
  const eve = await addPerson(harness, admin, 'owner', { tenant: 'other-studio' });
  await addPerson(harness, admin, 'owner', { tenant: 'other-studio' });
  const theirs = await invite(eve);
  const token = await createToken(eve, 'Theirs');
  const { rows } = await harness.pool.query<{ id: number }>(
    "select id from tenants where slug = 'demo-studio'",
  );
  await harness.pool.query(
    "insert into studio_members (tenant_id, account_id, role, joined_at) values ($1, $2, 'owner', now())",
    [rows[0]?.id, eve.accountId],
  );
  expect(await ada.ask<HandedOut>('DELETE', `/members/${eve.accountId}`)).toMatchObject({
    invitationsWithdrawn: 0,
    adminTokens: [],
  });
  expect(await isOpen(theirs)).toBe(true);
  expect((await admin.call('GET', '/me', undefined, token.token)).statusCode).toBe(200);
});

it('revoking an admin token withdraws the invitations that were made with it', async () => {
  const { tokenId, token } = await createToken(ada, 'Inviting');
  const body = { email: 'by-token@studio.example', role: 'owner' };
  const invitation = await admin.ask<{ token: string }>('POST', '/invitations', body, token, 201);
  expect(await isOpen(invitation)).toBe(true);
  await ada.ask('DELETE', `/admin-tokens/${tokenId}`);
  expect(await isOpen(invitation)).toBe(false);
});

it.each([
  ['/invitations', { email: 'late@studio.example', role: 'owner' }],
  ['/admin-tokens', { name: 'Late', role: 'owner' }],
])('nothing is made by POST %s beside the removal of its maker', async (path, body) => {
  const grace = await addPerson(harness, admin, 'owner');
  // Its own connections: those of the service wait.
  const pool = createPool({ url: harness.databaseUrl, size: 2, timeoutMs: NO_TIMEOUT_MS, onError: () => {} });
  const late = await transaction(pool, async (client) => {
    await client.query('delete from studio_members where account_id = $1', [grace.accountId]);
    const sent = grace.call('POST', path, body);
    const isWaiting = async () => (await listWaiting(pool, 'select from studio_members')).length === 1;
    await vi.waitUntil(isWaiting, { timeout: 150_000 });
    return [sent];
  }).finally(() => pool.end());
  expectGeneralError(await (late[0] as Promise<never>), 403, 'role_too_low');
});

describe('the audit log', () => {
  type Entry = { actor: string; actorEmail: string | null; actorTokenId: string | null };
  const newest = async () => (await ada.ask<{ entries: Entry[] }>('GET', '/audit-log?limit=1')).entries[0];

  it('distinguishes two members and a token with the same name', async () => {
    const twins = [
      await addPerson(harness, admin, 'owner', { name: 'Sam' }),
      await addPerson(harness, admin, 'owner', { name: 'Sam' }),
    ];
    for (const twin of twins) {
      await invite(twin);
      expect(await newest()).toMatchObject({ actor: 'Sam', actorEmail: twin.email, actorTokenId: null });
    }
    const { tokenId, token } = await createToken(ada, 'Sam');
    await admin.ask('POST', '/admin-tokens', { name: 'x', role: 'viewer' }, token, 201);
    const entry = await newest();
    expect(entry).toMatchObject({ actor: 'Sam', actorEmail: null, actorTokenId: tokenId });
    const { id } = entry as unknown as { id: string };
    expect(await ada.ask('GET', `/audit-log/${id}`)).toMatchObject({
      actorEmail: null,
      actorTokenId: tokenId,
    });
  });

  it('has the address also for changes of the own account, and for joining', async () => {
    const joan = await addPerson(harness, admin, 'viewer', { name: 'Joan' });
    expect(await newest()).toMatchObject({ actor: 'Joan', actorEmail: joan.email });
    const { token } = await ada.ask<{ token: string }>(
      'POST',
      '/invitations',
      { email: 'new@studio.example', role: 'viewer' },
      201,
    );
    const accepted = { token, name: 'New', password: 'nine purple otters sing' };
    expect((await post(admin, '/invitations/accept', accepted)).statusCode).toBe(200);
    expect(await newest()).toMatchObject({ actor: 'New', actorEmail: 'new@studio.example' });
  });
});

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createPool, transaction } from '../../../src/platform/db/pool.js';
import { addMember } from '../../../src/studio/accounts/account-changes.js';
import {
  addPerson,
  expectRefused,
  PASSWORD,
  type Person,
  personOf,
  signIn,
  tenantIdOf,
} from '../../support/account-calls.js';
import { type AdminClient, GAME, openAdminClient } from '../../support/admin-calls.js';
import { expectGeneralError } from '../../support/data-calls.js';
import { createHarness, type Harness, NO_TIMEOUT_MS } from '../../support/harness.js';
import { listWaiting } from '../../support/locks.js';
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

type Members = { members: { accountId: string; name: string; role: string }[]; nextCursor: string | null };

const owners = async (tenant: string) => {
  const { rows } = await harness.pool.query(
    "select from studio_members m join tenants t on t.id = m.tenant_id where t.slug = $1 and m.role = 'owner'",
    [tenant],
  );
  return rows.length;
};

describe('the members of a studio', () => {
  it('are listed page by page, without members of another studio', async () => {
    const people = [
      ada,
      await addPerson(harness, admin, 'editor'),
      await addPerson(harness, admin, 'viewer'),
    ];
    const { members } = await ada.ask<Members>('GET', '/members');
    expect(members).toMatchObject([
      { accountId: ada.accountId, email: ada.email, name: 'Ada', role: 'owner', hasSecondFactor: false },
      { accountId: people[1]?.accountId, role: 'editor' },
      { accountId: people[2]?.accountId, role: 'viewer' },
    ]);
    const paged: string[] = [];
    let after = '';
    for (let page = 0; page < 3; page++) {
      const response: Members = await ada.ask('GET', `/members?limit=1${after}`);
      paged.push(...response.members.map(({ accountId }) => accountId));
      expect(response.nextCursor === null).toBe(page === 2);
      after = `&cursor=${response.nextCursor}`;
    }
    expect(paged).toEqual(people.map(({ accountId }) => accountId));
    expect((await eve.ask<Members>('GET', '/members')).members.map(({ name }) => name)).toEqual(['Eve']);
  });

  it.each(['cursor=x', 'cursor=', 'limit=0', 'limit=101', 'limit=x', 'cursor=a&cursor=b'])(
    'are not listed by %s',
    async (query) => {
      expectGeneralError(await ada.call('GET', `/members?${query}`), 400, 'parameter_invalid');
    },
  );

  it('get another role, which applies from the next request on', async () => {
    const grace = await addPerson(harness, admin, 'viewer');
    expectGeneralError(await grace.call('GET', '/members'), 403, 'role_too_low');
    expect(await ada.ask('PUT', `/members/${grace.accountId}`, { role: 'owner' })).toMatchObject({
      accountId: grace.accountId,
      role: 'owner',
    });
    await grace.ask('GET', '/members');
  });

  it('are removed, and refused from the next request on', async () => {
    const grace = await addPerson(harness, admin, 'owner');
    expect(await ada.ask('DELETE', `/members/${grace.accountId}`)).toEqual({
      accountId: grace.accountId,
      invitationsWithdrawn: 0,
      adminTokens: [],
    });
    for (const path of ['/me', '/games', `${GAME}/draft`])
      expectGeneralError(await grace.call('GET', path), 403, 'not_a_member');
    expectGeneralError(await ada.call('DELETE', `/members/${grace.accountId}`), 404, 'member_not_found');
    await grace.ask('POST', '/sign-out');
  });

  it('of another studio are not found', async () => {
    for (const accountId of [ada.accountId, crypto.randomUUID(), 'x', '%00', ada.accountId.toUpperCase()]) {
      expectGeneralError(
        await eve.call('PUT', `/members/${accountId}`, { role: 'viewer' }),
        404,
        'member_not_found',
      );
      expectGeneralError(await eve.call('DELETE', `/members/${accountId}`), 404, 'member_not_found');
    }
    expect(await ada.ask('GET', '/me')).toMatchObject({ role: 'owner' });
  });

  it.each([{}, { role: 'king' }, { role: ['owner'] }, { role: null }, { role: 'owner', tenantId: 1 }])(
    'do not get the role %j',
    async (body) => {
      expectGeneralError(await ada.call('PUT', `/members/${ada.accountId}`, body), 400, 'body_invalid');
    },
  );
});

describe('the last owner', () => {
  it('can be neither demoted nor removed, not even by a token', async () => {
    expect(await owners('other-studio')).toBe(1);
    const token = await admin.addToken('owner', { tenant: 'other-studio' });
    const path = `/members/${eve.accountId}`;
    expectGeneralError(await eve.call('PUT', path, { role: 'editor' }), 409, 'last_owner');
    expectGeneralError(await eve.call('DELETE', path), 409, 'last_owner');
    expectGeneralError(await admin.call('DELETE', path, undefined, token), 409, 'last_owner');
    await eve.ask('PUT', path, { role: 'owner' });
  });

  it.each([
    ['PUT', { role: 'viewer' }],
    ['DELETE', undefined],
  ] as const)('is left when two owners %s each other at once', async (method, body) => {
    const tenant = `duel-${method.toLowerCase()}`;
    await addStudio(harness, tenant, 'game');
    const [one, two] = [
      await addPerson(harness, admin, 'owner', { tenant }),
      await addPerson(harness, admin, 'owner', { tenant }),
    ];
    // Its own connections: those of the service are all in use.
    const pool = createPool({
      url: harness.databaseUrl,
      size: 2,
      timeoutMs: NO_TIMEOUT_MS,
      onError: () => {},
    });
    const responses = await transaction(pool, async (client) => {
      await client.query('select from tenants where slug = $1 for no key update', [tenant]);
      const both = [
        one.call(method, `/members/${two.accountId}`, body),
        two.call(method, `/members/${one.accountId}`, body),
      ];
      const areWaiting = async () => (await listWaiting(pool, 'select from tenants')).length === 2;
      await vi.waitUntil(areWaiting, { timeout: 60_000 });
      return both;
    }).finally(() => pool.end());
    const statuses = (await Promise.all(responses)).map(({ statusCode }) => statusCode);
    expect(statuses.toSorted()).toEqual([200, 409]);
    expect(await owners(tenant)).toBe(1);
  });
});

describe('an account with two studios', () => {
  it('works in the studio that it joined first, or in the one that the request names, with the role there', async () => {
    const grace = await addPerson(harness, admin, 'editor');
    harness.clock.advance(1_000);
    const member = { email: grace.email, name: 'x', role: 'viewer', linkExpiresAt: 0 } as const;
    const tenantId = await tenantIdOf(harness, 'other-studio');
    const actor = { name: 'test', nowMs: harness.clock.now() };
    expect(await addMember(harness.pool, { ...member, tenantId }, actor)).toEqual({
      outcome: 'added',
      isNew: false,
      token: null,
    });
    const person = personOf(admin, await signIn(admin, grace.email, PASSWORD));
    const me = (tenant?: string) =>
      person.call('GET', '/me', undefined, tenant === undefined ? {} : { 'x-tenant-id': tenant });
    const studios = [
      { tenantId: 'demo-studio', name: 'Demo Studio', role: 'editor' },
      { tenantId: 'other-studio', name: 'other-studio', role: 'viewer' },
    ];
    expect((await me()).json().data).toMatchObject({ tenantId: 'demo-studio', role: 'editor', studios });
    expect((await me('other-studio')).json().data).toMatchObject({
      tenantId: 'other-studio',
      role: 'viewer',
    });
    const other = { 'x-tenant-id': 'other-studio' };
    const games = await person.call('GET', '/games', undefined, other);
    expect(games.json().data.games.map(({ gameId }: { gameId: string }) => gameId)).toEqual(['other-game']);
    expectGeneralError(await person.call('GET', `${GAME}/draft`, undefined, other), 404, 'game_not_found');
    expectGeneralError(
      await person.call('DELETE', `${GAME}/draft?revision=0`, undefined, other),
      403,
      'role_too_low',
    );
    await addStudio(harness, 'third-studio', 'third-game');
    const unknown = ['third-studio', 'no-such-studio', '', "'"].map((tenant) => me(tenant));
    const bodies = (await Promise.all(unknown)).map((response) => {
      expectGeneralError(response, 403, 'not_a_member');
      return response.body;
    });
    expect(new Set(bodies).size).toBe(1);
  });
});

it('a wrong password is refused for a member of another studio, too', async () => {
  expectRefused(
    await signIn(admin, eve.email, `${PASSWORD} `, { remoteAddress: '10.9.9.9' }),
    'sign_in_refused',
  );
});

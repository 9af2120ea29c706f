import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdminClient, openAdminClient } from '../../support/admin-calls.js';
import { expectGeneralError } from '../../support/data-calls.js';
import { createHarness, type Harness } from '../../support/harness.js';
import { addStudio, expectStringError } from '../../support/session-calls.js';

let harness: Harness;
let admin: AdminClient;
let stranger: string;
beforeAll(async () => {
  harness = await createHarness();
  admin = await openAdminClient(harness);
  await addStudio(harness, 'other-studio', 'other-game');
  stranger = await admin.addToken('owner', { tenant: 'other-studio' });
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

type Listed = { tokens: { tokenId: string; state: string }[]; nextCursor: string | null };
const owner = <T>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown, status?: number) =>
  admin.ask<T>(method, `/admin-tokens${path}`, body, admin.tokens.owner, status);
const stateOf = async (tokenId: string) =>
  (await owner<Listed>('GET', '')).tokens.find((each) => each.tokenId === tokenId)?.state;

describe('admin tokens', () => {
  it('are created by an owner, shown once, and work with their role and name', async () => {
    const body = { name: ' Nightly ', role: 'viewer', expiresDays: 1 };
    const { tokenId, token } = await owner<{ tokenId: string; token: string }>('POST', '', body, 201);
    expect(await admin.ask('GET', '/me', undefined, token)).toMatchObject({
      tokenId,
      name: 'Nightly',
      role: 'viewer',
      tenantId: 'demo-studio',
    });
    expect(await stateOf(tokenId)).toBe('active');
    const listed = await admin.call('GET', '/admin-tokens', undefined, admin.tokens.owner);
    expect(listed.body).not.toContain(token.slice(-43));
    harness.clock.advance(86_400_000);
    expect(await stateOf(tokenId)).toBe('expired');
    expectStringError(await admin.call('GET', '/me', undefined, token), 401, 'token_invalid');
  });

  it('are refused with the next request after they are revoked, and cannot be revoked by other studios', async () => {
    const token = await admin.addToken('editor');
    const tokenId = token.split('_')[2] ?? '';
    const path = `/admin-tokens/${tokenId}`;
    expectGeneralError(await admin.call('DELETE', path, undefined, stranger), 404, 'admin_token_not_found');
    await admin.ask('GET', '/me', undefined, token);
    expect(await owner('DELETE', `/${tokenId}`)).toEqual({ tokenId });
    expectStringError(await admin.call('GET', '/me', undefined, token), 401, 'token_invalid');
    expect(await stateOf(tokenId)).toBe('revoked');
    for (const each of [tokenId, 'x', '%00'])
      expectGeneralError(
        await admin.call('DELETE', `/admin-tokens/${each}`, undefined, admin.tokens.owner),
        404,
        'admin_token_not_found',
      );
  });

  it('are listed page by page, without tokens of another studio', async () => {
    const all = (await owner<Listed>('GET', '')).tokens.map(({ tokenId }) => tokenId);
    expect(all).not.toContain(stranger.split('_')[2]);
    const paged: string[] = [];
    let after = '';
    do {
      const page = await owner<Listed>('GET', `?limit=2${after}`);
      paged.push(...page.tokens.map(({ tokenId }) => tokenId));
      after = page.nextCursor === null ? '' : `&cursor=${page.nextCursor}`;
    } while (after !== '');
    expect(paged).toEqual(all);
  });

  it.each([
    {},
    { name: 'x' },
    { role: 'viewer' },
    { name: '', role: 'viewer' },
    { name: 'x', role: 'root' },
    { name: 'x', role: 'viewer', expiresDays: 0 },
    { name: 'x', role: 'viewer', tenantId: 'other-studio' },
  ])('are not made of %j', async (body) => {
    expectGeneralError(
      await admin.call('POST', '/admin-tokens', body, admin.tokens.owner),
      400,
      'body_invalid',
    );
  });
});

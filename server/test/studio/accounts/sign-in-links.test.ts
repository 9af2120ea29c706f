import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoSignInPath } from '../../../src/app/demo-account.js';
import { createSignInLink } from '../../../src/studio/accounts/account-changes.js';
import { addPerson, PASSWORD, post } from '../../support/account-calls.js';
import { type AdminClient, openAdminClient } from '../../support/admin-calls.js';
import { expectGeneralError } from '../../support/data-calls.js';
import { createHarness, type Harness } from '../../support/harness.js';

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

describe('a sign-in link', () => {
  const tokenOf = async () =>
    (await demoSignInPath(harness.pool, harness.clock.now())).replace('/console/sign-in#token=', '');

  it('signs in once; each start makes a new link, and the former link ends', async () => {
    const [former, token] = [await tokenOf(), await tokenOf()];
    expectGeneralError(await post(admin, '/sign-in/link', { token: former }), 404, 'link_invalid');
    const responses = await Promise.all([1, 2, 3, 4].map(() => post(admin, '/sign-in/link', { token })));
    expect(responses.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 404, 404, 404]);
    const demo = responses.find(({ statusCode }) => statusCode === 200);
    expect(demo?.json().data).toMatchObject({
      account: { email: 'demo@localhost', hasPassword: false },
      studios: [{ tenantId: 'demo-studio', role: 'owner' }],
    });
  });

  it('ends after an hour', async () => {
    const token = await tokenOf();
    harness.clock.advance(3_600_000);
    expectGeneralError(await post(admin, '/sign-in/link', { token }), 404, 'link_invalid');
  });

  it('ends when the member sets a password, and when the member signs out everywhere', async () => {
    const grace = await addPerson(harness, admin, 'editor');
    const linkFor = () =>
      createSignInLink(harness.pool, grace, harness.clock.now() + 60_000, {
        name: 'test',
        nowMs: harness.clock.now(),
      });
    const first = await linkFor();
    const newPassword = 'nine purple otters sing';
    await grace.ask('PUT', '/account/password', { currentPassword: PASSWORD, newPassword });
    expectGeneralError(await post(admin, '/sign-in/link', { token: first }), 404, 'link_invalid');
    const second = await linkFor();
    await grace.ask('POST', '/sign-out', { everywhere: true });
    expectGeneralError(await post(admin, '/sign-in/link', { token: second }), 404, 'link_invalid');
    // A new link works: the others were refused because they had ended.
    expect((await post(admin, '/sign-in/link', { token: await linkFor() })).statusCode).toBe(200);
  });

  it.each(['x', 'A'.repeat(43), '\u2028'])('that is forged (%j) is refused', async (token) => {
    expectGeneralError(await post(admin, '/sign-in/link', { token }), 404, 'link_invalid');
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectRefused, PASSWORD, personOf, post, signIn } from '../../support/account-calls.js';
import { type AdminClient, openAdminClient } from '../../support/admin-calls.js';
import { runCommand } from '../../support/command.js';
import { createHarness, type Harness } from '../../support/harness.js';
import { addStudio } from '../../support/session-calls.js';

describe('savepoint admin', () => {
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
  const command = (...args: string[]) => runCommand(harness.databaseUrl, 'admin', ...args);
  const create = (...args: string[]) => command('create', '--email', 'ada@studio.example', ...args);
  const linkIn = (out: string) => /https?:\S+\/console\/sign-in#token=(\S+)/.exec(out) ?? [];

  it('creates the first owner, lists them, and lets them back in when they have lost everything', async () => {
    const created = await create('--role', 'owner', '--name', 'Ada', '--url', 'https://ops.studio.example/x');
    expect(created.code, created.errors).toBe(0);
    const [link, token] = linkIn(created.out);
    expect(link).toMatch(/^https:\/\/ops\.studio\.example\/console\/sign-in#token=/);
    const ada = personOf(admin, await post(admin, '/sign-in/link', { token }));
    expect(await ada.ask('GET', '/me')).toMatchObject({
      name: 'Ada',
      role: 'owner',
      tenantId: 'demo-studio',
    });
    await ada.ask('PUT', '/account/password', { newPassword: PASSWORD });
    expect((await command('list')).out).toMatch(/^ada@studio\.example +Ada +demo-studio +owner +yes +no$/m);

    const reset = await command('reset', '--email', 'ADA@studio.example');
    expect(reset.out).toContain('Sessions ended: 1');
    expectRefused(await ada.call('GET', '/me'), 'session_ended');
    expectRefused(await signIn(admin, 'ada@studio.example', PASSWORD), 'sign_in_refused');
    const [local, again] = linkIn(reset.out);
    expect(local).toMatch(/^http:\/\/127\.0\.0\.1:8081\//);
    const back = personOf(admin, await post(admin, '/sign-in/link', { token: again }));
    await back.ask('PUT', '/account/password', { newPassword: PASSWORD });
    expect((await command('list', '--tenant', 'demo-studio')).out).toContain('ada@studio.example');
  });

  it('makes a person with an account a member of another studio, without a link', async () => {
    await addStudio(harness, 'other-studio', 'other-game');
    // Whoever set the password may not be who has the address.
    const refused = await create('--role', 'viewer', '--tenant', 'other-studio');
    expect([refused.code, linkIn(refused.out)]).toEqual([1, []]);
    expect(refused.errors).toContain('add --existing');
    const created = await create('--role', 'viewer', '--tenant', 'other-studio', '--existing');
    expect(created.out).toContain('they sign in with the password they have');
    expect(linkIn(created.out)).toEqual([]);
    const again = await create('--role', 'owner', '--tenant', 'other-studio', '--existing');
    expect(again.code).toBe(1);
    expect(again.errors).toContain('is a member of other-studio already');
  });

  it('says what it needs', async () => {
    expect((await command('create', '--role', 'owner')).errors).toContain('--email');
    expect((await create()).errors).toContain('--role');
    expect((await create('--role', 'king')).errors).toContain('viewer, editor, owner');
    expect((await command('create', '--email', 'ada', '--role', 'owner')).errors).toContain(
      '--email is "ada"',
    );
    expect((await create('--role', 'owner', '--tenant', 'demo-studioo')).errors).toContain('demo-studio');
    expect((await create('--role', 'owner', '--url', 'ops')).errors).toContain('--url is "ops"');
    expect((await command('reset', '--email', 'nobody@studio.example')).errors).toContain(
      'There is no account',
    );
  });
});

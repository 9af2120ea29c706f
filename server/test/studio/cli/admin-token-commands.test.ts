import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdminClient, openAdminClient } from '../../support/admin-calls.js';
import { runCommand } from '../../support/command.js';
import { createHarness, type Harness } from '../../support/harness.js';
import { addStudio, expectStringError } from '../../support/session-calls.js';

describe('savepoint admin-token', () => {
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
  const command = (...args: string[]) => runCommand(harness.databaseUrl, 'admin-token', ...args);
  const tokenIn = (out: string) => /sp_admin_([0-9a-f]{16})_[A-Za-z0-9_-]{43}/.exec(out) ?? [];

  it('creates a token that works, lists it without showing it again, and revokes it', async () => {
    const created = await command('create', '--role', 'editor', '--name', 'Ada', '--expires-days', '30');
    const [token = '', tokenId = ''] = tokenIn(created.out);
    expect(created.code, created.errors).toBe(0);
    const me = await admin.ask('GET', '/me', undefined, token);
    expect(me).toMatchObject({ tokenId, name: 'Ada', role: 'editor', tenantId: 'demo-studio' });
    const days = (Date.parse(String(me.expiresAt)) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(29.9);
    expect(days).toBeLessThanOrEqual(30);

    const listed = await command('list');
    expect(listed.out).toMatch(
      new RegExp(`^${tokenId} {2}demo-studio {2}editor .* active until .* {2}Ada$`, 'm'),
    );
    expect(listed.out).not.toContain(token.slice(-43));

    expect((await command('revoke', tokenId)).out).toBe(`Revoked ${tokenId}.\n`);
    expectStringError(await admin.call('GET', '/me', undefined, token), 401, 'token_invalid');
    expect((await command('revoke', tokenId)).errors).toContain('There is no active token');
    expect((await command('list')).out).toMatch(new RegExp(`^${tokenId} .* revoked `, 'm'));

    const { rows } = await harness.pool.query(
      `select action, target, before, after::jsonb - 'expiresAt' as after, audit_log::text as line
       from audit_log where target = $1 order by id`,
      [`admin token ${tokenId}`],
    );
    expect(rows).toMatchObject([
      { action: 'admin_token.create', before: null, after: { name: 'Ada', role: 'editor' } },
      { action: 'admin_token.revoke', before: { name: 'Ada', role: 'editor' }, after: null },
    ]);
    for (const { line } of rows) expect(line).not.toContain(token.slice(-43));
  });

  it('says what it needs', async () => {
    expect((await command('create')).errors).toContain('--role');
    expect((await command('create', '--role', 'king')).errors).toContain('viewer, editor, owner');
    for (const days of ['0', '3651', 'x', '-1', '1.5']) {
      const { code, errors } = await command('create', '--role', 'owner', `--expires-days=${days}`);
      expect(code).toBe(1);
      expect(errors).toContain('--expires-days');
    }
    expect((await command('create', '--role', 'owner', '--name', ' ')).errors).toContain('--name');
    const unknown = await command('create', '--role', 'owner', '--tenant', 'nobody');
    expect(unknown.errors).toContain('There is no tenant "nobody". List them: savepoint tenant list');
  });

  it('asks which studio where there are several', async () => {
    await addStudio(harness, 'other-studio', 'other-game');
    const { code, errors, out } = await command('create', '--role', 'owner');
    expect(code).toBe(1);
    expect(errors).toContain('Say which one with --tenant: demo-studio, other-studio');
    expect(tokenIn(out)).toEqual([]);
    const created = await command('create', '--role', 'owner', '--tenant', 'other-studio');
    const [token] = tokenIn(created.out);
    expect(await admin.ask('GET', '/me', undefined, token)).toMatchObject({
      tenantId: 'other-studio',
      expiresAt: null,
    });
    expect((await command('list', '--tenant', 'other-studio')).out.trim().split('\n')).toHaveLength(1);
  });
});

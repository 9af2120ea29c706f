import { afterAll, beforeAll, expect, it } from 'vitest';
import { deleteExpiredAccess } from '../../../src/studio/accounts/account-expiry.js';
import { createHarness, type Harness } from '../../support/harness.js';

let harness: Harness;
beforeAll(async () => {
  harness = await createHarness();
});
afterAll(() => harness.close());

it('deletes only sessions, links, invitations and windows with an open draft that have expired', async () => {
  const { pool, clock } = harness;
  await pool.query(
    `insert into accounts (id, email, email_key, name, created_at)
     values ('00000000-0000-4000-8000-000000000001', 'a@b', 'a@b', 'A', now())`,
  );
  const ends = [clock.now() - 1, clock.now(), clock.now() + 1].map((ms) => new Date(ms));
  for (const [n, end] of ends.entries()) {
    await pool.query(
      `insert into account_sessions (token_hash, account_id, created_at, seen_at, expires_at)
       values ($1, '00000000-0000-4000-8000-000000000001', now(), now(), $2)`,
      [Buffer.of(n), end],
    );
    await pool.query("insert into sign_in_links values ($1, '00000000-0000-4000-8000-000000000001', $2)", [
      Buffer.of(n),
      end,
    ]);
    await pool.query(
      `insert into invitations (id, tenant_id, email, email_key, role, token_hash, invited_by, created_at, expires_at)
       select gen_random_uuid(), id, '', $1, 'viewer', $2, '', now(), $3 from tenants limit 1`,
      [`${n}@b`, Buffer.of(n), end],
    );
    await pool.query(
      `insert into draft_editors (game_id, account_id, window_id, opened_at, expires_at)
       select id, '00000000-0000-4000-8000-000000000001', gen_random_uuid(), now(), $1 from games limit 1`,
      [end],
    );
  }
  expect(await deleteExpiredAccess(pool, clock.now())).toBe(8);
  for (const table of ['account_sessions', 'sign_in_links', 'invitations', 'draft_editors']) {
    const { rows } = await pool.query(`select expires_at as at from ${table}`);
    expect(rows, table).toEqual([{ at: clock.now() + 1 }]);
  }
  expect(await deleteExpiredAccess(pool, clock.now())).toBe(0);
});

import { expect, it } from 'vitest';
import { demoSignInPathIfPossible } from '../../src/app/demo-account.js';
import { createPool } from '../../src/platform/db/pool.js';

it('a database that is away when the sign-in link is due costs the link, not the start', async () => {
  const url = 'postgresql://127.0.0.1:1/nowhere';
  const pool = createPool({ url, size: 1, timeoutMs: 60_000, onError: () => {} });
  const warnings: unknown[][] = [];
  const logger = { warn: (...line: unknown[]) => void warnings.push(line) };
  try {
    expect(await demoSignInPathIfPossible(pool, logger)).toBeUndefined();
  } finally {
    await pool.end();
  }
  expect(warnings).toEqual([
    [
      { err: expect.objectContaining({ code: 'ECONNREFUSED' }) },
      expect.stringContaining('savepoint admin reset --email demo@localhost'),
    ],
  ]);
});

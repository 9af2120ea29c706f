import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkAppleRoot } from '../../../src/app/cli/doctor-apple-root.js';
import { readSettings } from '../../../src/platform/settings/settings.js';
import { runCommandWith } from '../../support/command.js';
import { createTestStores, type TestStores } from '../../support/store-receipts.js';

describe('certificates that are not of Apple', () => {
  let stores: TestStores;
  let folder: string;
  beforeAll(() => {
    stores = createTestStores();
    folder = mkdtempSync(join(tmpdir(), 'savepoint-fake-store-'));
  });
  afterAll(() => {
    stores.remove();
    rmSync(folder, { recursive: true });
  });

  it('are not made in production', async () => {
    const { code, errors } = await runCommandWith(
      { SAVEPOINT_ENV: 'production', SAVEPOINT_DATA_DIR: folder },
      'fake-store',
    );
    expect(code).toBe(1);
    expect(errors).toContain('does not run in production');
    expect(errors).toContain('SAVEPOINT_ENV=development');
    expect(existsSync(join(folder, 'fake-store'))).toBe(false);
  });

  it('are named by doctor', async () => {
    const read = readSettings(
      { SAVEPOINT_ENV: 'development', SAVEPOINT_APPLE_ROOT_FILE: stores.appleRootFile },
      { tty: false },
    );
    if (!read.ok) throw new Error(read.problems.join('\n'));
    expect(await checkAppleRoot(read.settings)).toEqual([
      { name: expect.stringContaining('SHA-256'), warning: expect.stringContaining("not Apple's") },
    ]);
  });
});

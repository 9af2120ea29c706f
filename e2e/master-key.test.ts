/** @module-tag full */
import { randomBytes } from 'node:crypto';
import { readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { newInstallation, removeInstallations } from './support/installation.js';
import { runHere } from './support/run-here.js';
import { launch, login, startService } from './support/service.js';

afterAll(removeInstallations);

const newKey = () => randomBytes(32).toString('base64');

/** Expects that a start is refused with one sentence: without a stack trace, and without workers that die again and again. */
async function expectRefusal(settings: Record<string, string>, sentence: RegExp): Promise<void> {
  const { exit, output } = launch(settings);
  expect(await exit, output()).toBe(1);
  expect(output()).toMatch(sentence);
  expect(output()).not.toMatch(/^ {4}at |worker died/m);
}

describe('a wrong master key', () => {
  it('ends a start in production; after a rotation the old key is the wrong one', async () => {
    const [first, second] = [newKey(), newKey()];
    const production = {
      ...(await newInstallation()),
      SAVEPOINT_ENV: 'production',
      SAVEPOINT_HOST: '127.0.0.1',
      SAVEPOINT_WORKERS: '1',
    };
    const withKey = (key: string) => ({ ...production, SAVEPOINT_MASTER_KEY: key });
    const service = await startService(withKey(first));
    await service.interrupt();

    const wrong =
      /^Wrong master key: this database has 1 signing key and the key of forgotten devices sealed under master key [0-9a-f]{8}, and /m;
    await expectRefusal(withKey(second), wrong);
    const rotation = await runHere(['master-key', 'rotate'], withKey(`${second},${first}`));
    expect(rotation).toMatchObject({ code: 0, output: expect.stringContaining(', 1 signing keys, ') });
    await expectRefusal(withKey(first), wrong);
    const again = await startService(withKey(second));
    expect(await again.interrupt()).toBe(0);
  });

  it('ends a start in development, where the key file was emptied; with the file restored the service starts as before', async () => {
    const settings = { ...(await newInstallation()), SAVEPOINT_WORKERS: '1' };
    const service = await startService(settings);
    const { userId } = await login(service.api, 'phone');
    await service.interrupt();

    const file = join(settings.SAVEPOINT_DATA_DIR, 'master-key');
    const key = await readFile(file, 'utf8');
    await truncate(file, 0);
    await expectRefusal(
      settings,
      /^The file \S+master-key is missing or empty, .* Put the file back from a backup/m,
    );
    await writeFile(file, key);
    const again = await startService(settings);
    expect((await login(again.api, 'phone')).userId).toBe(userId);
    await again.interrupt();
  });
});

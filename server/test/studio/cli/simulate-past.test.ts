import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCommand } from '../../support/command.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'savepoint-past-'));
});
afterAll(() => rm(folder, { recursive: true }));

it('savepoint simulate leaves no past where it has no database', async () => {
  const secret = join(folder, 'secret');
  await writeFile(secret, 'secret');
  const key = ['--api-key', 'key', '--api-secret-file', secret, '--url', 'http://127.0.0.1:9'];
  const asked = await runCommand('postgres://127.0.0.1:9/none', 'simulate', '--past', ...key);
  expect(asked).toMatchObject({ code: 1 });
  expect(asked.errors).toContain('--past needs the database of the game');
  const notAsked = await runCommand('postgres://127.0.0.1:9/none', 'simulate', ...key);
  expect(notAsked.errors).toContain('The service does not respond at http://127.0.0.1:9');
});

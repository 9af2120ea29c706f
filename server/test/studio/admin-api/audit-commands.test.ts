import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { generateMasterKey } from '../../../src/platform/security/master-keys.js';
import { COMMAND_STEPS, type CommandWorld } from '../../support/audit-command-steps.js';
import { entriesAfter, lastEntryId } from '../../support/audit-steps.js';
import { runCommandUnder } from '../../support/command.js';
import { createHarness } from '../../support/harness.js';

/** Every command that changes something leaves one entry. audit-coverage.test.ts checks that all commands are listed. */

let world: CommandWorld;
let folder: string;
const secrets: string[] = [];

beforeAll(async () => {
  const masterKey = generateMasterKey();
  folder = await mkdtemp(join(tmpdir(), 'savepoint-audit-'));
  world = {
    harness: await createHarness({ masterKey }),
    masterKey,
    printed: new Map(),
    async file(name, content) {
      const path = join(folder, name);
      await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
      return path;
    },
  };
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await world.harness.close();
});

for (const [name, step] of Object.entries(COMMAND_STEPS)) {
  if ('reason' in step) continue;
  it(`savepoint ${name} leaves one ${step.action}`, async () => {
    const { pool, databaseUrl } = world.harness;
    const args = [...name.split(' '), ...(await step.call(world))];
    const before = await lastEntryId(pool);
    const { out, errors, code } = await runCommandUnder(world.masterKey, databaseUrl, ...args);
    expect(code, errors).toBe(0);
    world.printed.set(name, out);
    secrets.push(
      ...[...out.matchAll(/(?:secret +|sp_admin_[0-9a-f]+_|token=|sp_(?:live|dev)_\S+ +)(\S{40,})/gi)].map(
        ([, text]) => text ?? '',
      ),
    );
    const isOfAll = /^(?:signing|master)-key/.test(name);
    expect(await entriesAfter(pool, before)).toEqual([
      {
        id: expect.any(String),
        tenant: isOfAll ? null : expect.stringMatching(/^(?:acme|demo-studio)$/),
        actor: `${userInfo().username}@${hostname()}`,
        action: step.action,
        target: expect.stringContaining(step.target),
      },
    ]);
  });
}

it('no secret that a command printed is in the log', async () => {
  expect(secrets).toHaveLength(6);
  const { rows } = await world.harness.pool.query<{ line: string }>(
    'select a::text as line from audit_log a',
  );
  const text = rows.map(({ line }) => line).join('\n');
  for (const secret of [...secrets, ...world.masterKey.split(','), 'dev-secret'])
    expect(text).not.toContain(secret);
});

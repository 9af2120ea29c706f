import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkReactions } from '../../../src/experiments/cli/react-check.js';
import { generateMasterKey } from '../../../src/platform/security/master-keys.js';
import { experiment } from '../../decide/support/fixtures.js';
import { type AdminClient, openAdminClient } from '../../support/admin-calls.js';
import { runCommandWith } from '../../support/command.js';
import { createHarness, type Harness } from '../../support/harness.js';
import { at, publish } from '../support/experiment-world.js';

/** A run with reacting players lasts for days, so its mistakes are told before it begins. */

const masterKey = generateMasterKey();
let harness: Harness;
let admin: AdminClient;
let folder: string;
let url: string;
let adminUrl: string;

beforeAll(async () => {
  harness = await createHarness({ masterKey });
  admin = await openAdminClient(harness);
  const { rows } = await harness.pool.query<{ id: number }>("select id from games where slug = 'demo-game'");
  const experiments = [experiment('first_offer'), experiment('later', { state: 'planned', seed: '2' })];
  await publish(harness, Number(rows[0]?.id), experiments, { nowMs: at(1) });
  url = await harness.app.listen({ port: 0 });
  adminUrl = await admin.app.listen({ port: 0 });
  folder = await mkdtemp(join(tmpdir(), 'savepoint-react-'));
});
afterAll(async () => {
  await admin.close();
  await harness.close();
  await rm(folder, { recursive: true, force: true });
});

const simulate = (react: string, ...args: string[]) =>
  runCommandWith(
    {
      // Of the key of the demo game.
      SAVEPOINT_ENV: 'development',
      SAVEPOINT_MASTER_KEY: masterKey,
      SAVEPOINT_DATA_DIR: folder,
      DATABASE_URL: harness.databaseUrl,
    },
    ...['simulate', '--speed', 'real', '--state', join(folder, 'state'), '--url', url],
    ...['--react', react, ...args],
  );

async function tokenFile(token: string): Promise<string[]> {
  const file = join(folder, `token-${token.slice(-8)}`);
  await writeFile(file, token);
  return ['--admin-token-file', file, '--admin-url', adminUrl];
}

describe('a rehearsal is refused before it begins', () => {
  it.each([
    [
      'an unknown experiment',
      'nope:b:spend=+1%',
      'the published version of the game has no experiment "nope".',
    ],
    ['an experiment that is only planned', 'later:b:spend=+1%', 'later does not run, its state is planned.'],
    ['an unknown arm', 'first_offer:half:spend=+1%', 'first_offer has no variant "half". It has a, b.'],
  ])('with %s', async (_what, react, message) => {
    const withToken = await tokenFile(admin.tokens.viewer);
    for (const args of [[], withToken]) {
      const { errors, code } = await simulate(react, ...args);
      expect(errors).toContain(message);
      expect(code).toBe(1);
    }
  });

  it('with a token that the service refuses', async () => {
    const { errors, code } = await simulate('first_offer:b:spend=+1%', ...(await tokenFile('sp_admin_x')));
    expect(errors).toContain(`the admin API at ${adminUrl} responds with status 401: Invalid authentication`);
    expect(code).toBe(1);
  });

  it('where the admin API does not respond', async () => {
    const [option = '', file = ''] = await tokenFile(admin.tokens.viewer);
    const nowhere = [option, file, '--admin-url', 'http://127.0.0.1:9'];
    const { errors, code } = await simulate('first_offer:b:spend=+1%', ...nowhere);
    expect(errors).toContain('the admin API at http://127.0.0.1:9 does not respond.');
    expect(code).toBe(1);
  });
});

it('lets a rehearsal of an arm that players are told begin', async () => {
  const reactions = {
    experimentId: 'first_offer',
    changes: { b: { conversion: 1, spend: 1.01, retention: 1 } },
  };
  const token = admin.tokens.viewer;
  await checkReactions(reactions, { admin: { url: adminUrl, token }, game: 'demo-game', gameId: undefined });
});

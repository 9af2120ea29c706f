import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateMasterKey } from '../../../src/platform/security/master-keys.js';
import { finished, runCommandUnder, SAVEPOINT, startCommand } from '../../support/command.js';
import { createGameWorld, type GameWorld } from '../../support/game-world.js';

let world: GameWorld;
beforeAll(async () => {
  world = await createGameWorld();
  await world.addGame('rocket');
  await world.pool.query(
    "insert into tenants (slug, name, created_at) values ('acme', 'Acme \u001b[31m', '2026-11-15T12:00:00Z')",
  );
  await world.pool.query("update tenants set created_at = '2026-11-14T12:00:00Z' where slug = 'studio'");
});
afterAll(() => world.close());

const masterKey = generateMasterKey();
const savepoint = (...args: string[]) => runCommandUnder(masterKey, world.url, ...args);

describe('lists', () => {
  it('show the studios and the games of all or one of them', async () => {
    expect(await savepoint('tenant', 'list')).toMatchObject({
      code: 0,
      errors: '',
      out: [
        'tenant  name             games  created',
        'acme    Acme \\u001b[31m      0  2026-11-15T12:00:00.000Z',
        'studio  studio               1  2026-11-14T12:00:00.000Z',
        '',
      ].join('\n'),
    });
    await savepoint('key', 'create', '--tenant', 'studio', '--game', 'rocket');
    await savepoint(
      ...['game', 'set', 'rocket', '--tenant', 'studio', '--retention-days', '90'],
      ...['--unregistered-types', 'hold'],
    );
    const games = [
      'tenant  game    name    version  keys  events kept  unregistered types',
      'studio  rocket  rocket        0     1  90 days      hold',
      '',
    ].join('\n');
    expect((await savepoint('game', 'list')).out).toBe(games);
    expect((await savepoint('game', 'list', '--tenant', 'studio')).out).toBe(games);
    expect((await savepoint('game', 'list', '--tenant', 'acme')).out).toBe(
      'There is no game yet. Create one: savepoint game create <game-id> --tenant acme\n',
    );
  });
});

describe('a misspelt name gets the nearest one', () => {
  const NO_TENANT = 'There is no tenant "stduio". Did you mean "studio"? List them: savepoint tenant list';
  const NO_GAME =
    'There is no game "roket" of tenant "studio". Did you mean "rocket"? List them: savepoint game list --tenant studio';
  it.each([
    [['game', 'list', '--tenant', 'stduio'], NO_TENANT],
    [['game', 'create', 'x', '--tenant', 'stduio'], NO_TENANT],
    [['game', 'set', 'x', '--tenant', 'stduio', '--retention-days', 'keep'], NO_TENANT],
    [['key', 'list', '--tenant', 'stduio'], NO_TENANT],
    [['admin-token', 'list', '--tenant', 'stduio'], NO_TENANT],
    [['admin-token', 'create', '--role', 'viewer', '--tenant', 'stduio'], NO_TENANT],
    [['config', 'list', '--tenant', 'stduio', '--game', 'rocket'], NO_TENANT],
    [['config', 'list', '--tenant', 'studio', '--game', 'roket'], NO_GAME],
    [['key', 'create', '--tenant', 'studio', '--game', 'roket'], NO_GAME],
    [['key', 'list', '--tenant', 'studio', '--game', 'roket'], NO_GAME],
    [
      ['key', 'list', '--game', 'roket'],
      'There is no game "roket". Did you mean "rocket"? List them: savepoint game list',
    ],
    [
      ['config', 'list', '--tenant', 'acme', '--game', 'rocket'],
      'There is no game "rocket" of tenant "acme". Create it: savepoint game create rocket --tenant acme',
    ],
    [
      ['tennant', 'list'],
      "error: unknown command 'tennant'\n(Did you mean tenant?)\n(savepoint --help says more)",
    ],
    [
      ['key', 'creat'],
      "error: unknown command 'creat'\n(Did you mean create?)\n(savepoint key --help says more)",
    ],
    // A mandatory option, which is missing as well.
    [
      ['key', 'create', '--tennant', 'studio', '--game', 'rocket'],
      "error: unknown option '--tennant'\n(Did you mean --tenant?)\n(savepoint key create --help says more)",
    ],
    [
      ['key', 'create', '--tenant', 'studio', '--gaem=rocket'],
      "error: unknown option '--gaem'\n(Did you mean --game?)\n(savepoint key create --help says more)",
    ],
    [
      ['rollups', 'show', '--tenant', 'studio', '--game', 'rocket', '--dyas', '3'],
      "error: unknown option '--dyas'\n(Did you mean --days?)\n(savepoint rollups show --help says more)",
    ],
    [
      ['key', 'create', '--tenant', 'studio'],
      "error: required option '--game <game-id>' not specified\n(savepoint key create --help says more)",
    ],
  ])('%j', async (args, sentence) => {
    const { code, out, errors } = await savepoint(...args);
    expect({ code, out, errors: errors.trim() }).toEqual({ code: 1, out: '', errors: sentence });
  });
});

it('help and version are no mistakes', async () => {
  expect(await savepoint('--version')).toMatchObject({ code: 0, errors: '' });
  const { code, out, errors } = await savepoint('key', 'create', '--help');
  expect({ code, errors }).toEqual({ code: 0, errors: '' });
  expect(out).toContain('Usage: savepoint key create');
});

describe('a reader that has gone', () => {
  const withoutReader = async (...args: string[]) => {
    const child = startCommand(world.url, ...args);
    child.stdout.destroy();
    const [errors, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    return { errors, code };
  };

  it.each([[['config', 'attributes']], [['game', 'list']], [['--help']]])(
    'ends %j quietly',
    {
      tags: ['full'],
    },
    async (args) => {
      expect(await withoutReader(...args)).toEqual({ errors: '', code: 0 });
    },
  );

  it('keeps no command from what it was asked to do', async () => {
    expect(await withoutReader('game', 'create', 'unseen', '--tenant', 'acme')).toEqual({
      errors: '',
      code: 0,
    });
    expect((await savepoint('game', 'list', '--tenant', 'acme')).out).toContain('unseen');
    const failed = await withoutReader('game', 'create', 'unseen', '--tenant', 'acme');
    expect(failed).toEqual({ errors: '\nThere is a game "unseen" of acme already.\n', code: 1 });
  });
});

it.skipIf(process.platform !== 'linux')(
  'output that cannot be written is said, and fails the command',
  async () => {
    const script = 'exec "$0" "$1" config attributes > /dev/full';
    const { code, errors } = await finished(spawn('sh', ['-c', script, process.execPath, SAVEPOINT]));
    expect({ code, errors }).toEqual({
      code: 1,
      errors: 'The output cannot be written: ENOSPC: no space left on device, write\n',
    });
  },
);

/** @module-tag full */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { applyEvents } from '../../../src/core/events/apply/apply-events.js';
import { generateMasterKey } from '../../../src/platform/security/master-keys.js';
import { finished, startCommand, startCommandUnder } from '../../support/command.js';
import { startDatabaseProxy } from '../../support/database-proxy.js';
import {
  adImpressionAt,
  createGameWorld,
  DAY_MS,
  type GameWorld,
  type TestPlayer,
  toRecords,
} from '../../support/game-world.js';

const NOW = Date.now();
const GAME = ['--tenant', 'studio', '--game', 'game'];
const EXPORT = ['export', 'events', ...GAME, '--from', '2020-01-01', '--to', '2100-01-01'];
const PLAYER = '0199c1a2-7b3c-7d4e-8f5a-6b7c8d9e0f1a';
/** Two pages of an export, each of which is more than a pipe holds. */
const EVENTS = 4_000;

const NOTHING_CHANGED = 'Interrupted. Nothing was changed.\n';
const ROLLED_BACK = 'Interrupted. A change that was not committed was rolled back.\n';

/** A command that waits for a lock would wait for as long as the lock is held: for ever, here. */
describe('an interrupted command', () => {
  let world: GameWorld;
  let holder: pg.Client;
  let watcher: pg.Client;
  let folder: string;
  /** Sessions of the test itself. */
  let others: number[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'savepoint-interrupt-'));
    world = await createGameWorld();
    const [player] = (await world.addPlayers(await world.addGame('game'), [NOW - 60 * DAY_MS])) as [
      TestPlayer,
    ];
    for (let n = 0; n < EVENTS; n += 500) {
      const events = Array.from({ length: 500 }, (_, i) => adImpressionAt(NOW - 50 * DAY_MS, n + i));
      await applyEvents(world.pool, toRecords(player, events, NOW - 50 * DAY_MS));
    }
    await world.pool.query('update games set retention_days = 30');
    watcher = new pg.Client({ connectionString: world.url });
    await watcher.connect();
  });
  afterAll(async () => {
    await watcher.end();
    await world.close();
    await rm(folder, { recursive: true });
  });
  beforeEach(async () => {
    holder = new pg.Client({ connectionString: world.url });
    await holder.connect();
    await holder.query('begin');
    others = (await listSessions()).map(({ pid }) => pid);
  });
  afterEach(() => holder.end());

  type Session = { pid: number; state: string; waits: boolean; query: string };
  const listSessions = async (): Promise<Session[]> => {
    const { rows } = await watcher.query<Session>(
      `select pid, state, coalesce(wait_event_type = 'Lock', false) as waits, query
       from pg_stat_activity where datname = current_database() and backend_type = 'client backend'`,
    );
    return rows;
  };
  const sessions = async () => (await listSessions()).filter(({ pid }) => !others.includes(pid));
  const isWaiting = () => expect.poll(async () => (await sessions()).some(({ waits }) => waits)).toBe(true);
  /** While the lock is still held. */
  const noneIsLeft = () => expect.poll(sessions).toEqual([]);
  const hold = (table: string) =>
    holder.query(`lock table ${holder.escapeIdentifier(table)} in access exclusive mode`);

  it.each(['SIGINT', 'SIGTERM'] as const)('ends its statement in PostgreSQL, by %s', async (signal) => {
    await hold('event_blocks');
    const child = startCommand(world.url, 'rollups', 'check', ...GAME);
    const ended = finished(child);
    await isWaiting();
    child.kill(signal);
    expect(await ended).toEqual({ code: 130, out: '', errors: NOTHING_CHANGED });
    await noneIsLeft();
  });

  it.each([
    [['tenant', 'create', 'acme'], 'tenants', ROLLED_BACK],
    [['config', 'show', ...GAME], 'games', ROLLED_BACK],
    [['config', 'dry-run', ...GAME], 'players', NOTHING_CHANGED],
    [['explain', ...GAME, '--player', PLAYER], 'players', NOTHING_CHANGED],
    [
      ['failed-events', 'replay', ...GAME, '--code', 'schema_mismatch'],
      'failed_events',
      'Interrupted. Entries that were replayed stay so. Run the command again for the others.\n',
    ],
    [['audit', 'list'], 'schema_migrations', ROLLED_BACK],
    [['doctor'], 'schema_migrations', NOTHING_CHANGED],
    [
      ['migrate'],
      'schema_migrations',
      'Interrupted. Migrations that were finished stay. Run the command again to go on.\n',
    ],
  ])('says what became of it: %j', async (args, table, sentence) => {
    await hold(table);
    // Without a master key, doctor only says that it is missing. The others would refuse this one: it is not the world's.
    const child =
      args[0] === 'doctor'
        ? startCommandUnder(generateMasterKey(), world.url, ...args)
        : startCommand(world.url, ...args);
    const ended = finished(child);
    await isWaiting();
    child.kill('SIGINT');
    expect(await ended).toEqual({ code: 130, out: '', errors: sentence });
    await noneIsLeft();
  });

  it('leaves no change behind', async () => {
    await hold('tenants');
    const child = startCommand(world.url, 'tenant', 'create', 'unborn');
    const ended = finished(child);
    await isWaiting();
    child.kill('SIGINT');
    await ended;
    await noneIsLeft();
    await holder.query('commit');
    expect((await holder.query("select from tenants where slug = 'unborn'")).rowCount).toBe(0);
  });

  it('that waits for its turn to migrate is not waited for', async () => {
    await hold('schema_migrations');
    const first = startCommand(world.url, 'migrate');
    const firstEnded = finished(first);
    await isWaiting();
    const second = startCommand(world.url, 'migrate');
    const secondErrors = text(second.stderr);
    const secondExit = new Promise((resolve) => second.once('exit', resolve));
    for await (const chunk of second.stdout) if (String(chunk).includes('Another node is migrating')) break;
    second.kill('SIGINT');
    expect(await secondExit).toBe(130);
    expect(await secondErrors).toContain('Run the command again to go on.');
    first.kill('SIGINT');
    expect(await firstEnded).toMatchObject({ code: 130 });
    await noneIsLeft();
  });

  describe('that exports', () => {
    it('to a pipe ends its statement', async () => {
      await hold('players');
      const child = startCommand(world.url, ...EXPORT);
      const ended = finished(child);
      await isWaiting();
      child.kill('SIGINT');
      expect(await ended).toEqual({
        code: 130,
        out: '',
        errors: 'Interrupted. The output is not complete.\n',
      });
      await noneIsLeft();
    });

    it('to a pipe that nobody reads does not wait for a reader', async () => {
      const child = startCommand(world.url, ...EXPORT);
      const errors = text(child.stderr);
      const exit = new Promise((resolve) => child.once('exit', resolve));
      // The first page does not fit into the pipe, so the second one is the last that is read, in a transaction of its own.
      await expect
        .poll(async () =>
          (await sessions()).some((s) => s.state === 'idle' && /event_rows|^commit$/.test(s.query)),
        )
        .toBe(true);
      child.kill('SIGINT');
      expect(await exit).toBe(130);
      expect(await errors).toBe('Interrupted. The output is not complete.\n');
      await noneIsLeft();
      child.stdout.destroy();
    });

    it('to a file says how to go on, and goes on', async () => {
      const file = join(folder, 'events.ndjson');
      await hold('players');
      const child = startCommand(world.url, ...EXPORT, '--out', file);
      const ended = finished(child);
      await isWaiting();
      child.kill('SIGINT');
      expect(await ended).toEqual({
        code: 130,
        out: '',
        errors: 'Interrupted after 0 events. Go on with the same command and --resume.\n',
      });
      await noneIsLeft();
      await holder.query('rollback');
      const again = await finished(startCommand(world.url, ...EXPORT, '--out', file, '--resume'));
      expect(again).toMatchObject({ code: 0, errors: expect.stringContaining('Exported 4,000 events') });
      expect((await readFile(file, 'utf8')).split('\n')).toHaveLength(EVENTS + 1);
    });
  });

  it('that deletes events stops, and the next run goes on', async () => {
    await hold('event_blocks_default');
    const child = startCommand(world.url, 'retention', 'run');
    const ended = finished(child);
    await isWaiting();
    child.kill('SIGINT');
    expect(await ended).toMatchObject({
      code: 130,
      errors:
        'Interrupted. Dropped 0 partitions and deleted 0 events one by one. The next run goes on from here.\n',
    });
    await noneIsLeft();
    await holder.query('rollback');
    const again = await finished(startCommand(world.url, 'retention', 'run'));
    expect(again).toMatchObject({ code: 0, out: expect.stringContaining('deleted 4,000 events') });
  });

  it('says so if PostgreSQL cannot be asked', async () => {
    await hold('event_blocks');
    const proxy = await startDatabaseProxy(world.url);
    try {
      const child = startCommand(proxy.url, 'rollups', 'check', ...GAME);
      const ended = finished(child);
      await isWaiting();
      proxy.silence();
      child.kill('SIGINT');
      const { code, errors } = await ended;
      expect(code).toBe(130);
      expect(errors).toMatch(
        /^Interrupted\. Nothing was changed\. PostgreSQL could not be told to end the command's work, which may still be running there: .+\.\n$/,
      );
    } finally {
      await proxy.close();
    }
  });
});

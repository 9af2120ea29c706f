import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { recountGame } from '../../../src/insight/analytics/recount.js';
import { generateMasterKey } from '../../../src/platform/security/master-keys.js';
import { runCommandUnder, startCommandUnder } from '../../support/command.js';
import { createGameWorld, type GameWorld } from '../../support/game-world.js';

const LINES = 3_500;
/** A line of the third chunk: the command waits for this player there. */
const HELD_LINE = 2_500;
const WAIT = { timeout: 60_000, interval: 50 };

let world: GameWorld;
let gameId: number;
let folder: string;
beforeAll(async () => {
  world = await createGameWorld();
  gameId = await world.addGame('game');
  folder = await mkdtemp(join(tmpdir(), 'savepoint-import-'));
});
afterAll(async () => {
  await world.close();
  await rm(folder, { recursive: true });
});

const GAME = ['--tenant', 'studio', '--game', 'game'];
const masterKey = generateMasterKey();
const run = (...args: string[]) => runCommandUnder(masterKey, world.url, ...args, ...GAME);

const userIdOf = (n: number) => `0199c1a2-7b3c-7d4e-8f5a-${String(n).padStart(12, '0')}`;
/** Of every tenth purchase a store has told a refund: the line comes before that of the purchase. */
const isRefund = (n: number) => n % 100 === 5;
const refundOf = (n: number) =>
  JSON.stringify({
    kind: 'transactionChange',
    userId: userIdOf(n / 10),
    transactionId: `t${n}`,
    change: 'notice',
    at: '2025-03-02T00:00:00.000Z',
    recordedAt: '2025-03-02T00:00:00.000Z',
    share: '1',
    refundedAt: '2025-03-02T00:00:00.000Z',
  });
/** Ten lines of each player, all received on one day. */
const lineOf = (n: number) =>
  JSON.stringify({
    userId: userIdOf(Math.floor(n / 10)),
    eventType: n % 10 === 0 ? 'Purchase' : 'Session_Start',
    timestamp: new Date(Date.parse('2025-03-01T00:00:00.000Z') + n).toISOString(),
    payload: n % 10 === 0 ? { transactionId: `t${n}`, skuId: 'gems', price: 1, currency: 'USD' } : { n },
  });

it('is killed in the middle, and goes on where it was; then the file is known', async () => {
  const file = join(folder, 'events.ndjson');
  const lines = Array.from({ length: LINES }, (_, n) => {
    if (n === 7) return 'no json';
    return isRefund(n) ? refundOf(n + 5) : lineOf(n);
  });
  await writeFile(file, `${lines.join('\n')}\n`);
  const players = join(folder, 'players.ndjson');
  const held = userIdOf(HELD_LINE / 10);
  await writeFile(players, `{"userId":"${held}","createdAt":"2025-02-01T00:00:00Z"}\n`);
  expect(await run('import', 'players', '--file', players)).toMatchObject({
    out: '1 players and devices imported, 0 known already, 0 lines rejected\n',
    code: 0,
  });

  const holder = await world.pool.connect();
  await holder.query('begin');
  await holder.query('select from players where user_id = $1 for update', [held]);
  const importing = ['import', 'events', '--file', file, '--no-pauses', ...GAME];
  const command = startCommandUnder(masterKey, world.url, ...importing);
  const exited = once(command, 'exit');
  const doneLines = async () => {
    const { rows } = await world.pool.query<{ n: string }>(
      "select done_lines as n from history_imports where kind = 'events'",
    );
    return Number(rows[0]?.n ?? 0);
  };
  await vi.waitUntil(async () => (await doneLines()) === 2_000, WAIT);
  command.kill('SIGKILL');
  await exited;
  await holder.query('rollback');
  holder.release();
  // The locks of the killed command end with its connections.
  const isLocked =
    "select from pg_locks l join pg_stat_activity a using (pid) where l.locktype = 'advisory' and a.datname = current_database()";
  await vi.waitUntil(async () => (await world.pool.query(isLocked)).rowCount === 0, WAIT);
  expect(await doneLines()).toBe(2_000);

  const { out, errors, code } = await run('import', 'events', '--file', file, '--no-pauses');
  const summary = `${(LINES - 1).toLocaleString('en-US')} lines imported, 0 known already, 1 lines rejected\n`;
  expect({ out, code }).toEqual({
    out: `${summary}Rejected lines, with the reasons: ${file}.rejects\n`,
    code: 0,
  });
  // The first run has told of the bad line. On a slow machine there is progress to be seen.
  expect(errors).not.toMatch(/^line \d/m);
  expect(JSON.parse(await readFile(`${file}.rejects`, 'utf8'))).toMatchObject({ line: 8, text: 'no json' });
  const { rows } = await world.pool.query(
    "select sum(events)::int as events, sum(purchases)::int as purchases, jsonb_total(revenue) ->> 'USD' as usd from game_days",
  );
  const counted = LINES / 10 - LINES / 100;
  expect(rows).toEqual([{ events: LINES - 1 - LINES / 100, purchases: counted, usd: String(counted) }]);
  expect((await recountGame(world.pool, gameId)).differences).toEqual([]);

  expect(await run('import', 'events', '--file', file)).toMatchObject({
    out: `The file has been imported before: ${summary}`,
    code: 0,
  });
});

it('says which lines are bad, and which file cannot be read', async () => {
  const file = join(folder, 'bad.ndjson');
  await writeFile(file, `${lineOf(1).replace('"payload"', '"load"')}\n`);
  const bad = await run('import', 'events', '--file', file);
  expect(bad).toMatchObject({ errors: 'line 1: payload must be an object.\n', code: 0 });
  const missing = await run('import', 'events', '--file', join(folder, 'missing.ndjson'));
  expect(missing.code).toBe(1);
  expect(missing.errors).toContain('missing.ndjson cannot be read');
  const unfinished = join(folder, 'cut.ndjson.gz');
  await writeFile(unfinished, Buffer.from('1f8b08000000', 'hex'));
  const cut = await run('import', 'events', '--file', unfinished);
  expect(cut.code).toBe(1);
  expect(cut.errors).toContain('cut.ndjson.gz cannot be read');
});

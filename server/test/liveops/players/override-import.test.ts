import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readOverrideFile } from '../../../src/liveops/players/override-file.js';
import { importOverrides } from '../../../src/liveops/players/override-import.js';
import { type AdminClient, GAME, openAdminClient } from '../../support/admin-calls.js';
import { runCommand } from '../../support/command.js';
import { expectGeneralError, get, withoutRateLimits } from '../../support/data-calls.js';
import { createHarness, type Harness, type Session } from '../../support/harness.js';
import { demoGameId } from '../../support/registry-calls.js';
import { addStudio } from '../../support/session-calls.js';

let harness: Harness;
let admin: AdminClient;
let folder: string;
let players: Session[];
beforeAll(async () => {
  harness = await createHarness({ settings: withoutRateLimits() });
  admin = await openAdminClient(harness);
  await addStudio(harness, 'other-studio', 'other-game');
  folder = await mkdtemp(join(tmpdir(), 'savepoint-overrides-'));
  players = [];
  for (let n = 0; n < 3; n++) players.push(await harness.login(`override-${n}`));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  await admin.close();
  await harness.close();
});

const idOf = (n: number) => players[n]?.userId ?? '';
const csv = (...rows: string[]) => ['playerId,flagId,value,reason,until', ...rows, ''].join('\n');
const send = (file: string, token?: string, game = GAME) =>
  admin.call('POST', `${game}/overrides/import`, file, token);
const resultOf = (body: string) => JSON.parse(body.trimEnd().split('\n').at(-1) ?? '').result;
const isPayer = async (n: number) =>
  (await get(harness.app, '/v1/player/status', players[n] as Session)).json().isPayer.value;
const entries = async () =>
  (
    await harness.pool.query<{ before: unknown; after: unknown; actor: string }>(
      "select actor, before, after from audit_log where action = 'override.import' order by id",
    )
  ).rows;

it('sets and clears flags of many players, and every player is told so with the next request', async () => {
  const until = '2099-01-01T00:00:00.000Z';
  const file = csv(
    `${idOf(0)},isPayer,true,Bank transfer,`,
    `${idOf(1)},isPayer,TRUE,Bank transfer,${until}`,
  );
  expect(resultOf((await send(file)).body)).toEqual({ total: 2, set: 2, cleared: 0, unchanged: 0 });
  expect(await Promise.all([0, 1, 2].map(isPayer))).toEqual([true, true, false]);
  const { overrides } = await admin.ask<{ overrides: unknown[] }>(
    'GET',
    `${GAME}/players/${idOf(1)}/overrides`,
  );
  expect(overrides).toMatchObject([
    {
      flagId: 'isPayer',
      value: true,
      reason: 'Bank transfer',
      author: 'editor of demo-studio',
      until,
      state: 'in_force',
    },
  ]);

  const next = csv(
    `${idOf(0)},isPayer,clear,,`,
    `${idOf(1)},isPayer,false,Chargeback,`,
    `${idOf(2)},isPayer,clear,,`,
  );
  expect(resultOf((await send(next)).body)).toEqual({ total: 3, set: 1, cleared: 1, unchanged: 1 });
  expect(await Promise.all([0, 1, 2].map(isPayer))).toEqual([false, false, false]);
  const [first, second] = await entries();
  expect(first).toMatchObject({ before: [], after: [{ playerId: idOf(0) }, { playerId: idOf(1), until }] });
  expect(second).toMatchObject({
    before: [
      { playerId: idOf(0), value: true },
      { playerId: idOf(1), value: true },
    ],
    after: [{ playerId: idOf(1), value: false, reason: 'Chargeback' }],
  });
});

it('changes nothing, and leaves no entry, when the same file is sent again', async () => {
  const file = csv(`${idOf(0)},isPayer,true,Again,2099-01-01T00:00:00Z`, `${idOf(2)},isPayer,false,Again,`);
  await send(file);
  const before = (await entries()).length;
  const rows = async () =>
    (await harness.pool.query('select count(*)::int as n from flag_overrides')).rows[0]?.n;
  const kept = await rows();
  expect(resultOf((await send(file)).body)).toEqual({ total: 2, set: 0, cleared: 0, unchanged: 2 });
  expect(await entries()).toHaveLength(before);
  expect(await rows()).toBe(kept);
});

it('changes nothing at all if a row is wrong, and names each one', async () => {
  const stranger = crypto.randomUUID();
  const before = (await entries()).length;
  const refused = await send(
    csv(
      `${idOf(0)},isPayer,false,This one is right,`,
      `${stranger},isPayer,true,r,`,
      `${idOf(1)},noSuchFlag,true,r,`,
      `${idOf(2)},isPayer,maybe,r,`,
    ),
  );
  expectGeneralError(refused, 422, 'overrides_invalid');
  expect(refused.json().error.rows).toEqual([
    { row: 3, column: 'playerId', message: 'The game has no such player.' },
    { row: 4, column: 'flagId', message: 'The published configuration has no flag "noSuchFlag".' },
    { row: 5, column: 'value', message: expect.stringContaining('true or false') },
  ]);
  expect(await isPayer(0)).toBe(true);
  expect(await entries()).toHaveLength(before);
  expectGeneralError(await admin.call('POST', `${GAME}/overrides/import`, { a: 1 }), 400, 'body_invalid');
});

it('takes a large file in portions, tells how far it is, and goes on after an interruption', async () => {
  const { rows } = await harness.pool.query<{ userId: string }>(
    `insert into players (game_id, user_id, created_at)
     select id, gen_random_uuid(), now() from games, generate_series(1, 500) where slug = 'demo-game'
     returning user_id as "userId"`,
  );
  const file = csv(...rows.map(({ userId }) => `${userId},isPayer,true,Many,`));
  const reading = readOverrideFile(file, harness.clock.now());
  const gameId = await demoGameId(harness.pool);
  const actor = { name: 'test', nowMs: harness.clock.now() };
  const seen: number[] = [];
  const stop = new AbortController();
  const interrupted = importOverrides(harness.pool, gameId, reading.rows, {
    actor,
    signal: stop.signal,
    onProgress({ set }) {
      seen.push(set);
      if (set === 400) stop.abort(new Error('stopped'));
    },
  });
  await expect(interrupted).rejects.toThrow('stopped');
  expect(seen).toEqual([200, 400]);
  expect(resultOf((await send(file)).body)).toEqual({ total: 500, set: 100, cleared: 0, unchanged: 400 });
});

it('is for editors, and for players of the game alone', async () => {
  const file = csv(`${idOf(0)},isPayer,false,r,`);
  expectGeneralError(await send(file, admin.tokens.viewer), 403, 'role_too_low');
  const theirs = await admin.addToken('owner', { tenant: 'other-studio' });
  expectGeneralError(await send(file, theirs), 404, 'game_not_found');
  const refused = await send(file, theirs, '/games/other-game');
  expectGeneralError(refused, 422, 'overrides_invalid');
  expect(refused.json().error.rows).toEqual([
    { row: 2, column: 'playerId', message: 'The game has no such player.' },
  ]);
  expect(await isPayer(0)).toBe(true);
});

it('is done from the command line, too, and so are single overrides', async () => {
  const savepoint = (...args: string[]) =>
    runCommand(harness.databaseUrl, 'override', ...args, '--tenant', 'demo-studio', '--game', 'demo-game');
  const path = join(folder, 'overrides.csv');
  await writeFile(path, csv(`${idOf(1)},isPayer,true,By command,`));
  expect(await savepoint('import', '--file', path)).toMatchObject({
    code: 0,
    out: '1 set, 0 cleared, 0 as they were.\n',
  });
  expect(await isPayer(1)).toBe(true);
  await writeFile(path, csv(`${crypto.randomUUID()},isPayer,true,r,`));
  const refused = await savepoint('import', '--file', path);
  expect(refused.code).toBe(1);
  expect(refused.errors).toContain(
    `Nothing of ${path} was taken:\n  - row 2, playerId: The game has no such player.`,
  );

  expect(
    await savepoint('set', idOf(1), 'isPayer', '--value', 'false', '--reason', 'Chargeback'),
  ).toMatchObject({
    code: 0,
    out: 'isPayer of the player is false from now on.\n',
  });
  expect(await isPayer(1)).toBe(false);
  const { out } = await savepoint('list', idOf(1));
  expect(out).toContain('isPayer = false  in force\n');
  expect(out).toContain(': Chargeback\n');
  expect((await savepoint('clear', idOf(1), 'isPayer')).out).toBe('The rule of isPayer decides again.\n');
  expect((await savepoint('clear', idOf(1), 'isPayer')).out).toContain('is not set');
  for (const [args, message] of [
    [['set', 'x', 'isPayer', '--value', 'true', '--reason', 'r'], 'has no player "x"'],
    [['set', idOf(1), 'noFlag', '--value', 'true', '--reason', 'r'], 'has no flag "noFlag"'],
    [['set', idOf(1), 'isPayer', '--value', 'true', '--reason', 'r', '--until', 'x'], 'in the future'],
    [['list', crypto.randomUUID()], 'has no player'],
  ] as const) {
    const result = await savepoint(...args);
    expect(result.code).toBe(1);
    expect(result.errors).toContain(message);
  }
});

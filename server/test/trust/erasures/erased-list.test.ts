import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { insertUnattributed } from '../../../src/operations/queue/unattributed-queries.js';
import {
  createErasureHashes,
  ERASURE_KEY_BINDING,
  findErasureKey,
} from '../../../src/platform/security/erasure-hashes.js';
import { generateMasterKey, parseMasterKeys, seal } from '../../../src/platform/security/master-keys.js';
import { applyErasedList, completeErasedList } from '../../../src/trust/erasures/apply-erased-list.js';
import { appendToErasedList, readErasedList } from '../../../src/trust/erasures/erased-list.js';
import { deleteErasedDeadLetters } from '../../../src/trust/erasures/erasure-step.js';
import { createErasedListWriter } from '../../../src/trust/erasures/list-file.js';
import { erase, playerIdOf, requestDeletion, tablesNaming } from '../../support/erasure-calls.js';
import {
  adImpression,
  createHarness,
  type Harness,
  postEvents,
  type Session,
} from '../../support/harness.js';
import { expectAlive, expectDead } from '../../support/session-calls.js';

let harness: Harness;
let folder: string;
let file: string;
beforeAll(async () => {
  harness = await createHarness();
  folder = await mkdtemp(join(tmpdir(), 'savepoint-erased-'));
  file = join(folder, 'beside', 'erased-players');
});
afterAll(async () => {
  await harness.close();
  await rm(folder, { recursive: true });
});

const TABLES = ['players', 'devices', 'sessions', 'event_blocks', 'player_days'];
const columnOf = (table: string) => (table === 'players' ? 'id' : 'player_id');
const apply = () => applyErasedList(harness.pool, harness.masterKeys, file, harness.clock.now());
const hashes = () => createErasureHashes(harness.pool, async () => harness.masterKeys)();
const onErasing = (erased: Parameters<ReturnType<typeof createErasedListWriter>>[0]) =>
  createErasedListWriter(harness.pool, file, harness.clock.now, pino({ level: 'silent' }))(erased);

/** Erases the players, and restores their rows as a backup from before would. `withoutKey`: the backup is older than the first erasure. */
async function eraseAndRestore(sessions: readonly Session[], withoutKey: boolean): Promise<string[]> {
  const { pool } = harness;
  const ids = await Promise.all(sessions.map((session) => playerIdOf(harness, session)));
  const kept = new Map<string, unknown[]>();
  for (const table of TABLES) {
    const { rows } = await pool.query(
      `select row_to_json(t)::text as row from ${table} t where ${columnOf(table)} = any($1::bigint[])`,
      [ids],
    );
    kept.set(
      table,
      rows.map(({ row }) => row),
    );
  }
  for (const session of sessions) await requestDeletion(harness, session);
  await erase(harness, { onErasing });
  for (const [table, rows] of kept) {
    for (const row of rows)
      await pool.query(`insert into ${table} select * from json_populate_record(null::${table}, $1)`, [row]);
  }
  await pool.query('delete from erasures');
  if (withoutKey) await pool.query('delete from erasure_key');
  return ids;
}

it('erases players again who come back with a backup, from before the first erasure or later', async () => {
  const other = await harness.login('stays');
  for (const withoutKey of [true, false]) {
    const session = await harness.login(`restored-${withoutKey}`);
    await postEvents(harness.app, session, [adImpression(1, harness.clock.now())]);
    const [playerId = ''] = await eraseAndRestore([session], withoutKey);
    await expectAlive(harness.app, session);
    expect(await apply()).toBe(1);
    await expectDead(harness.app, session);
    expect((await erase(harness, { onErasing })).erased).toBe(1);
    expect(await tablesNaming(harness, [session.userId, `restored-${withoutKey}`], playerId)).toEqual([]);
    expect(await apply()).toBe(0);
    await expectAlive(harness.app, other);
  }
  const text = await readFile(file, 'utf8');
  expect(text).not.toContain('restored');
});

it('knows an erased player who is not in the backup', async () => {
  const session = await harness.login('after-the-backup');
  const { player } = await hashes();
  await requestDeletion(harness, session);
  await erase(harness, { onErasing });
  await harness.pool.query('delete from erasures');
  expect(await apply()).toBe(0);
  const { rows } = await harness.pool.query('select state from erasures where player_hash = $1', [
    player(session.userId),
  ]);
  expect(rows).toEqual([{ state: 'done' }]);
});

it('is completed by what other nodes have erased, and survives a line that a crash has cut', async () => {
  const session = await harness.login('elsewhere');
  const { player } = await hashes();
  await requestDeletion(harness, session);
  await erase(harness);
  await appendFile(file, '{"gameId":1,"playerH');
  expect(await completeErasedList(harness.pool, file)).toBe(1);
  expect(await completeErasedList(harness.pool, file)).toBe(0);
  const listed = (await readErasedList(file)).flatMap(({ entries }) =>
    entries.map(({ playerHash }) => playerHash),
  );
  expect(listed).toContain(player(session.userId).toString('hex'));
});

it('takes no list for none', async () => {
  expect(await applyErasedList(harness.pool, harness.masterKeys, join(folder, 'none'), 0)).toBe(0);
});

it('lets dead letters of erased players be found', async () => {
  const session = await harness.login('dead-letter');
  await requestDeletion(harness, session);
  await erase(harness);
  const letter = (userId: string) => ({
    code: 'player_unknown' as const,
    message: `There is no player ${userId}.`,
    eventType: null,
    raw: '{}',
    receivedAtMs: harness.clock.now(),
  });
  await insertUnattributed(harness.pool, [
    letter(session.userId),
    letter('019f0000-0000-7000-8000-000000000000'),
  ]);
  expect(await deleteErasedDeadLetters(harness.pool, hashes)).toBe(1);
  expect(await deleteErasedDeadLetters(harness.pool, hashes)).toBe(0);
});

it('does not take the key of another installation for that of the database', async () => {
  const foreign = parseMasterKeys(generateMasterKey());
  if (!foreign.ok) throw new Error('no key');
  const sealed = seal(foreign.keys, 'k'.repeat(32), ERASURE_KEY_BINDING).toString('base64');
  const list = join(folder, 'foreign');
  await appendToErasedList(list, sealed, [
    { gameId: 1, playerHash: '5'.repeat(64), erasedAt: '2026-11-18T07:00:00.000Z' },
  ]);
  await harness.pool.query('delete from erasure_key');
  await expect(applyErasedList(harness.pool, harness.masterKeys, list, 0)).rejects.toThrow('master key');
  expect(await findErasureKey(harness.pool)).toBeUndefined();
});

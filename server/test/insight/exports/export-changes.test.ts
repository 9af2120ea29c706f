import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { applyEvents } from '../../../src/core/events/apply/apply-events.js';
import { exportEvents } from '../../../src/insight/exports/export-events.js';
import type { ExportFormat } from '../../../src/insight/exports/export-format.js';
import {
  type ExportTarget,
  openFileTarget,
  streamTarget,
} from '../../../src/insight/exports/export-target.js';
import type { Span } from '../../../src/studio/jobs/export-span.js';
import { DAY_START, EVERYTHING } from '../../support/closed-day.js';
import {
  createGameWorld,
  DAY_MS,
  type GameWorld,
  type TestPlayer,
  toRecords,
} from '../../support/game-world.js';
import { notify, tell } from '../../support/refunded-game.js';

const START = DAY_START + DAY_MS / 2;
/** More than a page of transactions. */
const PURCHASES = 2_300;

let world: GameWorld;
let folder: string;
let games = 0;
beforeAll(async () => {
  world = await createGameWorld();
  folder = await mkdtemp(join(tmpdir(), 'savepoint-export-changes-'));
});
afterAll(async () => {
  await world.close();
  await rm(folder, { recursive: true });
});

async function addPlayers(count: number): Promise<[TestPlayer, ...TestPlayer[]]> {
  const gameId = await world.addGame(`game-${++games}`);
  const players = await world.addPlayers(gameId, Array(count).fill(START - DAY_MS));
  return players as [TestPlayer, ...TestPlayer[]];
}

async function exported(gameId: number, span: Span = EVERYTHING, format: ExportFormat = 'ndjson') {
  const stream = new PassThrough();
  const reading = text(stream);
  await exportEvents(world.pool, { gameId, span, format, target: streamTarget(stream), after: null });
  stream.end();
  return reading;
}

async function changesOf(gameId: number, span?: Span): Promise<Record<string, unknown>[]> {
  const lines = (await exported(gameId, span)).split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line)).filter(({ eventType }) => eventType === undefined);
}

const spanOf = (fromMs: number, toMs: number): Span => ({
  from: new Date(fromMs).toISOString().replace('Z', '000Z'),
  to: new Date(toMs).toISOString().replace('Z', '000Z'),
});

it('writes the refunds and moves of a game behind its events, and none into CSV', async () => {
  const [first, second] = (await addPlayers(2)) as [TestPlayer, TestPlayer];
  const [stranger] = await addPlayers(1);
  const { gameId } = first;
  await tell(world, first, 'claim', 'a "b"', START);
  await tell(world, second, 'claim', 'a "b"', START + 1_000);
  await notify(
    world,
    gameId,
    { transactionId: 'a "b"', share: '0.25', signedAtMs: START + 2_000 },
    START + 3_000,
  );
  await tell(world, stranger, 'claim', 'a "b"', START);
  await notify(world, stranger.gameId, { transactionId: 'a "b"', share: '1', signedAtMs: START }, START);
  const lines = (await exported(gameId))
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  expect(lines.map(({ eventType }) => eventType)).toEqual(['Purchase', 'Purchase', undefined, undefined]);
  const common = { kind: 'transactionChange', transactionId: 'a "b"' };
  const at = (ms: number) => new Date(START + ms).toISOString();
  // Those of one transaction are in the order of the internal ids of the players.
  expect(lines.slice(2).toSorted((a, b) => (a.change < b.change ? -1 : 1))).toEqual([
    { ...common, userId: first.userId, change: 'moved', at: at(1_000), recordedAt: at(1_000) },
    {
      ...common,
      userId: second.userId,
      change: 'notice',
      at: at(2_000),
      recordedAt: at(3_000),
      share: '0.25',
      refundedAt: at(2_000),
    },
  ]);
  expect((await exported(gameId, EVERYTHING, 'csv')).split('\r\n')).toHaveLength(4);
});

it('takes the changes of the span, by their own time, and none of an erased player', async () => {
  const [first, second] = (await addPlayers(2)) as [TestPlayer, TestPlayer];
  const { gameId } = first;
  for (const [n, player] of [first, second].entries()) {
    await tell(world, player, 'purchase', `t${n}`, START);
    await notify(
      world,
      gameId,
      { transactionId: `t${n}`, share: '1', signedAtMs: START + n },
      START + DAY_MS,
    );
  }
  const idsIn = async (span: Span) =>
    (await changesOf(gameId, span)).map(({ transactionId }) => transactionId);
  expect(await idsIn(spanOf(START, START + 1))).toEqual(['t0']);
  expect(await idsIn(spanOf(START + 1, START + 2))).toEqual(['t1']);
  expect(await idsIn(spanOf(START + 2, START + 2 * DAY_MS))).toEqual([]);
  // An erasure deletes the player first.
  await world.pool.query('delete from players where id = $1', [second.playerId]);
  expect(await idsIn(EVERYTHING)).toEqual(['t0']);
});

it('goes on behind an interruption in the middle of the changes', async () => {
  const [player] = await addPlayers(1);
  const { gameId } = player;
  const nameOf = (n: number) => `t${String(n).padStart(5, '0')}`;
  const purchases = Array.from({ length: PURCHASES }, (_, n) => ({
    eventType: 'Purchase',
    timestamp: new Date(START + n).toISOString(),
    payload: { transactionId: nameOf(n), price: 1, currency: 'USD' },
  }));
  for (let sent = 0; sent < PURCHASES; sent += 500)
    await applyEvents(world.pool, toRecords(player, purchases.slice(sent, sent + 500), START + sent));
  const refunded = [0, 1_999, 2_000, PURCHASES - 1].map(nameOf);
  for (const transactionId of refunded)
    await notify(world, gameId, { transactionId, share: '1', signedAtMs: START }, START + DAY_MS);
  expect((await changesOf(gameId)).map(({ transactionId }) => transactionId)).toEqual(refunded);

  const path = join(folder, 'events.ndjson');
  const subject = { tenant: 't', game: 'g', format: 'ndjson', ...EVERYTHING } as const;
  let interruptions = 0;
  for (let resume = false; ; resume = true) {
    const stop = new AbortController();
    const opened = await openFileTarget(path, subject, { resume });
    const after = opened.cursor.key;
    // Every run writes one page.
    const target: ExportTarget = {
      ...opened,
      async write(...page) {
        stop.abort();
        await opened.write(...page);
      },
    };
    const state = await exportEvents(world.pool, {
      ...{ gameId, span: EVERYTHING, format: 'ndjson', after, target, signal: stop.signal },
    });
    if (state === 'done') break;
    interruptions++;
  }
  expect(interruptions).toBeGreaterThan(3);
  expect(await readFile(path, 'utf8')).toBe(await exported(gameId));
});

it.each(['ndjson', 'ndjson.gz'])(
  'keeps how far it has come where page after page has no change: %s',
  async (ending) => {
    const path = join(folder, `quiet.${ending}`);
    const subject = { tenant: 't', game: 'g', format: 'ndjson', ...EVERYTHING } as const;
    const keyOf = (page: number) => ({
      receivedAt: EVERYTHING.from,
      blockId: '0',
      change: { transactionId: String(page), playerId: '1' },
    });
    const begun = await openFileTarget(path, subject, { resume: false });
    await begun.write('before\n', 1, keyOf(0));
    await begun.pause();
    // A run of its own: text that is still to be written would take the key along.
    const quiet = await openFileTarget(path, subject, { resume: true });
    for (let page = 1; page < 100; page++) await quiet.write('', 0, keyOf(page));
    await quiet.pause();
    const resumed = await openFileTarget(path, subject, { resume: true });
    expect(Number(resumed.cursor.key?.change?.transactionId)).toBeGreaterThan(50);
    await resumed.write('after\n', 1, keyOf(100));
    await resumed.finish();
    const file = await readFile(path);
    expect(String(ending.endsWith('.gz') ? gunzipSync(file) : file)).toBe('before\nafter\n');
  },
);

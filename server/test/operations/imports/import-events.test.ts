import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { applyEvents } from '../../../src/core/events/apply/apply-events.js';
import { checkEvents } from '../../../src/core/events/intake/check-events.js';
import { recordsOfPlayer } from '../../../src/core/events/intake/event-record.js';
import type { PurchaseCheck } from '../../../src/core/events/receipts/purchase-check.js';
import { recountGame } from '../../../src/insight/analytics/recount.js';
import { eventImporter } from '../../../src/operations/imports/import-events.js';
import { playerImporter } from '../../../src/operations/imports/import-players.js';
import { type ImportOptions, runImport } from '../../../src/operations/imports/run-import.js';
import { exportedFile, NOW } from '../../support/closed-day.js';
import {
  createGameWorld,
  DAY_MS,
  type GameWorld,
  type TestEvent,
  type TestPlayer,
} from '../../support/game-world.js';
import { testActor } from '../../support/harness.js';
import { exportEventsTo, exportPlayersTo, type KeptRows, keptRows } from '../../support/installation-copy.js';

const PLAYERS = 30;
const BATCHES_PER_PLAYER = 12;
/** Longer than identities are remembered, and far longer than a player's row holds active days. */
const HISTORY_DAYS = 700;
/** Every day of receipt is a partition, which takes its time. */
const DAYS_OF_RECEIPT = 20;
const END = NOW - DAY_MS;

let folder: string;
let original: GameWorld;
let originalGame: number;
let copy: GameWorld;
let copyGame: number;
let file: string;
let playersFile: string;
let kept: KeptRows;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'savepoint-import-'));
  file = join(folder, 'events.ndjson');
  playersFile = join(folder, 'players.ndjson');
  original = await createGameWorld();
  originalGame = await original.addGame('game');
  await play(original, originalGame);
  await exportEventsTo(original.pool, originalGame, file);
  await exportPlayersTo(original.pool, originalGame, playersFile);
  kept = await keptRows(original.pool, originalGame);
});
afterAll(async () => {
  await original.close();
  await copy?.close();
  await rm(folder, { recursive: true });
});
beforeEach(async () => {
  await copy?.close();
  copy = await createGameWorld();
  copyGame = await copy.addGame('game');
});

/** The same numbers every time. */
function randomNumbers(): (below: number) => number {
  let state = 42;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Players of every kind: with numbered, named and unnamed events, events that came late, twice, or by a wrong clock. */
async function play(world: GameWorld, gameId: number): Promise<void> {
  const random = randomNumbers();
  const dayMs = (HISTORY_DAYS / DAYS_OF_RECEIPT) * DAY_MS;
  const startOf = (day: number) => END - (DAYS_OF_RECEIPT - day) * dayMs;
  const startDays = Array.from({ length: PLAYERS }, () => random(DAYS_OF_RECEIPT));
  const created = startDays.map((day) => startOf(day) - random(5) * DAY_MS);
  const players = await world.addPlayers(gameId, created);
  await world.pool.query(
    "update players set age_group = 'child', age_group_at = created_at where id % 7 = 0",
  );
  await world.pool.query(
    'update devices set player_id = $1, attached_at = created_at, own_player_id = player_id where player_id = $2',
    [players[0]?.playerId, players[1]?.playerId],
  );
  for (const [n, player] of players.entries()) {
    const installId = n % 2 === 0 ? `install-${n}` : null;
    let seq = 1;
    for (let batch = 0; batch < BATCHES_PER_PLAYER; batch++) {
      const day = (startDays[n] ?? 0) + random(DAYS_OF_RECEIPT - (startDays[n] ?? 0));
      const receivedAtMs = startOf(day) + random(DAY_MS / 4);
      const events = batchOf(random, receivedAtMs, `${n}-${batch}`).map((event) =>
        installId === null ? event : { ...event, seq: seq++ },
      );
      await receive(world, player, events, receivedAtMs, installId);
    }
  }
}

function batchOf(random: (below: number) => number, receivedAtMs: number, name: string): TestEvent[] {
  const at = (ageMs: number) => new Date(receivedAtMs - ageMs).toISOString();
  const late = random(10) === 0 ? random(80) * DAY_MS : random(60_000);
  const metadata = { osName: ['iOS', 'Android'][random(2)], country: ['DE', 'US'][random(2)], source: name };
  const twin = { eventType: 'Level_Start', timestamp: at(late), payload: { level: 1 } };
  const kind = random(4);
  const purchase = {
    transactionId: kind === 3 ? `store-${name}` : `t${kind}`,
    skuId: 'gems',
    price: 4.99 + random(3),
    currency: 'USD',
    promoId: 'p',
  };
  return [
    { eventType: 'Session_Start', timestamp: at(late), payload: { sessionId: name }, metadata },
    {
      eventType: 'Ad_Impression',
      timestamp: at(late + 5),
      payload: { adId: name },
      eventId: `named-${name}`,
    },
    twin,
    twin,
    ...(random(2) === 0 ? [{ eventType: 'Purchase', timestamp: at(late), payload: purchase, metadata }] : []),
    ...(random(5) === 0
      ? [{ eventType: 'Refund', timestamp: at(0), payload: { transactionId: `t${random(3)}` } }]
      : []),
    // a wrong clock, and a time that is not in the normal form
    ...(random(6) === 0 ? [{ eventType: 'Store_View', timestamp: at(200 * DAY_MS), payload: {} }] : []),
    {
      eventType: 'Session_End',
      timestamp: at(late).replace('Z', '123+00:00'),
      payload: { sessionId: name, durationMs: 1_000 },
    },
  ];
}

/** As the receipts of some purchases have shown: those of `t0` are forged and count as nothing, others are of the store. */
const checkPurchase: PurchaseCheck = ({ transactionId }, claimed, receivedAtMs) => {
  if (transactionId === 't0') return { sale: null };
  if (!String(transactionId).startsWith('store-')) return { sale: undefined };
  const purchasedAtMs = receivedAtMs - DAY_MS;
  return { sale: { ...claimed, price: '9.99', store: 'apple', quantity: 2, purchasedAtMs } };
};

async function receive(
  world: GameWorld,
  player: TestPlayer,
  events: readonly TestEvent[],
  receivedAtMs: number,
  installId: string | null,
): Promise<void> {
  const body = { events, bytes: 0, suspicious: true };
  const checked = checkEvents(
    body,
    { userId: player.userId, installId },
    receivedAtMs,
    undefined,
    checkPurchase,
  );
  expect(checked.rejected).toEqual([]);
  await applyEvents(world.pool, recordsOfPlayer(checked.events, player, { installId, clientBuild: null }));
}

const options = (path: string, more: Partial<ImportOptions> = {}): ImportOptions => ({
  gameId: copyGame,
  path,
  rejectsPath: join(folder, 'rejects'),
  actor: testActor(),
  rests: false,
  ...more,
});
const erased = new Set<string>();
const findErased = async (userIds: readonly string[]) => new Set(userIds.filter((id) => erased.has(id)));
const importEvents = (path = file, more: Partial<ImportOptions> = {}) =>
  runImport(copy.pool, eventImporter(copy.pool, copyGame, Date.now(), findErased), options(path, more));
const importPlayers = (path = playersFile) =>
  runImport(copy.pool, playerImporter(copyGame, Date.now(), findErased), options(path));

async function expectEqual(): Promise<void> {
  const copied = await keptRows(copy.pool, copyGame);
  for (const [name, rows] of Object.entries(kept)) expect(copied[name], name).toEqual(rows);
  expect(await exportedFile(copy, copyGame)).toBe(await exportedFile(original, originalGame));
  const recount = await recountGame(copy.pool, copyGame);
  expect(recount.differences).toEqual([]);
}

it('makes players, days, purchases, devices, roll-ups, cohorts and events equal to those of the original', async () => {
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n').length;
  expect(lines).toBeGreaterThan(2_000);
  expect(kept.cohorts?.length).toBeGreaterThan(100);
  expect((await recountGame(original.pool, originalGame)).differences).toEqual([]);

  expect(await importPlayers()).toMatchObject({
    state: 'done',
    progress: { imported: 2 * PLAYERS, rejected: 0 },
  });
  const { state, progress } = await importEvents();
  expect({ state, ...progress }).toMatchObject({
    state: 'done',
    imported: lines,
    duplicates: 0,
    rejected: 0,
  });
  await expectEqual();
  const { rows } = await copy.pool.query('select count(*)::int as n from only event_blocks_default');
  expect(rows).toEqual([{ n: 0 }]);
});

it('imports nothing of the same file again, nor of the same events in another file, long after their receipt', async () => {
  await importPlayers();
  const first = await importEvents();
  expect(await importEvents()).toEqual({ state: 'known', progress: first.progress });

  // Maintenance drops the identities of generations before these; those of the import stay.
  await copy.pool.query("delete from event_identities where generation < now() - interval '200 days'");
  const other = join(folder, 'other.ndjson.gz');
  await writeFile(other, gzipSync(`\n${await readFile(file, 'utf8')}`));
  const { imported } = first.progress;
  expect((await importEvents(other)).progress).toMatchObject({
    imported: 0,
    duplicates: imported,
    rejected: 0,
  });
  await expectEqual();
});

it('goes on where it was interrupted, also in the middle of a compressed file', {
  tags: ['full'],
}, async () => {
  await importPlayers();
  const zipped = join(folder, 'zipped.ndjson.gz');
  await writeFile(zipped, gzipSync(await readFile(file)));
  const stop = new AbortController();
  const begun = await importEvents(zipped, { signal: stop.signal, onProgress: () => stop.abort() });
  expect(begun).toMatchObject({ state: 'interrupted', progress: { doneLines: 1_000 } });
  const { progress } = await importEvents(zipped);
  expect(progress.duplicates).toBe(0);
  expect(progress.imported).toBe(progress.doneLines);
  await expectEqual();
});

it('applies a chunk and its progress together', async () => {
  await importPlayers();
  const failure = new Error('killed');
  const importer = eventImporter(copy.pool, copyGame, Date.now(), findErased);
  let chunks = 0;
  const dying = {
    ...importer,
    async apply(...call: Parameters<typeof importer.apply>) {
      const outcomes = await importer.apply(...call);
      if (++chunks === 2) throw failure;
      return outcomes;
    },
  };
  await expect(runImport(copy.pool, dying, options(file))).rejects.toBe(failure);
  expect((await importEvents()).progress.duplicates).toBe(0);
  await expectEqual();
});

describe('of a file without its players', () => {
  it('creates them at their first receipt', async () => {
    await importEvents();
    const { rows } = await copy.pool.query<{ n: number }>(
      `select count(*)::int as n from players p
       join lateral (select min(received_at) as at from events e where e.player_id = p.id) e on true
       where p.game_id = $1 and p.created_at = e.at`,
      [copyGame],
    );
    expect(rows).toEqual([{ n: PLAYERS }]);
    expect((await recountGame(copy.pool, copyGame)).differences).toEqual([]);
  });
});

it('moves all days of a player who is here already to the earlier cohort', { tags: ['full'] }, async () => {
  const { userId, createdAt } = { userId: crypto.randomUUID(), createdAt: END - 400 * DAY_MS };
  const [player] = await copy.addPlayers(copyGame, [createdAt]);
  await copy.pool.query('update players set user_id = $2 where id = $1', [player?.playerId, userId]);
  const event = (day: number) => ({
    eventType: 'Session_Start',
    timestamp: new Date(END - day * DAY_MS).toISOString(),
    payload: {},
  });
  for (const day of [400, 300, 200, 100, 1]) {
    await receive(copy, { ...(player as TestPlayer), userId }, [event(day)], END - day * DAY_MS, null);
  }
  const older = join(folder, 'older.ndjson');
  await writeFile(older, [900, 700].map((day) => `${JSON.stringify({ userId, ...event(day) })}\n`).join(''));
  expect((await importEvents(older)).progress.imported).toBe(2);
  const { rows } = await copy.pool.query(
    `select cohort_day::text as cohort, sum(players)::int as days from game_cohorts where game_id = $1
     group by cohort_day having sum(players) <> 0`,
    [copyGame],
  );
  expect(rows).toEqual([{ cohort: new Date(END - 900 * DAY_MS).toISOString().slice(0, 10), days: 7 }]);
  expect((await recountGame(copy.pool, copyGame)).differences).toEqual([]);
});

it('writes bad lines to the file of rejects with their numbers and reasons, and imports the others', {
  tags: ['full'],
}, async () => {
  const rejectsPath = join(folder, 'bad.rejects');
  const bad = join(folder, 'bad.ndjson');
  const userId = crypto.randomUUID();
  const line = (members: object) =>
    JSON.stringify({
      userId,
      eventType: 'T',
      timestamp: '2025-01-01T00:00:00.000Z',
      payload: {},
      ...members,
    });
  const lines = [
    line({ eventId: 'good-1' }),
    'no json',
    line({ timestamp: 'yesterday' }),
    '',
    line({ userId: 'u' }),
    line({ receivedAt: '2999-01-01T00:00:00.000Z' }),
    line({ timestamp: '1970-01-01T00:00:00.000Z' }),
    line({ payload: { text: 'x'.repeat(200_000) } }),
    line({ eventId: 'good-2', eventType: 'Purchase', payload: { price: 'free' } }),
    line({ eventId: 'good-3' }),
    line({ eventId: 'bad-sale', sale: { transactionId: 't', kind: 'purchase', price: -1 } }),
  ];
  await writeFile(bad, lines.join('\n'));
  const shown: number[] = [];
  const { progress } = await importEvents(bad, { rejectsPath, onRejected: ({ line: n }) => shown.push(n) });
  expect(progress).toMatchObject({ imported: 2, rejected: 8, doneLines: 11 });
  const rejects = (await readFile(rejectsPath, 'utf8'))
    .trimEnd()
    .split('\n')
    .map((text) => JSON.parse(text));
  expect(rejects.map(({ line: n, code }) => [n, code])).toEqual([
    [2, 'invalid_json'],
    [3, 'timestamp_malformed'],
    [5, 'user_id_invalid'],
    [6, 'received_at_invalid'],
    [7, 'received_at_invalid'],
    [8, 'line_too_long'],
    [9, 'payload_invalid'],
    [11, 'sale_invalid'],
  ]);
  expect(shown).toEqual([2, 3, 5, 6, 7, 8, 9, 11]);
  expect(rejects[0]).toEqual({
    line: 2,
    code: 'invalid_json',
    message: 'The line is not valid JSON.',
    text: 'no json',
  });
  expect(JSON.parse(rejects[6].text)).toMatchObject({ eventId: 'good-2' });
});

it('counts and does not store what the retention of the game has deleted already', {
  tags: ['full'],
}, async () => {
  await importPlayers();
  const before = new Date(END - 100 * DAY_MS).toISOString().slice(0, 10);
  await copy.pool.query('update games set events_deleted_before = $1', [before]);
  await importEvents();
  const copied = await keptRows(copy.pool, copyGame);
  for (const [name, rows] of Object.entries(kept)) expect(copied[name], name).toEqual(rows);
  const { rows } = await copy.pool.query(
    'select min(received_at) >= $1::date as "isKept" from event_blocks',
    [before],
  );
  expect(rows).toEqual([{ isKept: true }]);
  expect((await recountGame(copy.pool, copyGame)).differences).toEqual([]);
});

it('brings nothing of an erased player back', async () => {
  const { rows } = await original.pool.query<{ userId: string }>(
    'select user_id as "userId" from players where event_count > 0 order by id limit 1',
  );
  const userId = rows[0]?.userId ?? '';
  const linesOf = async (path: string) =>
    (await readFile(path, 'utf8')).split('\n').filter((line) => line.includes(`"userId":"${userId}"`));
  erased.add(userId);
  const players = await importPlayers();
  const events = await importEvents();
  erased.clear();
  // the devices of the player, too: the player is unknown
  expect(players.progress.rejected).toBe((await linesOf(playersFile)).length);
  expect(events.progress.rejected).toBe((await linesOf(file)).length);
  expect(events.progress.rejected).toBeGreaterThan(0);
  const found = await copy.pool.query('select from players where user_id = $1', [userId]);
  expect(found.rowCount).toBe(0);
  expect((await recountGame(copy.pool, copyGame)).differences).toEqual([]);
});

it('refuses players of another game, devices of another player, and a second import at the same time', async () => {
  const otherGame = await copy.addGame('other');
  const [theirs] = await copy.addPlayers(otherGame, [END]);
  const [mine] = await copy.addPlayers(copyGame, [END]);
  const createdAt = new Date(END - DAY_MS).toISOString();
  const players = join(folder, 'foreign-players.ndjson');
  const userId = crypto.randomUUID();
  const lines = [
    { userId: theirs?.userId, createdAt },
    { userId, createdAt },
    { userId: mine?.userId, createdAt },
    { deviceId: mine?.userId, userId, createdAt },
    { deviceId: 'd', userId: crypto.randomUUID(), createdAt },
    { deviceId: 'd', userId, createdAt },
  ];
  await writeFile(players, lines.map((line) => JSON.stringify(line)).join('\n'));
  const rejected: unknown[] = [];
  const result = await runImport(copy.pool, playerImporter(copyGame, Date.now(), findErased), {
    ...options(players),
    onRejected: ({ line, code }) => rejected.push([line, code]),
  });
  expect(result.progress).toMatchObject({ imported: 2, duplicates: 1, rejected: 3 });
  expect(rejected).toEqual([
    [1, 'player_of_another_game'],
    [4, 'device_of_another_player'],
    [5, 'player_unknown'],
  ]);
  let second: unknown;
  await importEvents(file, {
    onProgress: async () => {
      second ??= await importEvents(playersFile);
    },
  });
  expect(second).toMatchObject({ state: 'busy' });
});

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { recountGame } from '../../../src/insight/analytics/recount.js';
import type { HistoricLine } from '../../../src/operations/imports/history-line.js';
import { eventImporter } from '../../../src/operations/imports/import-events.js';
import { playerImporter } from '../../../src/operations/imports/import-players.js';
import { type ImportOptions, runImport } from '../../../src/operations/imports/run-import.js';
import { transaction } from '../../../src/platform/db/pool.js';
import { DAY_START, EVERYTHING, exportedFile } from '../../support/closed-day.js';
import { createGameWorld, DAY_MS, type GameWorld, type TestPlayer } from '../../support/game-world.js';
import { testActor } from '../../support/harness.js';
import { exportEventsTo, exportPlayersTo, type KeptRows, keptRows } from '../../support/installation-copy.js';
import { runs } from '../../support/property-runs.js';
import { notify, type Said, type StoreWord, tell } from '../../support/refunded-game.js';

const MINUTE_MS = 60_000;
/** Every game begins at the same time: days of receipt are partitions. */
const START = DAY_START + 3 * 60 * MINUTE_MS;
const PLAYERS = 3;

let folder: string;
let original: GameWorld;
let copy: GameWorld;
let games = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'savepoint-changes-'));
  original = await createGameWorld();
  copy = await createGameWorld();
});
afterAll(async () => {
  await original.close();
  await copy.close();
  await rm(folder, { recursive: true });
});

type Step =
  | { is: Said; player: number; order: number }
  | { is: 'notice'; order: number; share: string; ageMinutes: number; isTest?: boolean };

type Copied = { gameId: number; players: TestPlayer[]; copyGame: number; name: string };

/** A step is a minute. No two notices of an order are signed at the same millisecond. */
const timeOf = (step: number) => START + step * MINUTE_MS;
const orderOf = (order: number) => `order-${order}`;
const wordOf = (
  { order, share, ageMinutes, isTest = false }: Step & { is: 'notice' },
  n: number,
): StoreWord => ({
  transactionId: orderOf(order),
  share,
  isTest,
  signedAtMs: timeOf(n) - ageMinutes * MINUTE_MS - n - 1,
});

/** Plays the steps in a new game of the original, and copies its players to a new game of the other installation. */
async function play(steps: readonly Step[]): Promise<Copied> {
  const name = `game-${++games}`;
  const [gameId, copyGame] = [await original.addGame(name), await copy.addGame(name)];
  const players = await original.addPlayers(gameId, Array(PLAYERS).fill(START - DAY_MS));
  for (const [n, step] of steps.entries()) {
    if (step.is === 'notice') await notify(original, gameId, wordOf(step, n), timeOf(n));
    else await tell(original, players[step.player] as TestPlayer, step.is, orderOf(step.order), timeOf(n));
  }
  const path = join(folder, `${name}.players`);
  await exportPlayersTo(original.pool, gameId, path);
  await runImport(copy.pool, playerImporter(copyGame, Date.now(), nobody), options(copyGame, path));
  return { gameId, players, copyGame, name };
}

const nobody = async () => new Set<string>();
const options = (gameId: number, path: string, more: Partial<ImportOptions> = {}): ImportOptions => ({
  gameId,
  path,
  rejectsPath: `${path}.rejects`,
  actor: testActor(),
  rests: false,
  ...more,
});
const importer = (gameId: number) => eventImporter(copy.pool, gameId, Date.now(), nobody);
const importFile = (gameId: number, path: string) =>
  runImport(copy.pool, importer(gameId), options(gameId, path));
const exportTo = async ({ gameId, name }: Copied, span = EVERYTHING): Promise<string> => {
  const path = join(folder, `${name}-${span.from.slice(0, 19).replaceAll(':', '')}.ndjson`);
  await exportEventsTo(original.pool, gameId, path, span);
  return path;
};
const linesOf = (text: string) => text.split('\n').slice(0, -1);

/** All tables, or those that follow from the transactions. */
async function expectEqual(
  { gameId, copyGame }: Copied,
  isNamed: (table: string) => boolean = () => true,
): Promise<void> {
  const [kept, copied] = [await keptRows(original.pool, gameId), await keptRows(copy.pool, copyGame)];
  const named = (rows: KeptRows) =>
    Object.fromEntries(Object.entries(rows).filter(([name]) => isNamed(name)));
  expect(named(copied)).toEqual(named(kept));
  expect((await recountGame(copy.pool, copyGame)).differences).toEqual([]);
}

const player = fc.integer({ min: 0, max: PLAYERS - 1 });
const order = fc.integer({ min: 0, max: 2 });
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ is: fc.constantFrom<Said>('claim', 'claim', 'purchase', 'refund'), player, order }),
  fc.record({
    is: fc.constant('notice' as const),
    order,
    share: fc.constantFrom('1', '1', '0.4', '0'),
    ageMinutes: fc.integer({ min: 0, max: 8 }),
    isTest: fc.constantFrom(false, false, false, true),
  }),
);
const anySteps = fc.array(anyStep, { minLength: 4, maxLength: 16 });

/** Restored twice, refunded in part, wholly, twice, reversed, before the purchase, and without one. */
const STEPS: readonly Step[] = [
  { is: 'claim', player: 0, order: 0 },
  { is: 'purchase', player: 1, order: 1 },
  { is: 'notice', order: 2, share: '1', ageMinutes: 0 },
  { is: 'notice', order: 0, share: '0.4', ageMinutes: 0 },
  { is: 'claim', player: 1, order: 0 },
  { is: 'claim', player: 2, order: 0 },
  { is: 'notice', order: 1, share: '1', ageMinutes: 0 },
  { is: 'claim', player: 2, order: 2 },
  { is: 'claim', player: 0, order: 5 },
  { is: 'notice', order: 5, share: '0.4', ageMinutes: 0 },
  // The second file begins here. Whoever restores the purchase there is told the later word of the store only.
  { is: 'notice', order: 5, share: '1', ageMinutes: 0 },
  { is: 'claim', player: 1, order: 5 },
  { is: 'notice', order: 1, share: '0', ageMinutes: 0 },
  { is: 'claim', player: 0, order: 0 },
  { is: 'notice', order: 0, share: '1', ageMinutes: 0 },
  { is: 'notice', order: 0, share: '0.5', ageMinutes: 9 },
  { is: 'notice', order: 3, share: '1', ageMinutes: 0 },
  { is: 'claim', player: 1, order: 4 },
  { is: 'notice', order: 4, share: '1', ageMinutes: 0, isTest: true },
];
const HALF = { instant: new Date(timeOf(10) - MINUTE_MS / 2).toISOString().replace('Z', '000Z') };

it('makes everything equal to the original, whatever stores and players said of the transactions', async () => {
  await fc.assert(
    fc.asyncProperty(anySteps, async (steps) => {
      const game = await play(steps);
      const path = await exportTo(game);
      const lines = linesOf(await readFile(path, 'utf8'));
      const { state, progress } = await importFile(game.copyGame, path);
      expect({ state, ...progress }).toMatchObject({ state: 'done', imported: lines.length, rejected: 0 });
      await expectEqual(game);
      const exported = linesOf(await exportedFile(copy, game.copyGame));
      expect(exported.toSorted()).toEqual(lines.toSorted());
    }),
    { numRuns: runs(5) },
  );
});

it('ends in the same sums in any order of lines and chunks, and in the same rows where a purchase moved once', async () => {
  const isSum = (table: string) => table !== 'transactions' && table !== 'changes';
  await fc.assert(
    fc.asyncProperty(anySteps, fc.infiniteStream(fc.nat(1_000)), async (steps, numbers) => {
      const next = () => Number(numbers.next().value);
      const game = await play(steps);
      const path = await exportTo(game);
      const lines = linesOf(await readFile(path, 'utf8'))
        .map((line) => ({ line, place: next() }))
        .toSorted((a, b) => a.place - b.place);
      const { read, prepare, apply } = importer(game.copyGame);
      while (lines.length > 0) {
        const chunk = lines.splice(0, 1 + (next() % 4)).map(({ line }) => read(Buffer.from(line)));
        const parsed = chunk.filter((line): line is HistoricLine => !('code' in line));
        expect(parsed).toHaveLength(chunk.length);
        await prepare?.(parsed);
        await transaction(copy.pool, (client) => apply(client, parsed));
      }
      const claims = steps.filter(({ is }) => is === 'claim').map((step) => step.order);
      const movesOnce = claims.every((claimed) => claims.filter((one) => one === claimed).length <= 2);
      await expectEqual(game, movesOnce ? undefined : isSum);
    }),
    { numRuns: runs(5) },
  );
});

it.each([
  ['in their order', (files: string[]) => files],
  ['the later one first', (files: string[]) => files.toReversed()],
])('takes two files of one game, %s, and each of them twice', async (_, ordered) => {
  const game = await play(STEPS);
  const files = [
    await exportTo(game, { from: EVERYTHING.from, to: HALF.instant }),
    await exportTo(game, { from: HALF.instant, to: EVERYTHING.to }),
  ];
  for (const path of ordered(files)) {
    const { imported } = (await importFile(game.copyGame, path)).progress;
    expect(await importFile(game.copyGame, path)).toMatchObject({ state: 'known' });
    const again = `${path}.again`;
    await writeFile(again, `\n${await readFile(path, 'utf8')}`);
    expect((await importFile(game.copyGame, again)).progress).toMatchObject({
      imported: 0,
      duplicates: imported,
      rejected: 0,
    });
  }
  await expectEqual(game);
});

it('keeps a refund of a purchase that is not in the file until the purchase comes', async () => {
  const game = await play([
    { is: 'purchase', player: 0, order: 0 },
    { is: 'notice', order: 0, share: '1', ageMinutes: 0 },
  ]);
  const lines = linesOf(await readFile(await exportTo(game), 'utf8'));
  const [purchase, refund] = lines as [string, string];
  expect(JSON.parse(refund)).toEqual({
    kind: 'transactionChange',
    userId: game.players[0]?.userId,
    transactionId: 'order-0',
    change: 'notice',
    at: new Date(timeOf(1) - 2).toISOString(),
    recordedAt: new Date(timeOf(1)).toISOString(),
    share: '1',
    refundedAt: new Date(timeOf(1) - 2).toISOString(),
  });
  const sums = async () =>
    (
      await copy.pool.query(
        'select sum(purchase_count)::int as purchases, sum(event_count)::int as events from players where game_id = $1',
        [game.copyGame],
      )
    ).rows[0];
  for (const [n, line] of [refund, purchase].entries()) {
    const path = join(folder, `${game.name}-${n}`);
    await writeFile(path, `${line}\n${line}\n`);
    expect((await importFile(game.copyGame, path)).progress).toMatchObject({ imported: 1, duplicates: 1 });
    expect(await sums()).toEqual({ purchases: 0, events: n });
  }
  await expectEqual(game);
});

it('counts nothing again when the store sends the same notification to the new installation', async () => {
  const game = await play(STEPS);
  await importFile(game.copyGame, await exportTo(game));
  for (const [n, step] of STEPS.entries()) {
    if (step.is !== 'notice') continue;
    expect(await notify(copy, game.copyGame, wordOf(step, n), timeOf(100))).toBe('applied');
    expect(await notify(copy, game.copyGame, wordOf(step, n), timeOf(101))).toBe('duplicate');
  }
  // An older word may now be noted at the present owner, too, where the newer one counts.
  await expectEqual(game, (table) => table !== 'changes');
});

it('takes an imported refund along to a player who restores the purchase afterwards', async () => {
  const game = await play([
    { is: 'claim', player: 0, order: 0 },
    { is: 'notice', order: 0, share: '1', ageMinutes: 0 },
  ]);
  await importFile(game.copyGame, await exportTo(game));
  const { rows } = await copy.pool.query<{ playerId: string }>(
    'select id as "playerId" from players where user_id = $1',
    [game.players[1]?.userId],
  );
  const here = {
    ...(game.players[1] as TestPlayer),
    gameId: game.copyGame,
    playerId: rows[0]?.playerId ?? '',
  };
  await tell(original, game.players[1] as TestPlayer, 'claim', 'order-0', timeOf(50));
  await tell(copy, here, 'claim', 'order-0', timeOf(50));
  await expectEqual(game);
  expect((await keptRows(copy.pool, game.copyGame)).changes).toHaveLength(3);
});

it('applies changes and their progress together', async () => {
  const game = await play(STEPS);
  const path = await exportTo(game);
  const failure = new Error('killed');
  const whole = importer(game.copyGame);
  const dying = {
    ...whole,
    async apply(...call: Parameters<typeof whole.apply>) {
      await whole.apply(...call);
      throw failure;
    },
  };
  await expect(runImport(copy.pool, dying, options(game.copyGame, path))).rejects.toBe(failure);
  expect((await keptRows(copy.pool, game.copyGame)).changes).toEqual([]);
  expect((await importFile(game.copyGame, path)).progress).toMatchObject({ duplicates: 0, rejected: 0 });
  await expectEqual(game);
});

it('rejects bad changes in a sentence, and those of erased players', async () => {
  const game = await play([]);
  const erasedId = crypto.randomUUID();
  const good = {
    kind: 'transactionChange',
    userId: game.players[0]?.userId,
    transactionId: 't',
    change: 'notice',
    at: '2026-01-01T00:00:00.000Z',
    recordedAt: '2026-01-01T00:00:00.000Z',
    share: '0.5',
  };
  const bad: [code: string, members: object][] = [
    ['kind_unknown', { kind: 'somethingElse' }],
    ['user_id_invalid', { userId: 'u' }],
    ['change_invalid', { change: 'bought' }],
    ['change_invalid', { share: undefined }],
    ['change_invalid', { share: '-1' }],
    ['change_invalid', { share: 1 }],
    ['change_invalid', { share: '1.01' }],
    ['change_invalid', { share: '2' }],
    ['change_invalid', { transactionId: '' }],
    ['change_time_invalid', { at: 'yesterday' }],
    ['change_time_invalid', { at: '9999-01-01T00:00:00.000Z' }],
    ['change_time_invalid', { refundedAt: 5 }],
    ['change_time_invalid', { recordedAt: '2999-01-01T00:00:00.000Z' }],
    ['player_erased', { userId: erasedId }],
  ];
  const path = join(folder, 'bad.ndjson');
  const event = { ...good, eventType: 'Level_Up', timestamp: good.at, payload: {} };
  const shares = ['0', '0.0', '1', '1.00'].map((share, n) => ({ ...good, transactionId: `t${n}`, share }));
  const lines = [good, ...shares, { ...good, change: 'moved', share: undefined }, event];
  await writeFile(
    path,
    [...bad.map(([, members]) => ({ ...good, ...members })), ...lines]
      .map((line) => `${JSON.stringify(line)}\n`)
      .join(''),
  );
  const shown: { code: string; message: string }[] = [];
  const findErased = async (userIds: readonly string[]) => new Set(userIds.filter((id) => id === erasedId));
  const { progress } = await runImport(
    copy.pool,
    eventImporter(copy.pool, game.copyGame, Date.now(), findErased),
    options(game.copyGame, path, { onRejected: (line) => shown.push(line) }),
  );
  expect(shown.map(({ code }) => code)).toEqual(bad.map(([code]) => code));
  for (const { message } of shown) expect(message).toMatch(/^[A-Za-z].{15,}\.$/);
  expect(progress).toMatchObject({ imported: lines.length, rejected: bad.length });
  const { events } = (
    await copy.pool.query('select sum(event_count)::int as events from players where game_id = $1', [
      game.copyGame,
    ])
  ).rows[0];
  expect(events).toBe(1);
});

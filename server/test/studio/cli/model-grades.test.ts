import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCommand } from '../../support/command.js';
import { createGameWorld, DAY_MS, type GameWorld } from '../../support/game-world.js';

/** What `models grades` prints of what is kept. */

let world: GameWorld;
beforeAll(async () => {
  world = await createGameWorld();
});
afterAll(() => world.close());
const grades = (...args: string[]) =>
  runCommand(world.url, 'models', 'grades', '--tenant', world.tenant, '--game', 'game', ...args);

it('shows weeks, and totals of 28 and 90 days, newest first', async () => {
  const gameId = await world.addGame('game');
  const other = await world.addGame('other');
  const none = await grades();
  expect(none).toMatchObject({ code: 0, errors: '' });
  expect(none.out).toContain('Nothing has been graded in these days.');

  // Once: midnight may come while the commands run.
  const now = Date.now();
  const day = (ago: number) => new Date(now - ago * DAY_MS).toISOString().slice(0, 10);
  const deciles = [
    { players: 4_105.5, predicted: 0.2, observed: 0.21 },
    { players: 4_105.5, predicted: 0.75, observed: 0.74 },
  ];
  const week = { players: 8_211, ece: 0.0112, brierSkill: 0.3514, totalRatio: 1.024, deciles };
  const quarter = { players: 640, predicted: 10, observed: 0, totalRatio: null, deviations: 9, deciles: [] };
  for (const [game, ago, model, version, wasTold, metrics, health] of [
    [gameId, 2, 'activity', 3, true, week, 'green'],
    [gameId, 2, 'purchases.revenue90', 4, false, quarter, 'red'],
    [gameId, 200, 'activity', 1, true, week, 'green'],
    [other, 2, 'conversion', 9, true, week, 'green'],
  ] as const) {
    await world.pool.query(
      `insert into prediction_grades (game_id, day, model, model_version, was_told, metrics, health, graded_at)
       values ($1, $2, $3, $4, $5, $6, $7, now())`,
      [game, day(ago), model, version, wasTold, metrics, health],
    );
  }
  const shown = await grades();
  expect(shown).toMatchObject({ code: 0, errors: '' });
  const [head, ...lines] = shown.out.trim().split('\n');
  expect(head).toMatch(
    /^day +model +version +players +predicted \/ observed +calibration error +Brier skill +health$/,
  );
  expect(lines).toEqual([
    expect.stringMatching(/ activity +3 +8,211 +1\.02 +0\.0112 +0\.351 +green$/),
    expect.stringMatching(/ purchases\.revenue90 +4 +640 +– +red +was not in force then$/),
  ]);
  expect((await grades('--days', '300')).out.trim().split('\n')).toHaveLength(4);
  const byTenths = (await grades('--deciles')).out.split('\n').slice(3);
  expect(byTenths.map((line) => line.trim().replace(/ +/g, ' '))).toEqual([
    '',
    `${day(2)}, activity, version 3:`,
    'players predicted observed',
    '4,106 0.2000 0.2100',
    '4,106 0.7500 0.7400',
    '',
  ]);

  const wrong = await grades('--days', '0');
  expect(wrong.code).toBe(1);
  expect(wrong.errors).toContain('--days is "0": give a whole number from 1 to 366.');
});

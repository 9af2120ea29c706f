import { afterAll, beforeAll, expect, it } from 'vitest';
import { simulateGame } from '../../decide/predict/simulated-game.js';
import { runCommand } from '../../support/command.js';
import { createGameWorld, DAY_MS, type GameWorld } from '../../support/game-world.js';
import { insertSimulatedPlayers } from '../../support/simulated-rows.js';

/** What `train` and `models` print of a game with models. */

const DAYS = 84;
/** The first day of every simulated game. */
const START_DAY = 20_000;

let world: GameWorld;
let gameId: number;
beforeAll(async () => {
  world = await createGameWorld();
  gameId = await world.addGame('game');
  await world.addGame('other');
  const today = Math.floor(Date.now() / DAY_MS);
  const { players } = simulateGame(11, 2_600, DAYS);
  await insertSimulatedPlayers(world.pool, gameId, players, today - START_DAY - DAYS);
});
afterAll(() => world.close());

const run = async (...args: string[]) => {
  const { out, errors, code } = await runCommand(
    world.url,
    ...args,
    '--tenant',
    world.tenant,
    '--game',
    'game',
  );
  expect(code, errors).toBe(0);
  return out;
};

/** The lines below a title, until the next one. */
function below(out: string, title: string): string[] {
  const lines = out.split('\n');
  const from = lines.findIndex((line) => line.startsWith(title));
  expect(from, `${title} in\n${out}`).toBeGreaterThanOrEqual(0);
  const rest = lines.slice(from + 1);
  const end = rest.findIndex((line) => !line.startsWith(' '));
  return [lines[from] as string, ...rest.slice(0, end < 0 ? undefined : end)];
}

const NUMBER = String.raw`[\d.e+-]+`;
const BG_BB = new RegExp(
  `BG/BB.*, [\\d,]+ players: alpha ${NUMBER}, beta ${NUMBER}, gamma ${NUMBER}, delta ${NUMBER}$`,
);
/** Where all players had the same outcome, there is no AUC and no Brier skill. */
const METRICS =
  /[\d,]+ players, AUC (?:0\.\d{3}|–), Brier skill (?:-?0\.\d{3}|–), calibration error 0\.\d{4} \(chance alone 0\.\d{4}\), predicted \/ observed \d+\.\d\d$/;

it('says that nothing was trained yet', async () => {
  expect(await run('models', 'list')).toContain(
    'Nothing has been trained yet. Train: savepoint train --tenant studio --game game',
  );
  const shown = await runCommand(world.url, 'models', 'show', '--tenant', world.tenant, '--game', 'game');
  expect(shown).toMatchObject({
    code: 1,
    errors: expect.stringContaining('Nothing has been trained yet.'),
  });
});

it('reports a training: what it read, each model with its parameters and tests, and that it is in force', async () => {
  const out = await run('train');
  expect(out).toMatch(/^Read 2,600 players, payers among them: \d+\.$/m);
  expect(out).toMatch(/^Grouped into [\d,]+ cells of equal players over 12 weeks in \d+\.\d s; /m);
  const activity = below(out, 'activity (churn): promoted. Its guesses for ');
  expect(activity[1]).toMatch(BG_BB);
  expect(activity[2]).toMatch(
    /^ {2}learnt from (the players of this game|other games and this one, whose players decide \d+%)$/,
  );
  expect(activity[3]).toMatch(new RegExp(`^  newest week: ${METRICS.source}`));
  expect(activity[4]).toMatch(new RegExp(`^  a week before that: ${METRICS.source}`));
  expect(below(out, 'purchases (what payers do): ')[1]).toMatch(
    new RegExp(`MBG/NBD.*: r ${NUMBER}, alpha ${NUMBER}, a ${NUMBER}, b ${NUMBER}`),
  );
  expect(below(out, 'conversion (who becomes a payer): ')[1]).toMatch(
    /^ {2}logistic regression, [\d,]+ players: /,
  );
  expect(out.trim().split('\n').at(-1)).toBe('Model 1 is in force.');
});

it('prints a refused model with its own parameters, beside the one that is kept', async () => {
  // Every second player has not come for a week, which no model has learnt yet: percentages are wrong, and still better than the average.
  // Days of every fifth player are deleted, so that the fit differs.
  await world.pool.query(
    `delete from player_days where ((day >= (now() at time zone 'UTC')::date - 7 and player_id % 2 = 0) or player_id % 5 = 0)
     and player_id in (select id from players where game_id = $1)`,
    [gameId],
  );
  const out = await run('train');
  const activity = below(out, 'activity (churn): refused. Its percentages were off by ');
  expect(activity[0]).toContain('The model in force before is kept.');
  expect(activity[1]).toMatch(BG_BB);
  expect(activity.at(-1)).toMatch(new RegExp(`^  kept: ${BG_BB.source}`));
  expect(activity.at(-1)?.replace('kept: ', '')).not.toBe(activity[1]);
  // Its averages are fresh, so it is in force, with the models that are kept.
  expect(out.trim().split('\n').at(-1)).toBe('Model 2 is in force.');
  // Without a number, `show` is about the model in force.
  const shown = await run('models', 'show');
  expect(shown).toMatch(/^Model 2, trained by .+ with all days until \d{4}-\d\d-\d\d in \d+\.\d s\.$/m);
  expect(shown).toContain(activity.join('\n'));
  const first = await run('models', 'show', '--model', '1');
  expect(below(first, 'activity (churn): promoted.')[1]).toBe(activity.at(-1)?.replace('kept: ', ''));
});

it('lists trainings, and which one is in force', async () => {
  const [head, ...lines] = (await run('models', 'list')).trim().split('\n');
  expect(head).toMatch(/^model +last day +state +outcome +by$/);
  expect(lines).toEqual([
    expect.stringMatching(/^ +2 +\d{4}-\d\d-\d\d +in force +activity refused, purchases .+, conversion /),
    expect.stringMatching(/^ +1 +\d{4}-\d\d-\d\d +activity promoted, /),
  ]);
  const newest = await run('models', 'list', '--limit', '1');
  expect(newest).toContain('Older ones: the same command with --before 2\n');
  const older = (await run('models', 'list', '--before', '2')).trim().split('\n');
  expect(older.slice(1)).toEqual([expect.stringMatching(/^ +1 +\d{4}-\d\d-\d\d +activity promoted, /)]);
  expect(await run('models', 'list', '--before', '1')).toBe('There are no older trainings.\n');
});

it('compares a refused model, not the kept one, with another training', async () => {
  const out = await run('models', 'compare', '--model', '2', '--with', '1');
  const [, ...lines] = below(out, 'activity:');
  const [refused, own, kept, keptWeek, present, parameters] = lines;
  expect(refused).toMatch(
    new RegExp(`^  model 2: refused: its percentages were off by .+: ${METRICS.source}`),
  );
  expect(own).toMatch(new RegExp(`^    ${BG_BB.source}`));
  expect(kept).toMatch(new RegExp(`^    kept: ${BG_BB.source}`));
  expect(keptWeek).toMatch(new RegExp(`^    newest week of the kept model: ${METRICS.source}`));
  expect(present).toMatch(new RegExp(`^  model 1: ${METRICS.source}`));
  expect(parameters).toBe(kept?.replace('kept: ', ''));
  expect(parameters).not.toBe(own);

  const missing = await runCommand(
    ...([world.url, 'models', 'compare', '--model', '9'] as const),
    ...['--tenant', world.tenant, '--game', 'game'],
  );
  expect(missing).toMatchObject({
    code: 1,
    errors: expect.stringContaining(
      'There is no model 9. List them: savepoint models list --tenant studio --game game',
    ),
  });
});

import { afterAll, beforeAll, expect, it } from 'vitest';
import { keepErasedSums } from '../../src/experiments/keep-erased.js';
import { withDedicatedConnection } from '../../src/platform/db/dedicated-connection.js';
import { experiment } from '../decide/support/fixtures.js';
import { createHarness, type Harness } from '../support/harness.js';
import { addGame, addPlayers, at, dayOf, expose, NOW, publish, sum } from './support/experiment-world.js';

let harness: Harness;
beforeAll(async () => {
  harness = await createHarness();
  harness.clock.set(NOW);
});
afterAll(() => harness.close());

/** A game with an experiment of a name that others have, too. */
async function addPlayed(slug: string, count: number) {
  const gameId = await addGame(harness, slug);
  const test = experiment('new_experiment');
  await publish(harness, gameId, [test], { nowMs: at(5) });
  const players = await addPlayers(harness, gameId, count, at(5));
  await expose(harness, players, test, () => ({ variantId: 'a', exposedAt: at(4) }));
  return { gameId, test, players };
}

it('players who are erased together stay in the experiment of their own game', async () => {
  const [one, other] = [await addPlayed('one', 3), await addPlayed('other', 5)];
  await sum(harness, {});
  const kept = await withDedicatedConnection(harness.pool, async (connection) => {
    const players = [...one.players, ...other.players].map(({ playerId }) => playerId);
    await keepErasedSums(connection, players, NOW);
    const { rows } = await connection.query(
      'select game_id as "gameId", variant_id as "variantId", players from experiment_erased order by game_id',
    );
    return rows;
  });
  expect(kept).toEqual([
    { gameId: one.gameId, variantId: 'a', players: 3 },
    { gameId: other.gameId, variantId: 'a', players: 5 },
  ]);
});

it('players who are erased while an experiment is stopped stay in it, and it says so when it runs again', async () => {
  const { gameId, test, players } = await addPlayed('stopped', 5);
  await sum(harness, { nowMs: at(3) });
  await publish(harness, gameId, [{ ...test, state: 'stopped' }], { nowMs: at(3) });
  const erased = players.slice(0, 2).map(({ playerId }) => playerId);
  await withDedicatedConnection(harness.pool, (connection) => keepErasedSums(connection, erased, at(2)));
  await harness.pool.query('delete from experiment_exposures where player_id = any($1)', [erased]);
  await publish(harness, gameId, [test], { nowMs: at(1) });
  await sum(harness, {});
  const { rows } = await harness.pool.query(
    `select variant_id as "variantId", players, erased from experiment_sums where game_id = $1 and day = $2`,
    [gameId, dayOf(at(1))],
  );
  expect(rows).toEqual([{ variantId: 'a', players: 5, erased: 2 }]);
});

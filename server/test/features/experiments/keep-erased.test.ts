import { afterAll, beforeAll, expect, it } from 'vitest';
import { withDedicatedConnection } from '../../../src/db/dedicated-connection.js';
import { keepErasedSums } from '../../../src/features/experiments/keep-erased.js';
import { experiment } from '../../personalisation/support/fixtures.js';
import { createHarness, type Harness } from '../../support/harness.js';
import { addGame, addPlayers, at, expose, NOW, publish, sum } from './support/experiment-world.js';

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
  return { gameId, players };
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

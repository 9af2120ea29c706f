import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { DedicatedConnection } from '../../../src/db/dedicated-connection.js';
import { experiment } from '../../personalisation/support/fixtures.js';
import { createHarness, type Harness } from '../../support/harness.js';
import { watch } from '../analytics/breakdowns/breakdown-world.js';
import { addGame, addPlayers, at, expose, NOW, publish, sum } from './support/experiment-world.js';

/** Which experiments of a game are summed in one walk, and what becomes of the others when one stands in the way. */

let harness: Harness;
beforeAll(async () => {
  harness = await createHarness();
  harness.clock.set(NOW);
});
afterAll(() => harness.close());

it('lets other work run while the players of a chunk are summed', async () => {
  const id = await addGame(harness, 'sliced');
  const test = experiment('test');
  await publish(harness, id, [test], { nowMs: at(5) });
  const players = await addPlayers(harness, id, 3, at(5));
  await expose(harness, players, test, () => ({ variantId: 'a', exposedAt: at(4) }));
  // Whoever looks at the clock finds that the time slice is over.
  let now = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => {
    now += 1_000;
    return now;
  });
  let turns = 0;
  let isSumming = false;
  const countTurns = () => {
    if (!isSumming) return;
    turns++;
    setImmediate(countTurns);
  };
  const summed = sum(harness, {}, (connection) =>
    watch(connection, {
      before: () => {
        isSumming = false;
      },
      after: (text) => {
        if (!text.includes('"startDay"')) return;
        isSumming = true;
        setImmediate(countTurns);
      },
    }),
  );
  expect((await summed.finally(() => vi.restoreAllMocks())).experimentsSummed).toBe(1);
  // Each player once for the figures, and once for the sums.
  expect(turns).toBeGreaterThanOrEqual(2 * players.length - 1);
});

/** A game with experiments, each with players of its own. */
async function addExperiments(slug: string, experimentIds: readonly string[]): Promise<number> {
  const id = await addGame(harness, slug);
  const experiments = experimentIds.map((experimentId) => experiment(experimentId));
  await publish(harness, id, experiments, { nowMs: at(5) });
  for (const each of experiments) {
    const players = await addPlayers(harness, id, 30, at(5));
    await expose(harness, players, each, () => ({ variantId: 'a', exposedAt: at(4) }));
  }
  return id;
}

/** Looks at each statement of a connection, with its values. */
function beforeStatements(
  connection: DedicatedConnection,
  look: (text: string, values: unknown[]) => void,
): void {
  const query = connection.query.bind(connection) as (text: string, values?: unknown[]) => Promise<unknown>;
  connection.query = (async (text: string, values: unknown[] = []) => {
    look(text, values);
    return query(text, values);
  }) as never;
}

it('sums each alone where the walk of all fails', async () => {
  const id = await addExperiments('failing', ['fails', 'works_a', 'works_b']);
  const summed = sum(harness, {}, (connection) => {
    const query = connection.query.bind(connection) as (text: string, values?: unknown[]) => Promise<unknown>;
    connection.query = (async (text: string, values: unknown[] = []) => {
      if (text.includes('with page as') && values[1] === 'fails') throw new Error('cannot be walked');
      return query(text, values);
    }) as never;
  });
  await expect(summed).rejects.toThrow('cannot be walked');
  const { rows } = await harness.pool.query(
    'select experiment_id as id, players from experiment_sums where game_id = $1 order by id',
    [id],
  );
  expect(rows).toEqual([
    { id: 'works_a', players: 30 },
    { id: 'works_b', players: 30 },
  ]);
});

it('goes on with the walk of the others when somebody asks for one that is summed', async () => {
  const id = await addExperiments('asked', ['asked', 'other_a', 'other_b']);
  await sum(harness);
  await harness.pool.query(
    `update experiment_runs set day = null where game_id = $1 and experiment_id <> 'asked'`,
    [id],
  );
  const read: string[] = [];
  /** Notes whose days are read. */
  const note = (connection: DedicatedConnection, onPage = () => {}) =>
    beforeStatements(connection, (text, values) => {
      if (text.includes('with page as')) onPage();
      if (text.includes('"startDay"')) read.push(...(values[0] as string[]));
    });
  const stop = new AbortController();
  let pages = 0;
  const stopped = await sum(harness, { signal: stop.signal, playersPerChunk: 10 }, (connection) =>
    note(connection, () => {
      if (++pages === 2) stop.abort();
    }),
  );
  expect(stopped.isDone).toBe(false);
  expect(read).toHaveLength(20);
  await harness.pool.query(
    `update experiment_runs set requested_at = $2 where game_id = $1 and experiment_id = 'asked'`,
    [id, new Date(NOW)],
  );
  expect((await sum(harness, { nowMs: NOW + 60_000 }, note)).experimentsSummed).toBe(3);
  // Nobody is in two of them: each is read once.
  expect(read).toHaveLength(90);
  expect(new Set(read).size).toBe(90);
});

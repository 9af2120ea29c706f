import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { DedicatedConnection } from '../../src/platform/db/dedicated-connection.js';
import { experiment } from '../decide/support/fixtures.js';
import { watch } from '../insight/analytics/breakdowns/breakdown-world.js';
import { createHarness, type Harness } from '../support/harness.js';
import { addGame, addPlayers, at, expose, NOW, numbersOf, publish, sum } from './support/experiment-world.js';

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
        if (!text.includes('"startDays"')) return;
        isSumming = true;
        setImmediate(countTurns);
      },
    }),
  );
  expect((await summed.finally(() => vi.restoreAllMocks())).experimentsSummed).toBe(1);
  expect(turns).toBeGreaterThanOrEqual(players.length - 1);
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
      if (text.includes('order by exposed_at, player_id') && values[1] === 'fails')
        throw new Error('cannot be walked');
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

/** Whose days are read by a connection. */
function noteReads(connection: DedicatedConnection, read: number[], onRead = () => {}): void {
  beforeStatements(connection, (text, values) => {
    if (!text.includes('"startDays"')) return;
    read.push(...numbersOf(values[0]));
    onRead();
  });
}

async function playersOf(gameId: number, experimentIds: readonly string[]): Promise<number[]> {
  const { rows } = await harness.pool.query<{ id: number }>(
    `select distinct player_id::int as id from experiment_exposures where game_id = $1 and experiment_id = any($2) order by id`,
    [gameId, experimentIds],
  );
  return rows.map(({ id }) => id);
}

/** Ends a walk in the middle. Returns the last player whom it has added. */
async function interrupt(gameId: number): Promise<number> {
  const stop = new AbortController();
  let chunks = 0;
  const stopped = await sum(harness, { signal: stop.signal, playersPerChunk: 10 }, (connection) =>
    noteReads(connection, [], () => {
      if (++chunks === 2) stop.abort();
    }),
  );
  expect(stopped.isDone).toBe(false);
  const { rows } = await harness.pool.query<{ behind: number }>(
    `select (walk ->> 'behind')::int as behind from experiment_runs where game_id = $1 and walk is not null`,
    [gameId],
  );
  return rows[0]?.behind ?? 0;
}

describe('a walk that was interrupted goes on', () => {
  const others = ['other_a', 'other_b'];

  /** After `interrupt`. Nobody is in two of the experiments. */
  async function expectToGoOn(gameId: number, behind: number): Promise<void> {
    const ofOthers = await playersOf(gameId, others);
    const left = ofOthers.filter((id) => id > behind);
    expect(left.length).toBeLessThan(ofOthers.length);
    const read: number[] = [];
    const { experimentsSummed } = await sum(harness, { nowMs: NOW + 60_000 }, (connection) =>
      noteReads(connection, read),
    );
    expect(experimentsSummed).toBe(3);
    expect(read.sort((a, b) => a - b)).toEqual(
      [...(await playersOf(gameId, ['also'])), ...left].sort((a, b) => a - b),
    );
    const { rows } = await harness.pool.query('select players from experiment_sums where game_id = $1', [
      gameId,
    ]);
    expect(rows).toEqual([{ players: 30 }, { players: 30 }, { players: 30 }]);
  }

  it('when somebody asks for an experiment that is summed', async () => {
    const id = await addExperiments('asked', ['also', ...others]);
    await sum(harness);
    await harness.pool.query(
      `update experiment_runs set day = null where game_id = $1 and experiment_id <> 'also'`,
      [id],
    );
    const behind = await interrupt(id);
    await harness.pool.query(
      `update experiment_runs set requested_at = $2 where game_id = $1 and experiment_id = 'also'`,
      [id, new Date(NOW)],
    );
    await expectToGoOn(id, behind);
  });

  it('when one more experiment is published', async () => {
    await sum(harness);
    const id = await addExperiments('published', others);
    const behind = await interrupt(id);
    const also = experiment('also');
    await publish(harness, id, [also, ...others.map((each) => experiment(each))], { nowMs: at(4) });
    const players = await addPlayers(harness, id, 30, at(4));
    await expose(harness, players, also, () => ({ variantId: 'a', exposedAt: at(3) }));
    await expectToGoOn(id, behind);
  });
});

it('reads a player once for all experiments that are asked for', async () => {
  const id = await addGame(harness, 'requested');
  const experiments = ['one', 'two', 'three'].map((each) => experiment(each));
  await publish(harness, id, experiments, { nowMs: at(5) });
  const players = await addPlayers(harness, id, 30, at(5));
  for (const each of experiments) {
    await expose(harness, players, each, () => ({ variantId: 'a', exposedAt: at(4) }));
  }
  await sum(harness);
  await harness.pool.query('update experiment_runs set requested_at = $2 where game_id = $1', [
    id,
    new Date(NOW),
  ]);
  const read: number[] = [];
  const { experimentsSummed } = await sum(harness, { nowMs: NOW + 60_000 }, (connection) =>
    noteReads(connection, read),
  );
  expect(experimentsSummed).toBe(3);
  expect(read).toEqual(players.map(({ playerId }) => Number(playerId)));
});

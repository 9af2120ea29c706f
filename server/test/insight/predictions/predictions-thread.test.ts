/** @module-tag full */
import { describe, expect, it } from 'vitest';
import { runPredictionsInThread } from '../../../src/insight/predictions/run-predictions-thread.js';

/** What happens when a game needs more memory or time than it may. */

const THREAD = new URL('greedy-thread.mjs', import.meta.url);
const MUCH = { memoryMb: 1_024, gameMs: 600_000 };

/** `what`: as in the file of the thread. */
async function run(what: number, limits: Partial<typeof MUCH> = {}, signal = new AbortController().signal) {
  const options = { nowMs: 0, trainingDays: what, signal };
  const results = await runPredictionsInThread('', options, THREAD, { ...MUCH, ...limits });
  return results.map(({ game, failure }) => [game, failure]);
}

describe('the thread that trains', () => {
  it('goes on with the next game when one runs out of memory', async () => {
    const memory = expect.stringContaining('memory');
    // The new thread was told what ended the one before.
    expect(await run(0, { memoryMb: 24 })).toEqual([
      ['fine', null],
      ['greedy', memory],
      ['last', memory],
    ]);
  });

  it('goes on with the next game when one runs out of time', async () => {
    const late = 'it took longer than 0.1 minutes';
    expect(await run(1, { gameMs: 6_000 })).toEqual([
      ['fine', null],
      ['endless', late],
      ['last', late],
    ]);
  });

  it('fails as a whole where it fails outside of a game', async () => {
    await expect(run(2)).rejects.toThrow('the database is away');
  });

  it('ends when it is stopped', async () => {
    const stopping = new AbortController();
    stopping.abort();
    // The thread runs until it is told to end: on a busy machine it may have finished the first game by then.
    expect([[], [['fine', null]]]).toContainEqual(await run(0, {}, stopping.signal));
  });
});

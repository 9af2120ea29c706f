import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { endSimulation, openLiveRun, openStateFile, StateFileError } from '../src/driver/state-file.js';
import { emptyTally } from '../src/model/tally.js';

const WANTED = { seed: 1, players: 1, days: 10, target: 'http://127.0.0.1 key' };
const NOW = Date.parse('2026-11-19T12:00:00Z');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'savepoint-state-'));
});
afterAll(() => rm(folder, { recursive: true }));

it('is not finished before the sequel is, however often the simulation is killed', async () => {
  const file = join(folder, 'sequel.ndjson');
  const first = await openStateFile(file, { ...WANTED, hasSequel: true }, NOW);
  first.add({ player: 0, acknowledged: 5, refused: {}, tally: emptyTally() });
  first.close();
  // The line of the end was cut off.
  await appendFile(file, '{"isEnd');

  // It goes on also where the sequel is not asked for again: the caller is told of it.
  const again = await openStateFile(file, WANTED, NOW + 1);
  again.close();
  expect(again).toMatchObject({ run: first.run, isResumed: true, hasSequel: true, acknowledged: 5 });
  expect(again.finished).toEqual(new Set([0]));
  await expect(openLiveRun(file, WANTED, NOW + 2)).rejects.toThrow(StateFileError);

  await endSimulation(file);
  expect(await openLiveRun(file, WANTED, NOW + 3)).toMatchObject({ run: first.run });
  const next = await openStateFile(file, WANTED, NOW + 4);
  next.close();
  expect(next).toMatchObject({ isResumed: false, hasSequel: false });
  expect(next.run).not.toBe(first.run);
});

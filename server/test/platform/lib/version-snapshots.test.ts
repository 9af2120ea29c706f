import { expect, it } from 'vitest';
import { createVersionSnapshots } from '../../../src/platform/lib/version-snapshots.js';

type State = { version: number };

function loads() {
  const asked: number[] = [];
  const ends = new Map<number, () => void>();
  const load = (_gameId: number, version: number): Promise<State> => {
    asked.push(version);
    return new Promise((resolve) => ends.set(version, () => resolve({ version })));
  };
  return { asked, load, end: (version: number) => ends.get(version)?.() };
}

it('loads a version once for all who ask meanwhile, and has it from then on', async () => {
  const { asked, load, end } = loads();
  const snapshots = createVersionSnapshots<State>({ version: 0 }, load);
  expect(snapshots.get(1, 0)).toEqual({ version: 0 });
  const both = [snapshots.get(1, 5), snapshots.get(1, 5)];
  end(5);
  expect(await Promise.all(both)).toEqual([{ version: 5 }, { version: 5 }]);
  expect(snapshots.get(1, 5)).toEqual({ version: 5 });
  expect(asked).toEqual([5]);
});

it('keeps the newer version when an older one is loaded more slowly', async () => {
  const { asked, load, end } = loads();
  const snapshots = createVersionSnapshots<State>({ version: 0 }, load);
  const older = snapshots.get(1, 1);
  const newer = snapshots.get(1, 2);
  end(2);
  await newer;
  end(1);
  expect(await older).toEqual({ version: 1 });
  expect(snapshots.get(1, 2)).toEqual({ version: 2 });
  expect(asked).toEqual([1, 2]);
});

it('asks again after a failure', async () => {
  let failures = 1;
  const snapshots = createVersionSnapshots<State>({ version: 0 }, async (_gameId, version) => {
    if (failures-- > 0) throw new Error('the database is away');
    return { version };
  });
  await expect(snapshots.get(1, 3)).rejects.toThrow('away');
  expect(await snapshots.get(1, 3)).toEqual({ version: 3 });
});

import { expect, it } from 'vitest';
import type { SimulatorModule } from '../../server/src/studio/cli/simulator-module.js';
import * as simulator from '../src/index.js';

it('offers what `savepoint simulate` needs', () => {
  // The command is compiled without this package: here the compiler compares the two.
  const asTheCommandSeesIt: SimulatorModule = simulator;
  expect(Object.keys(asTheCommandSeesIt).sort()).toEqual([
    'SimulationError',
    'StateFileError',
    'endSimulation',
    'simulate',
    'simulateLive',
    'trueChange',
  ]);
});

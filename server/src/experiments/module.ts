import type { Module } from '../studio/module-type.js';

/** What experiments have shown: sums, reports, plans, grades of the method. */
export const experiments: Module = {
  name: 'experiments',
  operations: async () => (await import('./operations.js')).openExperiments,
  commands: {
    experiments: async () => (await import('./cli/experiment-commands.js')).experimentCommands(),
  },
};

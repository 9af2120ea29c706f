import type { Module } from '../../studio/module-type.js';

/** Events that clients have lost, by their own numbers. */
export const losses: Module = {
  name: 'losses',
  operations: async () => (await import('./operations.js')).openLosses,
  commands: {
    losses: async () => (await import('../cli/loss-command.js')).lossCommand(),
  },
};

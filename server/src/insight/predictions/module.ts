import type { Module } from '../../studio/module-type.js';

/** Training and grading the models of predictions. */
export const predictions: Module = {
  name: 'predictions',
  operations: async () => (await import('./operations.js')).openPredictions,
  commands: {
    train: async () => (await import('../cli/train-command.js')).trainCommand(),
    models: async () => (await import('../cli/model-commands.js')).modelCommands(),
  },
};

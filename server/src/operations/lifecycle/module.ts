import type { Module } from '../../studio/module-type.js';

/** The state of the installation, and how long events are kept. */
export const lifecycle: Module = {
  name: 'lifecycle',
  operations: async () => (await import('./operations.js')).openLifecycle,
  commands: {
    retention: async () => (await import('../cli/retention-commands.js')).retentionCommands(),
  },
};

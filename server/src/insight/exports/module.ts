import type { Module } from '../../studio/module-type.js';

/** Events as a file, made in the background. */
export const exports: Module = {
  name: 'exports',
  operations: async () => (await import('./operations.js')).openExports,
  commands: {
    export: async () => (await import('../cli/export-commands.js')).exportCommands(),
  },
};

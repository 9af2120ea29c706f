import type { Module } from '../../studio/module-type.js';

/** Players and their history from elsewhere. */
export const imports: Module = {
  name: 'imports',
  commands: {
    import: async () => (await import('../cli/import-commands.js')).importCommands(),
  },
};

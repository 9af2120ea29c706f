import type { Module } from '../studio/module-type.js';

/** What a studio decides: drafts and publications, overrides, audiences, dry runs, explanations, own attributes. */
export const liveops: Module = {
  name: 'liveops',
  operations: async () => (await import('./operations.js')).openLiveops,
  commands: {
    config: async () => (await import('./cli/config-commands.js')).configCommands(),
    catalogue: async () => (await import('./cli/catalogue-commands.js')).catalogueCommands(),
    note: async () => (await import('./cli/note-commands.js')).noteCommands(),
    override: async () => (await import('./cli/override-commands.js')).overrideCommands(),
    pin: async () => (await import('./cli/pin-commands.js')).pinCommands(),
    explain: async () => (await import('./cli/explain-command.js')).explainCommand(),
  },
};

import type { Module } from '../../studio/module-type.js';

/** The types of events of a game, and their schemas. */
export const eventTypes: Module = {
  name: 'event_types',
  operations: async () => (await import('./operations.js')).openEventTypes,
  commands: {
    'event-type': async () => (await import('../cli/event-type-commands.js')).eventTypeCommands(),
  },
};

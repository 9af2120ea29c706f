import type { Module } from '../../studio/module-type.js';

/** The inbox of rejected events: reading, replaying and deleting them. */
export const failedEvents: Module = {
  name: 'failed_events',
  operations: async () => (await import('./operations.js')).openFailedEvents,
  commands: {
    'failed-events': async () => (await import('../cli/failed-event-commands.js')).failedEventCommands(),
  },
};

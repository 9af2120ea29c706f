import type { Module } from '../../studio/module-type.js';

/** Small blocks of events are gathered into large ones after their day. */
export const eventStorage: Module = {
  name: 'event_storage',
  operations: async () => (await import('./operations.js')).openEventStorage,
};

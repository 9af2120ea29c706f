import type { Module } from '../../studio/module-type.js';

/** Events of a game as they arrive. */
export const live: Module = {
  name: 'live',
  operations: async () => (await import('./operations.js')).openLive,
};

import type { Module } from '../../studio/module-type.js';

/** What a game's personalisation brings: players who are held out of it, and the others. */
export const holdouts: Module = {
  name: 'holdouts',
  operations: async () => (await import('./operations.js')).openHoldouts,
};

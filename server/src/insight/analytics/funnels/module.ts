import type { Module } from '../../../studio/module-type.js';

/** How many players take one step after another. */
export const funnels: Module = {
  name: 'funnels',
  operations: async () => (await import('./operations.js')).openFunnels,
};

import type { Module } from '../../studio/module-type.js';

/** What a document would have done on past days. */
export const backTests: Module = {
  name: 'back_tests',
  operations: async () => (await import('./operations.js')).openBackTests,
};

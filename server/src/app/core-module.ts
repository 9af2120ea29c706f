import type { Module } from '../studio/module-type.js';

/** Players, sessions and events. Its manifest stands here, because core lies below the type of manifests. */
export const core: Module = {
  name: 'core',
  operations: async () => (await import('./core-operations.js')).openCore,
};

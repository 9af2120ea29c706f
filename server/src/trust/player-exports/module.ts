import type { Module } from '../../studio/module-type.js';

/** What is stored about a player, as a file. */
export const playerExports: Module = {
  name: 'player_exports',
  operations: async () => (await import('./operations.js')).openPlayerExports,
  worker: async () => (await import('./worker.js')).openPlayerExportRoute,
};

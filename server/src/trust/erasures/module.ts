import type { Module } from '../../studio/module-type.js';

/** Erasing what is known of a player: on request of the player, of the studio, or from the page of the game. */
export const erasures: Module = {
  name: 'erasures',
  operations: async () => (await import('./operations.js')).openErasures,
  worker: async () => (await import('./worker.js')).openErasureRoutes,
  commands: {
    erase: async () => (await import('../cli/erase-command.js')).eraseCommands(),
  },
};

import type { Module } from '../../studio/module-type.js';

/** The events of a player, and what else happened to them. */
export const timelines: Module = {
  name: 'timelines',
  operations: async () => (await import('./operations.js')).openTimelines,
};

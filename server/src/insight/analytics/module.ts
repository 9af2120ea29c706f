import type { Module } from '../../studio/module-type.js';

/** Players, revenue and retention from roll-ups; installs; breakdowns. */
export const analytics: Module = {
  name: 'analytics',
  operations: async () => (await import('./operations.js')).openAnalytics,
  commands: {
    rollups: async () => (await import('../cli/rollup-commands.js')).rollupCommands(),
  },
};

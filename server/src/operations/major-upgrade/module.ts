import type { Module } from '../../studio/module-type.js';

/** The embedded database on the next major version of PostgreSQL. */
export const majorUpgrade: Module = {
  name: 'major_upgrade',
  commands: {
    upgrade: async () => (await import('../cli/upgrade-command.js')).upgradeCommand(),
  },
};

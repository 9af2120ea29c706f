import type { Module } from '../../studio/module-type.js';

/** Backups of the embedded database, and the archive of its log. */
export const backups: Module = {
  name: 'backups',
  operations: async () => (await import('./operations.js')).openBackups,
  commands: {
    backup: async () => (await import('../cli/backup-commands.js')).backupCommands(),
    restore: async () => (await import('../cli/restore-command.js')).restoreCommand(),
  },
};

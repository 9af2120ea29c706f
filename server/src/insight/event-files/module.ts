import type { Module } from '../../studio/module-type.js';

/** Closed days of events as Parquet files, and questions to them in SQL. */
export const eventFiles: Module = {
  name: 'event_files',
  operations: async () => (await import('./operations.js')).openEventFiles,
  commands: {
    'event-files': async () => (await import('../cli/event-files-commands.js')).eventFilesCommands(),
    sql: async () => (await import('../cli/sql-command.js')).sqlCommand(),
  },
};

import type { Command } from 'commander';

/**
 * In the order of the help. Each is loaded when it is asked for: the code of all of them together takes longer to load than
 * a start may.
 */
export const COMMANDS = new Map<string, () => Promise<Command>>(
  Object.entries({
    start: async () => (await import('./service-commands.js')).startCommand(),
    consume: async () => (await import('./service-commands.js')).consumeCommand(),
    migrate: async () => (await import('../../operations/cli/migrate-command.js')).migrateCommand(),
    backup: async () => (await import('../../operations/cli/backup-commands.js')).backupCommands(),
    restore: async () => (await import('../../operations/cli/restore-command.js')).restoreCommand(),
    upgrade: async () => (await import('../../operations/cli/upgrade-command.js')).upgradeCommand(),
    tenant: async () => (await import('../../studio/cli/tenancy-commands.js')).tenantCommands(),
    game: async () => (await import('../../studio/cli/tenancy-commands.js')).gameCommands(),
    key: async () => (await import('../../studio/cli/key-commands.js')).keyCommands(),
    'admin-token': async () =>
      (await import('../../studio/cli/admin-token-commands.js')).adminTokenCommands(),
    admin: async () => (await import('../../studio/cli/admin-commands.js')).adminCommands(),
    config: async () => (await import('../../liveops/cli/config-commands.js')).configCommands(),
    catalogue: async () => (await import('../../liveops/cli/catalogue-commands.js')).catalogueCommands(),
    note: async () => (await import('../../liveops/cli/note-commands.js')).noteCommands(),
    override: async () => (await import('../../liveops/cli/override-commands.js')).overrideCommands(),
    pin: async () => (await import('../../liveops/cli/pin-commands.js')).pinCommands(),
    train: async () => (await import('../../insight/cli/train-command.js')).trainCommand(),
    models: async () => (await import('../../insight/cli/model-commands.js')).modelCommands(),
    explain: async () => (await import('../../liveops/cli/explain-command.js')).explainCommand(),
    experiments: async () =>
      (await import('../../experiments/cli/experiment-commands.js')).experimentCommands(),
    'event-type': async () => (await import('../../insight/cli/event-type-commands.js')).eventTypeCommands(),
    'failed-events': async () =>
      (await import('../../insight/cli/failed-event-commands.js')).failedEventCommands(),
    audit: async () => (await import('../../studio/cli/audit-commands.js')).auditCommands(),
    export: async () => (await import('../../insight/cli/export-commands.js')).exportCommands(),
    import: async () => (await import('../../operations/cli/import-commands.js')).importCommands(),
    erase: async () => (await import('../../trust/cli/erase-command.js')).eraseCommands(),
    rollups: async () => (await import('../../insight/cli/rollup-commands.js')).rollupCommands(),
    rates: async () => (await import('../../studio/cli/rate-commands.js')).rateCommands(),
    'fake-store': async () => (await import('../../trust/cli/fake-store-command.js')).fakeStoreCommand(),
    store: async () => (await import('../../trust/cli/store-commands.js')).storeCommands(),
    simulate: async () => (await import('../cli/simulate-command.js')).simulateCommand(),
    'event-files': async () =>
      (await import('../../insight/cli/event-files-commands.js')).eventFilesCommands(),
    sql: async () => (await import('../../insight/cli/sql-command.js')).sqlCommand(),
    losses: async () => (await import('../../insight/cli/loss-command.js')).lossCommand(),
    retention: async () => (await import('../../operations/cli/retention-commands.js')).retentionCommands(),
    'signing-key': async () => (await import('../cli/signing-key-commands.js')).signingKeyCommands(),
    'master-key': async () => (await import('../cli/master-key-commands.js')).masterKeyCommands(),
    doctor: async () => (await import('../cli/doctor-command.js')).doctorCommand(),
  }),
);

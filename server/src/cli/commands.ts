import type { Command } from 'commander';

/**
 * In the order of the help. Each is loaded when it is asked for: the code of all of them together takes longer to load than
 * a start may.
 */
export const COMMANDS = new Map<string, () => Promise<Command>>(
  Object.entries({
    start: async () => (await import('./service-commands.js')).startCommand(),
    consume: async () => (await import('./service-commands.js')).consumeCommand(),
    migrate: async () => (await import('./service-commands.js')).migrateCommand(),
    tenant: async () => (await import('./tenancy-commands.js')).tenantCommands(),
    game: async () => (await import('./tenancy-commands.js')).gameCommands(),
    key: async () => (await import('./key-commands.js')).keyCommands(),
    'admin-token': async () => (await import('./admin-token-commands.js')).adminTokenCommands(),
    config: async () => (await import('./config-commands.js')).configCommands(),
    catalogue: async () => (await import('./catalogue-commands.js')).catalogueCommands(),
    train: async () => (await import('./train-command.js')).trainCommand(),
    models: async () => (await import('./model-commands.js')).modelCommands(),
    explain: async () => (await import('./explain-command.js')).explainCommand(),
    'event-type': async () => (await import('./event-type-commands.js')).eventTypeCommands(),
    'failed-events': async () => (await import('./failed-event-commands.js')).failedEventCommands(),
    audit: async () => (await import('./audit-commands.js')).auditCommands(),
    export: async () => (await import('./export-commands.js')).exportCommands(),
    rollups: async () => (await import('./rollup-commands.js')).rollupCommands(),
    simulate: async () => (await import('./simulate-command.js')).simulateCommand(),
    losses: async () => (await import('./loss-command.js')).lossCommand(),
    retention: async () => (await import('./retention-commands.js')).retentionCommands(),
    'signing-key': async () => (await import('./signing-key-commands.js')).signingKeyCommands(),
    'master-key': async () => (await import('./master-key-commands.js')).masterKeyCommands(),
    doctor: async () => (await import('./doctor-command.js')).doctorCommand(),
  }),
);

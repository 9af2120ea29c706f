import type { Module } from './module-type.js';

/** Who works here: accounts, members, games, keys, jobs, exchange rates, the audit log. */
export const studio: Module = {
  name: 'studio',
  operations: async () => (await import('./operations.js')).openStudio,
  commands: {
    tenant: async () => (await import('./cli/tenancy-commands.js')).tenantCommands(),
    game: async () => (await import('./cli/tenancy-commands.js')).gameCommands(),
    key: async () => (await import('./cli/key-commands.js')).keyCommands(),
    'admin-token': async () => (await import('./cli/admin-token-commands.js')).adminTokenCommands(),
    admin: async () => (await import('./cli/admin-commands.js')).adminCommands(),
    audit: async () => (await import('./cli/audit-commands.js')).auditCommands(),
    rates: async () => (await import('./cli/rate-commands.js')).rateCommands(),
  },
};

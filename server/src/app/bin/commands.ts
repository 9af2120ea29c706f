import type { Command } from 'commander';
import type { Module } from '../../studio/module-type.js';
import { MODULES } from '../modules.js';

/** Of the service as a whole. */
const OWN: Readonly<Record<string, () => Promise<Command>>> = {
  start: async () => (await import('./service-commands.js')).startCommand(),
  consume: async () => (await import('./service-commands.js')).consumeCommand(),
  doctor: async () => (await import('../cli/doctor-command.js')).doctorCommand(),
  migrate: async () => (await import('../../operations/cli/migrate-command.js')).migrateCommand(),
  'signing-key': async () => (await import('../cli/signing-key-commands.js')).signingKeyCommands(),
  'master-key': async () => (await import('../cli/master-key-commands.js')).masterKeyCommands(),
  simulate: async () => (await import('../cli/simulate-command.js')).simulateCommand(),
};

/**
 * In the order of the help. Each is loaded when it is asked for: the code of all of them together takes longer to load than
 * a start may.
 */
export function commandsOf(modules: readonly Module[]): ReadonlyMap<string, () => Promise<Command>> {
  return new Map([
    ...Object.entries(OWN),
    ...modules.flatMap(({ commands = {} }) => Object.entries(commands)),
  ]);
}

export const COMMANDS = commandsOf(MODULES);

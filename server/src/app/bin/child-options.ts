import type { Logger } from 'pino';
import { type MasterKeys, parseMasterKeys, UnsealError } from '../../platform/security/master-keys.js';
import { readSettings, type Settings } from '../../platform/settings/settings.js';
import { createLogger } from '../../platform/telemetry/logger.js';

/** What a process of the service needs to start. The primary hands it over in the environment and the arguments. */
export type ChildOptions = Readonly<{
  settings: Settings;
  databaseUrl: string;
  /** The folder of the embedded database; undefined if it is another server, whose disk nobody here can look at. */
  databaseDir: string | undefined;
  masterKeys: MasterKeys;
  logger: Logger;
}>;

export function readChildOptions(): ChildOptions {
  const read = readSettings(process.env, { tty: false });
  if (!read.ok) throw new Error(read.problems.join('\n'));
  const { settings } = read;
  const { databaseUrl } = settings;
  const databaseDir = process.argv[2];
  const keys = parseMasterKeys(settings.masterKey ?? '');
  if (!keys.ok || databaseUrl === undefined) {
    throw new Error('this process is started by `savepoint start`, not by hand');
  }
  return { settings, databaseUrl, databaseDir, masterKeys: keys.keys, logger: createLogger(settings) };
}

/**
 * The master key was rotated, and the running service does not have the new one. The message says so; a stack trace would not.
 */
export function isRotatedMasterKey(error: unknown): error is UnsealError {
  return error instanceof UnsealError;
}

import { existsSync } from 'node:fs';
import { masterKeyFile } from '../security/master-key-file.js';
import { SETTING_ROWS } from './setting-rows.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** What says which installation a command is for. Where any of it is given, nothing is guessed. */
const GIVEN = ['SAVEPOINT_ENV', 'SAVEPOINT_MASTER_KEY', 'DATABASE_URL'];

/**
 * For a command beside `npm start`, which has set SAVEPOINT_ENV for itself only: a data folder with a master key in it is one of
 * development, because production keeps no key there. The key is compared with the database before it is used.
 */
export function environmentOfFolder(env: Environment): Environment {
  const given = (name: string) => env[name]?.trim() || undefined;
  if (GIVEN.some((name) => given(name) !== undefined)) return env;
  const { dataDir: row } = SETTING_ROWS;
  const dataDir = row.read(given(row.name));
  return existsSync(masterKeyFile({ dataDir })) ? { ...env, SAVEPOINT_ENV: 'development' } : env;
}

import { type Database, openDatabaseForCommand } from '../../platform/db/database.js';
import { findSchemaState, refuseForeignSchema } from '../../platform/db/schema-state.js';
import { unreachable } from '../../platform/db/unreachable.js';
import { StartupError } from '../../platform/lib/startup-error.js';
import {
  type LoadedMasterKeys,
  loadMasterKeys,
  refuseWrongMasterKey,
} from '../../platform/security/master-key.js';
import { readSettings, type Settings } from '../../platform/settings/settings.js';
import { isClosedOutput } from './closed-output.js';
import { describeFailure } from './describe-failure.js';
import { interruptible } from './interrupt.js';

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** What is not part of the output: standard output may be a file of receipts or events. */
export function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** The settings, or one message that lists every problem with its remedy. Variables that may be misspelt settings are named. */
export function requireSettings(options: { needsMasterKey?: boolean; asksFolder?: boolean } = {}): Settings {
  const read = readSettings(process.env, { tty: process.stdout.isTTY === true, ...options });
  for (const warning of read.warnings) tell(`Warning: ${warning}`);
  if (read.ok) return read.settings;
  throw new StartupError(
    `Savepoint cannot start with these settings:\n${read.problems.map((problem) => `  - ${problem}`).join('\n')}`,
  );
}

/** Of most commands. Long ones say how to go on. */
const AFTERWARDS = 'A change that was not committed was rolled back.';

/**
 * Runs an administrative command on the database of this installation: the one of DATABASE_URL, or the embedded one,
 * whether the service is running on it or not. It needs no master key. A wrong one ends it before it has done anything: the
 * settings are probably those of another installation. Ctrl-C ends the command in PostgreSQL, too; `afterwards` tells the
 * operator then what became of it.
 */
export function withDatabase<T>(
  work: (database: Database, settings: Settings, signal: AbortSignal) => Promise<T>,
  afterwards = AFTERWARDS,
): Promise<T> {
  return openFor(
    requireSettings({ needsMasterKey: false }),
    async (database, settings, signal) => {
      await refuseWrongMasterKey(settings, database.pool);
      return work(database, settings, signal);
    },
    afterwards,
  );
}

/** The same for a command that seals or opens secrets, which needs the master key. */
export function withMasterKeys<T>(
  work: (
    database: Database,
    settings: Settings,
    masterKeys: LoadedMasterKeys,
    signal: AbortSignal,
  ) => Promise<T>,
  afterwards = AFTERWARDS,
): Promise<T> {
  return openFor(
    requireSettings({ asksFolder: true }),
    async (database, settings, signal) =>
      work(database, settings, await loadMasterKeys(settings, database.pool), signal),
    afterwards,
  );
}

/** The same where the master key may not open what the database holds, because that one was lost. */
export function withDatabaseOfLostKey<T>(
  work: (database: Database, settings: Settings) => Promise<T>,
  afterwards = AFTERWARDS,
): Promise<T> {
  return openFor(requireSettings(), work, afterwards);
}

function openFor<T>(
  settings: Settings,
  work: (database: Database, settings: Settings, signal: AbortSignal) => Promise<T>,
  afterwards: string,
): Promise<T> {
  return withCommandDatabase(settings, afterwards, async (database, signal) => {
    await requireSchema(database);
    return work(database, settings, signal);
  });
}

/** The database whatever its schema: for the commands that make and examine the schema. */
export function withCommandDatabase<T>(
  settings: Settings,
  afterwards: string,
  work: (database: Database, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return interruptible(afterwards, async (signal) => {
    const database = await openDatabaseForCommand(settings);
    try {
      // Starting the embedded server takes a while.
      signal.throwIfAborted();
      return await work(database, signal);
    } catch (error) {
      throw explained(error, afterwards);
    } finally {
      await database.close();
    }
  });
}

/** What became of the work is known here only. */
function explained(error: unknown, afterwards: string): unknown {
  if (error instanceof StartupError || isClosedOutput(error)) return error;
  const sentence = describeFailure(error, afterwards);
  return sentence === undefined ? error : new StartupError(sentence, { cause: error });
}

async function requireSchema({ pool, url }: Database): Promise<void> {
  const state = await findSchemaState(pool).catch((error: Error) => {
    throw unreachable(error, url);
  });
  refuseForeignSchema(state);
  const { applied, known } = state;
  if (applied === undefined) {
    throw new StartupError(
      'The database is not set up yet. Run `savepoint migrate` or `savepoint start` first, or name the folder of the one that is: SAVEPOINT_DATA_DIR.',
    );
  }
  if (applied < known) {
    throw new StartupError(
      `The database is at schema version ${applied}, and this build needs ${known}. Run \`savepoint migrate\` or \`savepoint start\` first.`,
    );
  }
}

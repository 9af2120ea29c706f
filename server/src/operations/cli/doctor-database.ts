import { lstat } from 'node:fs/promises';
import { boundTo } from '../../core/sessions/signing-keys.js';
import { checkEventFiles } from '../../insight/cli/doctor-event-files.js';
import type { Database } from '../../platform/db/database.js';
import { describeOffset, isOff, offsetOf, readDatabaseClock } from '../../platform/db/database-clock.js';
import { type DedicatedConnection, withDedicatedConnection } from '../../platform/db/dedicated-connection.js';
import { type Pool, transaction } from '../../platform/db/pool.js';
import { refuseSharedSessions } from '../../platform/db/pooler.js';
import { requireRightToServe } from '../../platform/db/right-to-create.js';
import { findSchemaState, type SchemaState } from '../../platform/db/schema-state.js';
import { connectionAdvice, wordsOf } from '../../platform/db/unreachable.js';
import { clusterPathIn } from '../../platform/embedded-postgres/cluster-place.js';
import type { Clock } from '../../platform/lib/clock.js';
import { inUnits } from '../../platform/lib/free-space.js';
import { StartupError } from '../../platform/lib/startup-error.js';
import { findMasterKeys } from '../../platform/security/master-key.js';
import { unseal } from '../../platform/security/master-keys.js';
import type { Settings } from '../../platform/settings/settings.js';
import type { DoctorFinding } from '../../studio/cli/doctor-finding.js';
import { Interrupted } from '../../studio/cli/interrupt.js';
import { withCommandDatabase } from '../../studio/cli/terminal.js';
import { checkGoogleAccounts } from '../../trust/cli/doctor-google-accounts.js';
import { listStuckDays, type SwapObstacle } from '../event-storage/compact-queries.js';
import { checkReplica } from './doctor-replica.js';

const CLOCK_TOLERANCE_MS = 2_000;

/** Checks the database without changing anything: a missing one is not created. */
export async function examineDatabase(settings: Settings): Promise<DoctorFinding[]> {
  const isEmbedded = settings.databaseUrl === undefined;
  const name = isEmbedded ? 'embedded PostgreSQL' : 'database of DATABASE_URL';
  if (isEmbedded && !(await isThere(clusterPathIn(settings.dataDir)))) {
    return [{ name: `${name} (made at the first start)` }];
  }
  const explain = (error: unknown): DoctorFinding[] => {
    if (error instanceof Interrupted) throw error;
    const failure = error as Error;
    // Our own errors already say what to do.
    if (error instanceof StartupError) return [{ name, problem: failure.message }];
    return [
      { name, problem: wordsOf(failure), advice: connectionAdvice(failure, settings.databaseUrl ?? '') },
    ];
  };
  return withCommandDatabase(settings, 'Nothing was changed.', (database, signal) =>
    examineOpen(name, settings, database).then(
      (findings) => {
        // After an interruption the checks say nothing about the database.
        signal.throwIfAborted();
        return findings;
      },
      (error: unknown) => {
        signal.throwIfAborted();
        return explain(error);
      },
    ),
  ).catch(explain);
}

async function examineOpen(
  name: string,
  settings: Settings,
  { pool, url }: Database,
): Promise<DoctorFinding[]> {
  const { rows } = await pool.query<{ version: string; bytes: number }>(
    "select current_setting('server_version') as version, pg_database_size(current_database())::float8 as bytes",
  );
  const [database = { version: '', bytes: 0 }] = rows;
  const access = [
    { name: `${name}, version ${database.version}, ${inUnits(database.bytes)}` },
    ...(settings.databaseUrl === undefined ? [] : await checkAccess(pool, url)),
  ];
  // A role without rights could not read what the other checks ask for.
  if (access.some((finding) => 'problem' in finding)) return access;
  const state = await findSchemaState(pool);
  return [
    ...access,
    await checkDurability(pool),
    await checkClock(pool),
    ...(await checkReplica(pool, settings)),
    await checkWriting(pool),
    checkSchema(state),
    await checkMasterKey(pool, settings, state),
    ...(await checkCompaction(pool, state)),
    ...(await checkGoogleAccounts(pool, state)),
    ...(await checkEventFiles(pool, settings, state)),
  ];
}

/** What would prevent a start on a database of the operator's own. */
async function checkAccess(pool: Pool, url: string): Promise<DoctorFinding[]> {
  const check = async (name: string, work: (connection: DedicatedConnection) => Promise<void>) => {
    try {
      await withDedicatedConnection(pool, work);
      return { name };
    } catch (error) {
      if (error instanceof StartupError) return { name, problem: error.message };
      throw error;
    }
  };
  return [
    await check('sessions', (connection) => refuseSharedSessions(connection, url)),
    await check('rights of the role', requireRightToServe),
  ];
}

async function checkDurability(pool: Pool): Promise<DoctorFinding> {
  const name = 'durability';
  const { rows } = await pool.query<{ name: string; setting: string }>(
    `select name, setting from pg_settings
     where name in ('fsync', 'full_page_writes', 'synchronous_commit') and setting = 'off'`,
  );
  if (rows.length === 0) return { name };
  return {
    name,
    problem: `${rows.map((row) => row.name).join(', ')} off: acknowledged events can be lost in a crash`,
    advice: 'Turn it on in postgresql.conf.',
  };
}

export async function checkClock(pool: Pool, node?: Clock): Promise<DoctorFinding> {
  const reading = await readDatabaseClock(pool, node);
  const name = 'clock';
  if (Math.abs(offsetOf(reading)) <= CLOCK_TOLERANCE_MS + reading.uncertaintyMs) return { name };
  const advice = 'Run a time service (chrony, systemd-timesyncd) on both';
  return isOff(reading)
    ? {
        name,
        problem: describeOffset(reading),
        advice: `${advice}. Until they agree to a minute, this node goes by the clock of the database, and deletes nothing.`,
      }
    : {
        name,
        problem: `this machine and the database differ by ${Math.round(offsetOf(reading))} ms`,
        advice: `${advice}: logins are checked against this clock.`,
      };
}

/** Writes two megabytes to the disk of the database for a moment: a full disk cannot be detected in another way from here. */
async function checkWriting(pool: Pool): Promise<DoctorFinding> {
  const name = 'writing to the database';
  try {
    await transaction(pool, (client) =>
      client.query(
        `create temporary table savepoint_doctor on commit drop as
         select md5(n::text) as text from generate_series(1, 30000) n`,
      ),
    );
    return { name };
  } catch (error) {
    return { name, ...whyNotWritten(error as Error & { code?: string }) };
  }
}

function whyNotWritten({
  code,
  message,
}: Error & { code?: string }): Pick<DoctorFinding, 'problem' | 'advice'> {
  switch (code) {
    case '53100':
      return {
        problem: `its disk is full (${message})`,
        advice: 'Free some space on the disk of the database.',
      };
    case '25006':
      return {
        problem: 'it can only be read: it is a standby, or default_transaction_read_only is on',
        advice: 'Set DATABASE_URL to the primary server.',
      };
    case '42501':
      return {
        problem: 'its user may not make temporary tables',
        advice: 'Allow it: grant temporary on database … to …;',
      };
    default:
      return { problem: message, advice: "Look into the database's log." };
  }
}

export function checkSchema({ applied, known, foreign, late }: SchemaState): DoctorFinding {
  const name = 'schema';
  if (foreign !== undefined) {
    return {
      name,
      problem: `it has migration ${foreign}, which this build does not have: a build before 1.0 or another program has made it`,
      advice: 'Use an empty database (DATABASE_URL) or an empty folder (SAVEPOINT_DATA_DIR).',
    };
  }
  if (late !== undefined) {
    return {
      name,
      problem: `migration ${late} of this build was not applied, though later ones were`,
      advice: 'Start the build that migrated the database; a migration gets a number above all others.',
    };
  }
  if (applied === undefined) return { name: `${name} (empty: made by savepoint start or savepoint migrate)` };
  if (applied > known) {
    return {
      name,
      problem: `a newer build has migrated it: it is at version ${applied}, and this build knows only up to ${known}`,
      advice: 'Start that newer build; migrations cannot be undone.',
    };
  }
  if (applied === known) return { name: `${name}, version ${applied}` };
  return {
    name,
    problem: `it is at version ${applied}, and this build needs ${known}`,
    advice: 'Start the service, which brings it up to date, or run savepoint migrate.',
  };
}

/** Days whose small blocks of events should have been compacted by now. */
async function checkCompaction(pool: Pool, { applied, known }: SchemaState): Promise<DoctorFinding[]> {
  if (applied !== known) return [];
  return (await listStuckDays(pool)).map(({ day, since, waitsFor, restarts }) => ({
    name: `compaction of the events received on ${day}`,
    warning: `not finished since ${since} UTC${restarts === 0 ? '' : `, restarted ${restarts} times because events of that day changed`}`,
    advice: COMPACTION_ADVICE[waitsFor ?? 'none'],
  }));
}

const FIND_OPEN_TRANSACTIONS =
  'Find it: select pid, application_name, state, xact_start from pg_stat_activity where xact_start is not null order by xact_start; let it finish, or end it with pg_terminate_backend(pid).';
const COMPACTION_ADVICE: Record<SwapObstacle | 'none', string> = {
  snapshot: `A transaction that has been open for long may still need the former blocks. ${FIND_OPEN_TRANSACTIONS}`,
  lock: `A transaction keeps the table of the events locked. ${FIND_OPEN_TRANSACTIONS}`,
  default_partition:
    'The default partition, which holds events of days without a partition of their own, is larger than 128 MB. Delete old events: savepoint game set --retention-days.',
  none: 'Nothing is lost: the day only takes more space. If a queue is catching up, wait for it. Otherwise look for event_compaction in the log of the service.',
};

/** Whether the master key can unseal what is sealed. */
async function checkMasterKey(
  pool: Pool,
  settings: Settings,
  { applied, known }: SchemaState,
): Promise<DoctorFinding> {
  const name = 'master key';
  try {
    // Where there are no tables yet, nothing is sealed.
    const found = applied === undefined ? undefined : await findMasterKeys(settings, pool);
    if (found === undefined) {
      return { name: settings.masterKey === undefined ? `${name} (made at the first start)` : name };
    }
    for (const row of await listSealedKeys(pool)) unseal(found.keys, row.sealed, boundTo(row.kid));
    return { name };
  } catch (error) {
    const { message } = error as Error;
    if (error instanceof StartupError) return { name, problem: message };
    // The tables of sealed secrets may not exist yet.
    if (applied !== undefined && applied < known)
      return { name: `${name} (checked once the schema is up to date)` };
    return { name, problem: message, advice: 'Put the table signing_keys back from a backup.' };
  }
}

async function listSealedKeys(pool: Pool): Promise<{ kid: string; sealed: Buffer }[]> {
  const { rows } = await pool.query<{ kid: string; sealed: Buffer }>(
    'select kid, sealed_private as sealed from signing_keys',
  );
  return rows;
}

/** Also a link that leads nowhere, which the database explains when it is opened. */
function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

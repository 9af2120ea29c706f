import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { Command } from 'commander';
import type { Config } from '../config.js';
import { readConfig } from '../config.js';
import { openDatabaseForCommand } from '../db/database.js';
import { isMigrated } from '../db/migrate.js';
import type { Pool } from '../db/pool.js';
import { boundTo } from '../features/session/signing-keys.js';
import { type MasterKeys, unseal } from '../lib/master-keys.js';
import { loadMasterKeys, masterKeyFile } from '../master-key-file.js';
import { examineQueue } from './doctor-queue.js';
import { say } from './terminal.js';

/** A warning names a risk that the operator may have taken knowingly: it does not fail the command. */
export type Finding = { name: string; problem?: string; warning?: string; advice?: string };

const CLOCK_TOLERANCE_MS = 2_000;

export function doctorCommand(): Command {
  return new Command('doctor')
    .description('check configuration, database, clock and permissions; say what is wrong and what to do')
    .action(async () => {
      const findings = await examine();
      for (const { name, problem, warning, advice } of findings) {
        const what = problem ?? warning;
        const mark = problem !== undefined ? 'PROBLEM' : warning !== undefined ? 'warning' : 'ok     ';
        say(`  ${mark}  ${name}${what === undefined ? '' : `: ${what}\n           ${advice ?? ''}`}`);
      }
      const problems = findings.filter((finding) => finding.problem !== undefined).length;
      const warnings = findings.filter((finding) => finding.warning !== undefined).length;
      const wellEnough = warnings === 0 ? 'All is well.' : `No problems, ${warnings} warnings.`;
      say(problems === 0 ? wellEnough : `${problems} of ${findings.length} checks found a problem.`);
      if (problems > 0) process.exitCode = 1;
    });
}

async function examine(): Promise<Finding[]> {
  const read = readConfig(process.env, { tty: false });
  if (!read.ok) return read.problems.map((problem) => ({ name: 'settings', problem, advice: '' }));
  const { config } = read;
  return [
    { name: 'settings' },
    await checkNode(),
    await checkDataDir(config),
    ...(await checkDatabase(config)),
    ...(config.nats === undefined ? [] : await examineQueue(config.nats, config.environment)),
  ];
}

async function checkNode(): Promise<Finding> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const old = major < 20 || (major === 20 && minor < 19);
  const name = `Node.js ${process.versions.node}`;
  return old
    ? { name, problem: 'too old', advice: 'Install Node.js 20.19 or newer; 24 is recommended.' }
    : { name };
}

async function checkDataDir(config: Config): Promise<Finding> {
  const name = `data folder ${config.dataDir}`;
  if (config.databaseUrl !== undefined && config.masterKey !== undefined)
    return { name: `${name} (not needed)` };
  try {
    await access(config.dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      return { name: `${name} (made at the first start)` };
    return { name, problem: (error as Error).message, advice: 'Choose another one with SAVEPOINT_DATA_DIR.' };
  }
  const key = await stat(masterKeyFile(config)).catch(() => undefined);
  if (key !== undefined && (key.mode & 0o077) !== 0) {
    return {
      name,
      problem: `${masterKeyFile(config)} can be read by others`,
      advice: `chmod 600 ${masterKeyFile(config)}`,
    };
  }
  return { name };
}

async function checkDatabase(config: Config): Promise<Finding[]> {
  const name = config.databaseUrl === undefined ? 'embedded PostgreSQL' : 'database of DATABASE_URL';
  try {
    const database = await openDatabaseForCommand(config);
    try {
      const version = await database.pool.query<{ v: string }>(
        "select current_setting('server_version') as v",
      );
      return [
        { name: `${name}, version ${version.rows[0]?.v}` },
        await checkDurability(database.pool),
        await checkClock(database.pool),
        await checkMigrations(database.pool),
        await checkSeals(database.pool, config),
      ];
    } finally {
      await database.close();
    }
  } catch (error) {
    return [{ name, problem: (error as Error).message, advice: 'Start it, or check DATABASE_URL.' }];
  }
}

async function checkDurability(pool: Pool): Promise<Finding> {
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

async function checkClock(pool: Pool): Promise<Finding> {
  const before = Date.now();
  const { rows } = await pool.query<{ now: number }>('select clock_timestamp() as now');
  const middle = (before + Date.now()) / 2;
  const difference = Math.round(middle - (rows[0]?.now ?? middle));
  const name = 'clock';
  if (Math.abs(difference) <= CLOCK_TOLERANCE_MS) return { name };
  return {
    name,
    problem: `this machine and the database differ by ${difference} ms`,
    advice: 'Run a time service (chrony, systemd-timesyncd) on both: logins are checked against this clock.',
  };
}

async function checkMigrations(pool: Pool): Promise<Finding> {
  const migrated = await isMigrated(pool).catch(() => false);
  const name = 'migrations';
  return migrated
    ? { name }
    : { name, problem: 'the schema is not up to date', advice: 'Run `savepoint migrate`.' };
}

async function checkSeals(pool: Pool, config: Config): Promise<Finding> {
  const name = 'master key';
  try {
    const { keys } = await loadMasterKeys(config);
    await openSigningKeys(pool, keys);
    return { name };
  } catch (error) {
    return {
      name,
      problem: (error as Error).message,
      advice: 'Set SAVEPOINT_MASTER_KEY to the key that sealed it.',
    };
  }
}

async function openSigningKeys(pool: Pool, keys: MasterKeys): Promise<void> {
  const { rows } = await pool.query<{ kid: string; sealed: Buffer }>(
    'select kid, sealed_private as sealed from signing_keys',
  );
  for (const row of rows) unseal(keys, row.sealed, boundTo(row.kid));
}

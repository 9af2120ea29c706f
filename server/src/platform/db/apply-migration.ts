import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { StartupError } from '../lib/startup-error.js';
import { isLockTimeout } from './dedicated-connection.js';
import { describeLockHolders, howToEnd, type LockHolder, watchLockHolders } from './lock-holders.js';
import { type IndexChange, indexChanges, isConcurrent, type Migration } from './migration-files.js';

/** How long a migration waits for locks that others hold. */
export type LockRetries = Readonly<{
  /** While a migration waits for a lock on a table, all others who want that table wait behind it, so each wait is short. */
  lockTimeoutMs: number;
  /** The others can work during this pause. */
  pauseMs: number;
  attempts: number;
}>;

/** Five minutes in all. */
export const LOCK_RETRIES: LockRetries = { lockTimeoutMs: 1_000, pauseMs: 4_000, attempts: 60 };

export type MigrationRun = Readonly<{
  client: pg.Client;
  pid: number;
  /** A second connection, which sees what the first one waits for. */
  watcher: pg.Client;
  say: (line: string) => void;
  lockRetries: LockRetries;
  signal?: AbortSignal | undefined;
}>;

/** Applies a migration and records that it is applied; @throws StartupError that says what was in the way. */
export async function applyMigration(run: MigrationRun, migration: Migration): Promise<void> {
  try {
    await (isConcurrent(migration) ? changeIndexes(run, migration) : applyInTransaction(run, migration));
  } catch (error) {
    if (error instanceof StartupError) throw error;
    const left = isConcurrent(migration)
      ? 'failed. Indexes that it has finished stay, and the next start goes on from there'
      : 'failed and was rolled back';
    throw new StartupError(`Migration ${migration.name} ${left}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** All or nothing. Where others hold a lock, the whole migration is tried again after a pause in which they can work. */
async function applyInTransaction(run: MigrationRun, migration: Migration): Promise<void> {
  const { watcher, pid, say, lockRetries, signal } = run;
  const { lockTimeoutMs, pauseMs, attempts } = lockRetries;
  let holders: readonly LockHolder[] = [];
  for (let attempt = 1; ; attempt++) {
    const work = runTransaction(run, migration);
    await watchLockHolders(watcher, pid, work, lockTimeoutMs / 5, (seen) => {
      if (seen.length > 0) holders = seen;
    });
    try {
      return await work;
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
    }
    if (attempt === attempts) {
      throw new StartupError(
        `Migration ${migration.name} did not get a lock in ${attempts} attempts. It is held by ${describeLockHolders(holders)}. ${howToEnd(holders)} Nothing was changed.`,
      );
    }
    say(
      `Migration ${migration.name} waits for a lock held by ${describeLockHolders(holders)}. Others go on meanwhile; next attempt, ${attempt + 1} of ${attempts}, in ${pauseMs / 1000} s…`,
    );
    await sleep(pauseMs, undefined, { signal });
  }
}

async function runTransaction(run: MigrationRun, migration: Migration): Promise<void> {
  const { client, lockRetries } = run;
  await client.query('begin');
  try {
    await client.query("select set_config('lock_timeout', $1, true)", [`${lockRetries.lockTimeoutMs}ms`]);
    await client.query(migration.sql);
    await insertApplied(client, migration);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
}

/** One index after the other, each while others write. What an earlier attempt has finished is not done again. */
async function changeIndexes(run: MigrationRun, migration: Migration): Promise<void> {
  for (const change of indexChanges(migration)) {
    const state = await findIndexState(run.client, change.index);
    if (change.action === 'create' && state === 'valid') continue;
    if (change.action === 'create' && state === 'unfinished') {
      run.say(`Index ${change.index} was left unfinished by an earlier attempt. Making it anew…`);
      await changeIndex(run, migration, {
        ...change,
        sql: `drop index concurrently if exists ${run.client.escapeIdentifier(change.index)}`,
      });
    }
    await changeIndex(run, migration, change);
  }
  await insertApplied(run.client, migration);
}

/**
 * Waits for all transactions that may still see the table as it was. This blocks no other session, but may take for ever. The
 * migration gives up after as many checks in a row that found another session in the way.
 */
async function changeIndex(run: MigrationRun, { name }: Migration, change: IndexChange): Promise<void> {
  const { client, watcher, pid, say, lockRetries } = run;
  const everyMs = lockRetries.lockTimeoutMs + lockRetries.pauseMs;
  let blockedLooks = 0;
  let givenUp: readonly LockHolder[] | undefined;
  const work = client.query(change.sql);
  await watchLockHolders(watcher, pid, work, everyMs, async (holders) => {
    blockedLooks = holders.length === 0 ? 0 : blockedLooks + 1;
    if (blockedLooks >= lockRetries.attempts) {
      givenUp = holders;
      await watcher.query('select pg_cancel_backend($1)', [pid]);
    } else if (holders.length > 0) {
      say(
        `Index ${change.index} waits for ${describeLockHolders(holders)}. Others go on meanwhile (look ${blockedLooks} of ${lockRetries.attempts})…`,
      );
    } else {
      say(`Index ${change.index}: ${await describeProgress(watcher, pid)}`);
    }
  });
  try {
    await work;
  } catch (error) {
    if (givenUp === undefined) throw error;
    throw new StartupError(
      `Migration ${name} could not make index ${change.index}. It was kept waiting by ${describeLockHolders(givenUp)}. ${howToEnd(givenUp)} The next start goes on from there.`,
    );
  }
}

async function findIndexState(client: pg.Client, index: string): Promise<'valid' | 'unfinished' | undefined> {
  const { rows } = await client.query<{ isValid: boolean }>(
    'select indisvalid as "isValid" from pg_index where indexrelid = to_regclass($1)',
    [client.escapeIdentifier(index)],
  );
  const [found] = rows;
  if (found === undefined) return undefined;
  return found.isValid ? 'valid' : 'unfinished';
}

/** `building index: scanning table, 45%`. */
async function describeProgress(watcher: pg.Client, pid: number): Promise<string> {
  const { rows } = await watcher.query<{ phase: string; percent: number | null }>(
    `select phase, round(100.0 * blocks_done / nullif(blocks_total, 0))::int as percent
     from pg_stat_progress_create_index where pid = $1`,
    [pid],
  );
  const [progress] = rows;
  if (progress === undefined) return 'at work…';
  return `${progress.phase}${progress.percent === null ? '' : `, ${progress.percent}%`}…`;
}

async function insertApplied(client: pg.Client, { version, name }: Migration): Promise<void> {
  await client.query('insert into schema_migrations (version, name) values ($1, $2)', [version, name]);
}

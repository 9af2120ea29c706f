import pg from 'pg';
import { checkServer } from './one-server.js';
import { trackConnection } from './open-connections.js';
import { type Pool, types } from './pool.js';
import { applySessionSettings } from './session-settings.js';

/** A connection outside of the pool: statements wait for each other, and may take as long as they need. */
export type DedicatedConnection = pg.Client;

/** A network that drops packets is noticed by keep-alive probes without a response, not by a time-out. */
const KEEP_ALIVE_DELAY_MS = 30_000;
const CONNECT_TIMEOUT_MS = 10_000;
const LONG_WORK = {
  // Whatever limit the database or the role has: the work itself says where it wants one.
  statement_timeout: 0,
  // The same from the server's side: if this machine vanishes, its locks are free a minute later.
  tcp_keepalives_idle: 30,
  tcp_keepalives_interval: 10,
  tcp_keepalives_count: 3,
};

/**
 * Lends a connection to the pool's database for work that takes minutes: the pool's own are bounded to the time of a
 * request, and pipelined. Whatever the session holds, such as an advisory lock, ends with it.
 */
export async function withDedicatedConnection<T>(
  pool: Pool,
  work: (connection: DedicatedConnection) => Promise<T>,
): Promise<T> {
  const { connectionString = '' } = pool.options;
  const connection = new pg.Client({
    connectionString,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
    application_name: 'savepoint',
    types,
  });
  // The running statement is rejected anyway; without a listener the event would end the process.
  connection.on('error', () => {});
  await connection.connect();
  trackConnection(connection, connectionString);
  try {
    await applySessionSettings(connection, LONG_WORK);
    await checkServer(pool, connection);
    return await work(connection);
  } finally {
    await connection.end().catch(() => {});
  }
}

/**
 * Cancels the statement that runs when the signal comes. Closing the connection alone would let the statement run on in the
 * database. The work itself looks at the signal between its statements.
 */
export async function cancelledBy<T>(
  pool: Pool,
  connection: DedicatedConnection,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  if (signal === undefined) return work();
  const { rows } = await connection.query<{ pid: number }>('select pg_backend_pid() as pid');
  const cancel = () => {
    // Where the database cannot be reached, nothing runs on either.
    pool.query('select pg_cancel_backend($1)', [rows[0]?.pid]).catch(() => {});
  };
  signal.throwIfAborted();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    return await work();
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

/**
 * For work that goes through a large table by an index, some rows at a time. With statistics from when the table was small,
 * PostgreSQL would read all of the table, or all that is left of the index, for each portion.
 */
export async function walkByIndex(connection: DedicatedConnection): Promise<void> {
  await connection.query('set enable_seqscan = off');
  await connection.query('set enable_bitmapscan = off');
}

/** Ends `walkByIndex`. */
export async function walkFreely(connection: DedicatedConnection): Promise<void> {
  await connection.query('reset enable_seqscan');
  await connection.query('reset enable_bitmapscan');
}

/**
 * Takes a lock that all nodes share, by its name or by its name and a part. False if another connection holds it. The lock is
 * held until the connection ends, so it is also released after a crash.
 */
export async function tryAdvisoryLock(
  connection: DedicatedConnection,
  name: string,
  part?: string | number,
): Promise<boolean> {
  const { rows } = await connection.query<{ isMine: boolean }>(
    part === undefined
      ? 'select pg_try_advisory_lock(hashtext($1)) as "isMine"'
      : typeof part === 'number'
        ? 'select pg_try_advisory_lock(hashtext($1), $2::int) as "isMine"'
        : 'select pg_try_advisory_lock(hashtext($1), hashtext($2)) as "isMine"',
    part === undefined ? [name] : [name, part],
  );
  return rows[0]?.isMine === true;
}

/** Commits what `work` did, or nothing of it. */
export async function inTransaction<T>(connection: DedicatedConnection, work: () => Promise<T>): Promise<T> {
  await connection.query('begin');
  try {
    const result = await work();
    await connection.query('commit');
    return result;
  } catch (error) {
    await connection.query('rollback').catch(() => {});
    throw error;
  }
}

const LOCK_NOT_AVAILABLE = '55P03';

/** Whether `lock_timeout` ended a statement. */
export function isLockTimeout(error: unknown): boolean {
  return (error as { code?: unknown }).code === LOCK_NOT_AVAILABLE;
}

const QUERY_CANCELED = '57014';

/** Whether `statement_timeout` ended a statement. */
export function isStatementTimeout(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === QUERY_CANCELED;
}

const UNDEFINED_TABLE = '42P01';

/** Whether a statement named a table that does not exist. */
export function isUndefinedTable(error: unknown): boolean {
  return (error as { code?: unknown }).code === UNDEFINED_TABLE;
}

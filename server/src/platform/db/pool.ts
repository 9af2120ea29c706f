import type { Socket } from 'node:net';
import pg from 'pg';
import { ApiError } from '../errors.js';
import { checkServer } from './one-server.js';
import { trackConnection } from './open-connections.js';
import { applySessionSettings, type SessionSettings } from './session-settings.js';

export type Pool = pg.Pool;
export type Client = pg.PoolClient;

const TIMESTAMPTZ = 1184;

/** `2026-11-15 01:02:03.456+00` (sessions run in UTC) to epoch milliseconds. */
function parseTimestamp(text: string): number {
  return Date.parse(`${text.slice(0, 10)}T${text.slice(11)}:00`);
}

export const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === TIMESTAMPTZ && format !== 'binary'
      ? parseTimestamp
      : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

export type PoolOptions = {
  url: string;
  size: number;
  timeoutMs: number;
  /** Called for errors of idle connections, which no query would report. */
  onError: (error: Error) => void;
  /** For connections that only ever look rows up; left out, PostgreSQL plans as it likes. */
  lookUps?: LookUps;
};

/**
 * How look-ups are planned. While a table is small, or seems small because its statistics are old, PostgreSQL would rather read
 * all of it, and go on doing so when it has grown. `server/test/platform/db/plans.test.ts` plans every statement in that state.
 *
 * - `planned once`, for API workers: PostgreSQL would else plan small groups anew for every call, which takes it longer than the
 *   call. Every large table is looked up in a `lateral (… offset 0)` or by `= any($1)`, so that no statistics can change the plan.
 * - `planned each time`, for the admin API and commands: the plan goes by what is asked for and by the size of the tables now.
 */
export type LookUps = 'planned once' | 'planned each time';

const PLANNING: Readonly<Record<LookUps, SessionSettings>> = {
  'planned once': { enable_seqscan: 'off', plan_cache_mode: 'force_generic_plan' },
  'planned each time': {
    enable_seqscan: 'off',
    enable_bitmapscan: 'off',
    enable_hashjoin: 'off',
    enable_mergejoin: 'off',
    plan_cache_mode: 'force_custom_plan',
  },
};

/**
 * Every call has three time limits: waiting for a connection, in the server (`statement_timeout`), and, for a network that
 * drops packets, in the client (`query_timeout`, after which the connection is closed).
 */
export function createPool({ url, size, timeoutMs, onError, lookUps }: PoolOptions): Pool {
  const settings = {
    statement_timeout: timeoutMs,
    idle_in_transaction_session_timeout: timeoutMs * 2,
    ...(lookUps === undefined ? {} : PLANNING[lookUps]),
  };
  const pool: Pool = new pg.Pool({
    connectionString: url,
    max: size,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs + 500,
    keepAlive: true,
    idleTimeoutMillis: 60_000,
    application_name: 'savepoint',
    pipeline: true,
    types,
    async onConnect(client) {
      await applySessionSettings(client, settings);
      await checkServer(pool, client);
    },
  } as pg.PoolConfig);
  pool.on('error', onError);
  pool.on('connect', (client) => {
    // A checked-out client's error event would end the process; its pending queries are rejected anyway.
    client.on('error', () => {});
    trackConnection(client, url);
  });
  return pool;
}

/** A prepared statement: parsed once per connection. The name must be unique to the text. */
export type Statement = Readonly<{ name: string; text: string }>;

export async function query<Row extends pg.QueryResultRow>(
  db: Pool | Client,
  statement: Statement,
  values: unknown[],
): Promise<Row[]> {
  const result = await db.query<Row>({ name: statement.name, text: statement.text, values });
  return result.rows;
}

/** A statement with its values, ready to be sent. */
export type Call = Readonly<{ statement: Statement; values: unknown[] }>;

/** Sends all of them without waiting in between; each sees what those before it did. */
export function sendAll(client: Client, calls: readonly Call[]): Promise<unknown[]> {
  return Promise.all(calls.map(({ statement, values }) => query(client, statement, values)));
}

/**
 * One transaction in two round trips: `begin` and what `start` sends, then what `finish` makes of its result and `commit`.
 * `start` must send all of its statements before it waits for any. `finish` sends nothing itself: should it throw, there is
 * no `commit` either. Rejects with the first error, with nothing applied.
 */
export async function pipelinedTransaction<T>(
  pool: Pool,
  start: (client: Client) => Promise<T>,
  finish: (result: T) => readonly Call[],
): Promise<T> {
  const client = await pool.connect();
  let failure: Error | undefined;
  try {
    const [, result] = await inOnePacket(client, () => Promise.all([client.query('begin'), start(client)]));
    const calls = finish(result);
    await inOnePacket(client, () => Promise.all([sendAll(client, calls), client.query('commit')]));
    return result;
  } catch (error) {
    failure = error as Error;
    // Also waits for all statements that were sent: the connection is not free before.
    if (!isUnavailable(failure)) await client.query('rollback').catch(() => {});
    throw error;
  } finally {
    // A broken connection is not returned to the pool; a failed statement alone leaves it usable.
    client.release(failure !== undefined && isUnavailable(failure) ? failure : undefined);
  }
}

/** Without this, each packet wakes PostgreSQL: a syscall and a context switch for every statement. */
function inOnePacket<T>(client: Client, send: () => Promise<T>): Promise<T> {
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  stream.cork();
  try {
    return send();
  } finally {
    stream.uncork();
  }
}

/** One transaction with decisions in between; for administration, not for hot paths. */
export function transaction<T>(pool: Pool, work: (client: Client) => Promise<T>): Promise<T> {
  return between(pool, 'begin', work);
}

/** One snapshot of the database for several statements that only read. */
export function snapshot<T>(pool: Pool, work: (client: Client) => Promise<T>): Promise<T> {
  return between(pool, 'begin isolation level repeatable read read only', work);
}

async function between<T>(pool: Pool, begin: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let failure: Error | undefined;
  try {
    await client.query(begin);
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    failure = error as Error;
    await client.query('rollback').catch(() => {});
    throw error;
  } finally {
    client.release(failure !== undefined && isUnavailable(failure) ? failure : undefined);
  }
}

// Connection exceptions, out of resources, operator intervention (also statement_timeout), lock not available,
// a standby that became the target after a failover, a transaction cut for idling, serialisation and deadlock.
const UNAVAILABLE_STATES = /^(?:08|53|57|55P03|25006|25P03|40001|40P01)/;
const UNAVAILABLE_MESSAGES =
  /timeout|timed out|Connection terminated|connection error|Client was closed|Client has encountered a connection error|Cannot use a pool after calling end/i;
const NETWORK_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** Whether the database could not be reached, as opposed to having refused a statement. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = (error as { code?: unknown }).code;
  if (typeof code === 'string') return NETWORK_CODES.has(code) || UNAVAILABLE_STATES.test(code);
  return UNAVAILABLE_MESSAGES.test(error.message);
}

/** Maps a database that could not be reached to 503; any other error is passed through. */
export function asApiError(error: unknown): unknown {
  return isUnavailable(error)
    ? new ApiError('unavailable', { headers: { 'retry-after': '1' }, cause: error })
    : error;
}

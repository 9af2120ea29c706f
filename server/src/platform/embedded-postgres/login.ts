import pg from 'pg';
import { StartupError } from '../lib/startup-error.js';
import { SUPERUSER } from './cluster.js';
import { errorCode } from './errno.js';

export type Login = { readonly socketDir: string; readonly port: number; readonly password: string };

/** `silent`: nothing listens yet. `busy`: the server listens, but starts up, recovers or shuts down. */
export type ServerState = 'ready' | 'busy' | 'silent';

/** Role and database of the service. As on a managed PostgreSQL, the role is no superuser. */
export const SERVICE = 'savepoint';
const CONNECT_TIMEOUT_MS = 5_000;

const BUSY = new Set(['57P01', '57P02', '57P03', '53300']);
const WRONG_PASSWORD = new Set(['28P01', '28000']);

export function connectionUrl(login: Login): string {
  // The host in front only makes this a URL for strict parsers; the parameter wins. PGSSLMODE must have no effect.
  const query = `host=${encodeURIComponent(login.socketDir)}&port=${login.port}&sslmode=disable`;
  return `postgresql://${SERVICE}:${encodeURIComponent(login.password)}@localhost/${SERVICE}?${query}`;
}

export async function askServer(login: Login): Promise<ServerState> {
  try {
    // Whoever waits for the server has a time limit, which a response that never comes would keep from passing.
    await withSuperuser(login, (client) =>
      client.query({ text: 'select 1', query_timeout: CONNECT_TIMEOUT_MS } as pg.QueryConfig),
    );
    return 'ready';
  } catch (error) {
    const code = errorCode(error) ?? '';
    if (BUSY.has(code)) return 'busy';
    if (WRONG_PASSWORD.has(code)) {
      throw new StartupError(
        'PostgreSQL refuses the password in the file postgres-password of the data folder. Put the file back from a backup made together with the database.',
        { cause: error },
      );
    }
    // An error of PostgreSQL itself, which waiting does not change. Any other error is one of the connection.
    if (error instanceof pg.DatabaseError) {
      throw new StartupError(`PostgreSQL refuses to work: ${error.message}.`, { cause: error });
    }
    return 'silent';
  }
}

/** Also completes a first start that was killed between the cluster and the database. */
export async function ensureDatabase(login: Login): Promise<void> {
  await withSuperuser(login, async (client) => {
    const { rows } = await client.query<{ hasRole: boolean; hasDatabase: boolean }>(
      `select exists (select from pg_roles where rolname = $1) as "hasRole",
              exists (select from pg_database where datname = $1) as "hasDatabase"`,
      [SERVICE],
    );
    const role = client.escapeIdentifier(SERVICE);
    if (!rows[0]?.hasRole) {
      // `create role` takes no parameters.
      await client.query(
        `create role ${role} login createdb password ${client.escapeLiteral(login.password)}`,
      );
    }
    if (!rows[0]?.hasDatabase) await client.query(`create database ${role} owner ${role}`);
  });
}

/** For what only the owner of the cluster may do. The session ends with the work. */
export async function withSuperuser<T>(
  login: Login,
  use: (client: pg.Client) => Promise<T>,
  database = 'postgres',
): Promise<T> {
  const client = new pg.Client({
    host: login.socketDir,
    port: login.port,
    user: SUPERUSER,
    password: login.password,
    database,
    ssl: false,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  // A connection that breaks while idle raises this event; the query that follows fails by itself.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await use(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

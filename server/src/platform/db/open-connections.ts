import type { Socket } from 'node:net';
import pg from 'pg';

/**
 * The connections of this process, so that a command which is interrupted can end its work in PostgreSQL. PostgreSQL itself does
 * not notice that a client is gone while a statement runs or waits for a lock: it would go on for hours.
 */
const connections = new Map<pg.ClientBase, string>();

/** Set by `endSessions`. */
let ending: Promise<void> | undefined;

/** Long enough for a busy machine. An operator who does not want to wait presses Ctrl-C again. */
const TIMEOUT_MS = 10_000;
/** For one session; most end within milliseconds. */
const SESSION_TIMEOUT_MS = 5_000;

/** To be called once the client is connected. It is forgotten when it ends. */
export function trackConnection(client: pg.ClientBase, url: string): void {
  if (ending !== undefined) {
    // It was being opened when the others were ended. Its statements are rejected.
    void (client as pg.Client).end();
    return;
  }
  connections.set(client, url);
  client.once('end', () => connections.delete(client));
}

/**
 * Ends all sessions of this process in PostgreSQL: statements are rejected, transactions rolled back, locks released. No new
 * connection can be used from then on, so this is for processes that are about to exit.
 *
 * @throws if PostgreSQL could not be asked, or if a session did not end; the connections are cut all the same.
 */
export function endSessions(): Promise<void> {
  ending ??= terminateAll().finally(cutConnections);
  return ending;
}

/** Resolves when `endSessions` is over, at once if it was not called. Until then the server must stay up. */
export async function sessionsEnded(): Promise<void> {
  await ending?.catch(() => {});
}

async function terminateAll(): Promise<void> {
  const pidsByUrl = new Map<string, number[]>();
  for (const [client, url] of connections) {
    const { processID } = client as { processID?: number | null };
    if (typeof processID === 'number') pidsByUrl.set(url, [...(pidsByUrl.get(url) ?? []), processID]);
  }
  await Promise.all([...pidsByUrl].map(([url, pids]) => terminate(url, pids)));
}

/** By name, too: a pooler reports its own process ids to clients. */
const ENDED_SESSIONS =
  "pid = any($1::int[]) and usename = current_user and application_name like 'savepoint%'";

/** Over a separate connection: those that are to be ended may be waiting for a statement. */
async function terminate(url: string, pids: readonly number[]): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
    application_name: 'savepoint',
  });
  client.on('error', () => {});
  try {
    await client.connect();
    // A session may also end by itself, so what counts is which sessions are left.
    await client.query(`select pg_terminate_backend(pid, $2) from pg_stat_activity where ${ENDED_SESSIONS}`, [
      pids,
      SESSION_TIMEOUT_MS,
    ]);
    const { rows } = await client.query<{ left: number }>(
      `select count(*)::int as left from pg_stat_activity where ${ENDED_SESSIONS}`,
      [pids],
    );
    const left = rows[0]?.left ?? 0;
    if (left > 0) throw new Error(`${left} sessions did not end within ${SESSION_TIMEOUT_MS} ms`);
  } finally {
    await client.end().catch(() => {});
  }
}

/** For poolers and networks that drop packets: callers that still wait for a response get an error. */
function cutConnections(): void {
  for (const client of connections.keys()) {
    (client as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
  }
}

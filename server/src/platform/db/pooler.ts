import pg from 'pg';
import { StartupError } from '../lib/startup-error.js';

const SENTENCE =
  'DATABASE_URL leads to a pooler that gives each transaction another session of PostgreSQL (such as PgBouncer with pool_mode = transaction). Savepoint holds locks and settings for as long as a session lasts, and they would stay behind there. Use pool_mode = session for this database, or the address of PostgreSQL itself.';

/** Enough for a pooler that takes its sessions in turn, and while other clients use it. */
const ROUNDS = 3;

/** @throws StartupError if what a session holds, such as a lock, would not stay with its connection. */
export async function refuseSharedSessions(client: pg.Client, databaseUrl: string): Promise<void> {
  if (!(await isPooled(client))) return;
  const other = new pg.Client({ connectionString: databaseUrl, application_name: 'savepoint' });
  // The running statement is rejected anyway; without a listener the event would end the process.
  other.on('error', () => {});
  await other.connect();
  try {
    if (await shareSessions(client, other)) throw new StartupError(SENTENCE);
  } finally {
    await other.end().catch(() => {});
  }
}

/** A pooler reports a number of its own, because it has to find the session again when a statement is to be cancelled. */
export async function isPooled(client: pg.ClientBase): Promise<boolean> {
  return (await backendOf(client)) !== (client as { processID?: number }).processID;
}

/**
 * Each of two connections has a session to itself, or both are given whichever is free. A pooler that prefers the session used last
 * gives the same one to both; one that takes them in turn gives two to a connection that asks twice.
 */
async function shareSessions(one: pg.Client, other: pg.Client): Promise<boolean> {
  const ofOne = new Set<number>();
  const ofOther = new Set<number>();
  for (let round = 0; round < ROUNDS; round++) {
    ofOne.add(await backendOf(one)).add(await backendOf(one));
    ofOther.add(await backendOf(other)).add(await backendOf(other));
  }
  return ofOne.size > 1 || ofOther.size > 1 || [...ofOne].some((pid) => ofOther.has(pid));
}

async function backendOf(client: pg.ClientBase): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid ?? 0;
}

import type pg from 'pg';

/** Names of PostgreSQL's settings and their values. The values are the service's own: they are written into SQL as they are. */
export type SessionSettings = Readonly<Record<string, string | number>>;

/** What the service relies on, whatever the server, the database, the role or DATABASE_URL say. */
const EVERYWHERE: SessionSettings = {
  timezone: 'UTC',
  datestyle: 'ISO',
  default_transaction_isolation: 'read committed',
  // The planner takes a look-up without a sequential scan for a long statement: compiling it takes seconds, running it less than a
  // millisecond.
  jit: 'off',
};

/**
 * To be sent first on a new connection. Not as parameters of the connection: poolers refuse those, and `options=` in DATABASE_URL
 * overrides them.
 */
export async function applySessionSettings(
  client: pg.ClientBase,
  settings: SessionSettings = {},
): Promise<void> {
  const statements = Object.entries({ ...EVERYWHERE, ...settings }).map(
    ([name, value]) => `set ${name} to '${value}'`,
  );
  await client.query(statements.join('; '));
}

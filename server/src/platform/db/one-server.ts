import type { Socket } from 'node:net';
import type pg from 'pg';

/** A proxy has led connections of one address to different servers. */
export class SeveralServersError extends Error {
  constructor() {
    super('several servers are behind one address');
  }
}

/** By connection: when its server was started, to the microsecond. No two servers have the same. */
type Connections = Map<pg.ClientBase, string>;

const watched = new WeakMap<pg.Pool, Connections>();

/**
 * From here on all open connections to the pool's database lead to one server, also those outside of the pool: one that leads to
 * another is refused with a SeveralServersError. To be called before the pool is used.
 */
export function requireOneServer(pool: pg.Pool): void {
  watched.set(pool, new Map());
}

/** To be called for each new connection, before it is used. */
export async function checkServer(pool: pg.Pool, client: pg.ClientBase): Promise<void> {
  const connections = watched.get(pool);
  if (connections === undefined) return;
  const { rows } = await client.query<{ server: string }>(
    'select pg_postmaster_start_time()::text as server',
  );
  const server = rows[0]?.server ?? '';
  client.once('end', () => connections.delete(client));
  connections.set(client, server);
  if ([...connections.values()].some((other) => other !== server)) throw new SeveralServersError();
}

/** What runs on the connections is rejected at once, also where the server does not respond any more. */
export function cutConnections(pool: pg.Pool): void {
  for (const client of watched.get(pool)?.keys() ?? []) {
    (client as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
  }
}

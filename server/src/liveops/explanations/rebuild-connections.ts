import { type Client, createPool, type Pool } from '../../platform/db/pool.js';
import { isPooled } from '../../platform/db/pooler.js';
import { createShadowTables } from './shadow-tables.js';

/** The limit for one statement. A player may have very many events. */
const TIMEOUT_MS = 120_000;
/**
 * Folded on one connection before it is closed. Its temporary tables keep the rolled back rows of earlier rebuilds, and nothing
 * removes them.
 */
const EVENTS_PER_CONNECTION = 50_000;
/** A rebuild without events leaves rows behind, too. */
const EVENTS_PER_REBUILD = 100;

/** The connections of rebuilds: not of the shared pool, because their temporary tables hide the real ones. */
export function createRebuildPool(databaseUrl: string, size = 1): Pool {
  return createPool({
    url: databaseUrl,
    size,
    timeoutMs: TIMEOUT_MS,
    onError: () => {},
    // So that only the blocks of this player are read, whatever the statistics of the tables say.
    lookUps: 'planned each time',
  });
}

/** How many events were folded on a connection that keeps its shadow tables. */
const foldedOn = new WeakMap<Client, number>();

/**
 * Runs one rebuild on a connection with shadow tables, in a transaction that is rolled back. Its tables cost more than the rebuild
 * of most players, so a connection keeps them for the next rebuild.
 */
export async function onShadowTables<Rebuilt extends Readonly<{ foldedEvents: number }>>(
  pool: Pool,
  rebuild: (client: Client) => Promise<Rebuilt>,
): Promise<Rebuilt> {
  const client = await pool.connect();
  let isKept = false;
  try {
    const folded = foldedOn.get(client) ?? (await keepShadowTables(client));
    // One snapshot, so that all tables show the same state.
    await client.query('begin isolation level repeatable read');
    if (folded === undefined) await createShadowTables(client);
    const rebuilt = await rebuild(client);
    if (folded !== undefined) {
      const total = folded + rebuilt.foldedEvents + EVENTS_PER_REBUILD;
      foldedOn.set(client, total);
      isKept = total < EVENTS_PER_CONNECTION;
    }
    return rebuilt;
  } finally {
    await client.query('rollback').catch(() => {
      isKept = false;
    });
    client.release(!isKept);
  }
}

/**
 * Undefined behind a pooler, which may give the session to another client after each transaction: tables that stay would hide the
 * real ones from it. There they are created within the transaction, and end with it.
 */
async function keepShadowTables(client: Client): Promise<0 | undefined> {
  if (await isPooled(client)) return undefined;
  await createShadowTables(client);
  return 0;
}

import { readDatabaseUrl } from './database-url.js';
import { integer, type Setting, type Surroundings } from './setting-kinds.js';

/** Where PostgreSQL is, and how it is asked. */
export const DATABASE_ROWS = {
  databaseUrl: {
    name: 'DATABASE_URL',
    fallback: 'embedded PostgreSQL',
    description: 'PostgreSQL 15 or newer to use instead',
    read: (given, { report }) => databaseUrl('DATABASE_URL', given, report),
  } satisfies Setting<string | undefined>,
  databaseReplicaUrl: {
    name: 'DATABASE_REPLICA_URL',
    fallback: 'the primary serves everything',
    description:
      'a streaming replica of DATABASE_URL, one server: lists of players, analytics, dry runs and exports read there while it keeps up',
    read: (given, { report }) => databaseUrl('DATABASE_REPLICA_URL', given, report),
  } satisfies Setting<string | undefined>,
  replicaMaxLagMs: integer('SAVEPOINT_REPLICA_MAX_LAG_MS', {
    fallback: 1_000,
    min: 1,
    max: 60_000,
    description:
      'how long a read waits until the replica has all that the primary has, and up to SAVEPOINT_DB_TIMEOUT_MS where packets are dropped; a replica that takes longer is not read',
  }),
  databasePoolSize: integer('SAVEPOINT_DB_POOL', {
    fallback: 8,
    min: 2,
    max: 100,
    description: 'database connections per worker',
  }),
  databaseTimeoutMs: integer('SAVEPOINT_DB_TIMEOUT_MS', {
    fallback: 5_000,
    min: 100,
    max: 60_000,
    description: 'time-out of a database call',
  }),
} satisfies Record<string, Setting<unknown>>;

function databaseUrl(
  name: 'DATABASE_URL' | 'DATABASE_REPLICA_URL',
  given: string | undefined,
  report: Surroundings['report'],
): string | undefined {
  if (given === undefined) return undefined;
  const found = readDatabaseUrl(given, undefined, name);
  if ('url' in found) return found.url;
  report(found.problem);
  return undefined;
}

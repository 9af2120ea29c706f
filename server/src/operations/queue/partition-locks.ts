import { Socket } from 'node:net';
import pg from 'pg';
import { type Pool, query } from '../../platform/db/pool.js';
import { applySessionSettings } from '../../platform/db/session-settings.js';

/**
 * Who consumes what, decided by PostgreSQL's advisory locks on a connection of their own: a lock is gone with its
 * connection, so a process that dies, however it dies, gives up its partitions at once, and no clock is involved.
 *
 * Lock 0 is shared by all consumers of a stream and only says that they are there; lock p + 1 belongs to the one consumer
 * that works on partition p. Consumers share the partitions out by their rank: all see the same list of members, so all
 * come to the same result.
 */
export type PartitionLocks = {
  /** The partitions that fall to this process, given who else is there now. */
  share(): Promise<number[]>;
  /** Those of the wanted partitions that were free and are ours now. */
  take(wanted: readonly number[]): Promise<number[]>;
  release(partition: number): Promise<void>;
  close(): Promise<void>;
};

type Options = {
  databaseUrl: string;
  stream: string;
  partitions: number;
  /** The connection, and with it every lock, is gone. Called once, also after a failed call, never after `close`. */
  onLost: (error: Error) => void;
};

const TIMEOUT_MS = 3_000;
/** If this machine vanishes without closing the connection, the server notices within ten seconds and frees the locks. */
const NOTICE_A_DEAD_PEER = {
  tcp_keepalives_idle: 4,
  tcp_keepalives_interval: 2,
  tcp_keepalives_count: 3,
  idle_session_timeout: 0,
};

/** Of the locks of one stream, in this database. */
const LOCKS = `
  pg_locks
  where locktype = 'advisory' and granted
    and database = (select oid from pg_database where datname = current_database())
    and classid = hashtext($1)::oid and objsubid = 2`;

/** The lock class of a stream; PostgreSQL hashes it. */
function lockName(stream: string): string {
  return `savepoint partitions of ${stream}`;
}

export type Owners = { consumers: number; partitions: number };

/** How many consumers there are on all machines together, and how many partitions have an owner. */
export async function findOwners(pool: Pool, stream: string): Promise<Owners> {
  const [row] = await query<Owners>(
    pool,
    {
      name: 'find_owners',
      text: `select count(*) filter (where objid = 0)::int as consumers,
               count(*) filter (where objid > 0)::int as partitions
             from ${LOCKS}`,
    },
    [lockName(stream)],
  );
  return row ?? { consumers: 0, partitions: 0 };
}

export async function openPartitionLocks(options: Options): Promise<PartitionLocks> {
  const { stream, partitions, onLost } = options;
  const socket = new Socket();
  const client = new pg.Client({
    stream: () => socket,
    connectionString: options.databaseUrl,
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
    keepAlive: true,
    application_name: 'savepoint consumer',
  });
  const name = lockName(stream);
  let gone = false;
  const lose = (error: Error): void => {
    if (gone) return;
    gone = true;
    // Ends the socket without a goodbye, which would wait for a response of a silent server: the locks end with the socket.
    socket.destroy();
    onLost(error);
  };
  client.on('error', lose);
  client.on('end', () => lose(new Error('the connection that holds the partitions was closed')));

  // One after the other: a check of the members and a handover may come at the same time.
  let last: Promise<unknown> = Promise.resolve();
  const ask = <Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<Row[]> => {
    const result = last.then(async () => {
      if (gone) throw new Error('the partitions are lost');
      return (await client.query<Row>(text, values)).rows;
    });
    // Any failure counts: when the state of the locks is unknown, they are treated as lost.
    last = result.catch(lose);
    return result;
  };

  try {
    await client.connect();
    await applySessionSettings(client, NOTICE_A_DEAD_PEER);
    await ask('select pg_advisory_lock_shared(hashtext($1), 0)', [name]);
  } catch (error) {
    gone = true;
    socket.destroy();
    throw error;
  }

  return {
    async share() {
      const [row] = await ask<{ me: number; members: number[] }>(
        `select pg_backend_pid() as me, array(select pid from ${LOCKS} and objid = 0 order by pid) as members`,
        [name],
      );
      const members = row?.members ?? [];
      const rank = members.indexOf(row?.me ?? -1);
      if (rank < 0) {
        const error = new Error('the lock that says that this consumer is there is gone');
        lose(error);
        throw error;
      }
      return Array.from({ length: partitions }, (_, p) => p).filter((p) => p % members.length === rank);
    },
    async take(wanted) {
      if (wanted.length === 0) return [];
      const rows = await ask<{ p: number }>(
        'select p from unnest($2::int[]) p where pg_try_advisory_lock(hashtext($1), p + 1)',
        [name, wanted],
      );
      return rows.map((row) => row.p);
    },
    async release(partition) {
      await ask('select pg_advisory_unlock(hashtext($1), $2::int + 1)', [name, partition]);
    },
    async close() {
      if (gone) return;
      gone = true;
      await client.end().catch(() => {});
    },
  };
}

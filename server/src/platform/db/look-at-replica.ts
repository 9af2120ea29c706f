import { setTimeout as sleep } from 'node:timers/promises';
import { SeveralServersError } from './one-server.js';
import type { Pool } from './pool.js';

/** Why a replica is not read. */
export type ReplicaProblem =
  | 'unreachable'
  | 'several_servers'
  | 'not_standby'
  | 'other_database'
  | 'ahead'
  | 'behind';

/** `lagMs`: how long the replica took until it had all that the primary had. */
export type ReplicaLook =
  | Readonly<{ problem: null; lagMs: number }>
  | Readonly<{ problem: ReplicaProblem; message: string }>;

const MESSAGES: Readonly<Record<Exclude<ReplicaProblem, 'unreachable'>, string>> = {
  several_servers: 'several servers are behind its address',
  not_standby: 'it is not a standby',
  other_database: 'it is a standby of another server, or another database',
  ahead: 'it has changes that the primary does not have: it followed another primary',
  behind: 'it is too far behind the primary',
};

/** Most replicas have everything after a millisecond or two; one that has not is asked less and less often. */
const MAX_PAUSE_MS = 50;
/** PostgreSQL's `wal_block_size`. */
const LOG_PAGE_BYTES = 8_192n;

/**
 * Whether the server of DATABASE_REPLICA_URL may be read in the place of the primary. Its pool must require one server.
 *
 * @throws if the primary cannot be asked
 */
export async function lookAtReplica(
  primary: Pool,
  replica: Pool,
  maxLagMs: number,
  signal?: AbortSignal,
): Promise<ReplicaLook> {
  // On two connections: a proxy that spreads them over several servers is noticed.
  const [standby] = await Promise.all([findServerState(replica), findServerState(replica)]).catch((error) => [
    unreachable(error),
  ]);
  if ('problem' in standby) return standby;
  const { systemIdentifier, database } = await findServerState(primary);
  // Asked after the standby, which cannot be ahead then.
  const position = await findPosition(primary);
  if (!standby.isStandby || standby.position === null) return found('not_standby');
  if (standby.systemIdentifier !== systemIdentifier || standby.database !== database) {
    return found('other_database');
  }
  if (toNumber(standby.position) > toNumber(position)) return found('ahead');
  return catchUp(replica, position, maxLagMs, signal);
}

/** Up to here the log of the primary has everything that is committed. */
export async function findPosition(primary: Pool): Promise<string> {
  const position = await findFlushed(primary);
  if (toNumber(position) % LOG_PAGE_BYTES !== 0n) return position;
  // Between commits PostgreSQL writes whole pages. Then the last record may not be complete, and a standby waits for the rest of it.
  // This small commit writes the rest.
  await primary.query("select pg_logical_emit_message(true, 'savepoint', '')");
  return findFlushed(primary);
}

async function findFlushed(primary: Pool): Promise<string> {
  const { rows } = await primary.query<{ position: string }>(
    'select pg_current_wal_flush_lsn()::text as position',
  );
  return rows[0]?.position ?? '';
}

/** Waits until the replica has replayed the log up to a position of the primary. */
export async function catchUp(
  replica: Pool,
  position: string,
  maxLagMs: number,
  signal?: AbortSignal,
): Promise<ReplicaLook> {
  const begun = performance.now();
  for (let pauseMs = 1; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    const asked = await replica
      .query<{ hasAll: boolean | null }>(
        'select pg_is_in_recovery() and pg_last_wal_replay_lsn() >= $1::pg_lsn as "hasAll"',
        [position],
      )
      .catch(unreachable);
    if ('problem' in asked) return asked;
    const lagMs = performance.now() - begun;
    if (asked.rows[0]?.hasAll === true) return { problem: null, lagMs };
    if (lagMs >= maxLagMs || signal?.aborted) return found('behind');
    await sleep(pauseMs);
  }
}

function found(problem: keyof typeof MESSAGES): ReplicaLook {
  return { problem, message: MESSAGES[problem] };
}

export function unreachable(error: Error & { code?: string }): ReplicaLook {
  if (error instanceof SeveralServersError) return found('several_servers');
  // Where a name has several addresses and none can be reached, the error has no message.
  return { problem: 'unreachable', message: `it cannot be reached (${error.message || error.code})` };
}

type ServerState = {
  /** The same for a primary and all its standbys. */
  systemIdentifier: string;
  database: string;
  isStandby: boolean;
  /** Up to where a standby has replayed the log. Null where the server does not say. */
  position: string | null;
};

async function findServerState(db: Pool): Promise<ServerState> {
  const { rows } = await db.query<ServerState>(
    `select system_identifier::text as "systemIdentifier", current_database() as database,
       pg_is_in_recovery() as "isStandby", pg_last_wal_replay_lsn()::text as position
     from pg_control_system()`,
  );
  return rows[0] as ServerState;
}

/** `16/B374D848`, two numbers of 32 bits. */
function toNumber(position: string): bigint {
  const [high = '0', low = '0'] = position.split('/');
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
}

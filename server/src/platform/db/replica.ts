import pg from 'pg';
import type { Logger } from 'pino';
import { createPoller } from '../lib/poller.js';
import { isStatementTimeout } from './dedicated-connection.js';
import { catchUp, findPosition, lookAtReplica, type ReplicaLook, unreachable } from './look-at-replica.js';
import { cutConnections, requireOneServer, SeveralServersError } from './one-server.js';
import { isUnavailable, type Pool } from './pool.js';
import type { Reads } from './reads.js';

/** How soon a replica that has caught up again is used. */
const LOOK_EVERY_MS = 2_000;

export type ReplicaState = Readonly<{
  /** Null: the replica is read. */
  problem: string | null;
  /** What the replica last took to have all that the primary had. While it is not read: since when it is not. */
  lagSeconds: number;
  /** Work that began on each of the two since the start. */
  reads: Readonly<{ replica: number; primary: number }>;
}>;

export type Replica = Reads & Readonly<{ state(): ReplicaState; stop(): Promise<void> }>;

/** No problem of the replica: the first one that a look finds is logged. */
type NotLookedAt = Readonly<{ problem: 'not_looked_at'; message: string }>;

type Options = Readonly<{
  primary: Pool;
  /** Belongs to the replica from here on: `stop` ends it. */
  pool: Pool;
  /** How long a read waits for the replica, at most. */
  maxLagMs: number;
  logger: Logger;
  everyMs?: number;
}>;

/**
 *                 caught up in time
 *   not read ───────────────────────► read: before each piece of work the replica must have all that the primary has
 *      ▲                               │
 *      └── too far behind, or failed ──┘
 *
 * The primary serves what the replica does not. Nobody waits for the first look.
 */
export function createReplica({
  primary,
  pool,
  maxLagMs,
  logger,
  everyMs = LOOK_EVERY_MS,
}: Options): Replica {
  requireOneServer(pool);
  let last: ReplicaLook | NotLookedAt = {
    problem: 'not_looked_at',
    message: 'it has not been looked at yet',
  };
  let sinceMs = performance.now();
  const reads = { replica: 0, primary: 0 };

  const note = (look: ReplicaLook): void => {
    const hasChanged = look.problem !== last.problem;
    const wasRead = last.problem === null;
    last = look;
    // Nobody knows which of them lead to the right server.
    if (look.problem === 'several_servers') cutConnections(pool);
    if (!hasChanged) return;
    if (look.problem === null) {
      logger.info('the replica serves reads');
      return;
    }
    if (wasRead) sinceMs = performance.now();
    logger.warn(
      { problem: look.problem },
      `the replica is not read: ${look.message}; the primary serves instead`,
    );
  };

  const choose = async (): Promise<Pool> => {
    if (last.problem === null) {
      const look = await catchUp(pool, await findPosition(primary), maxLagMs);
      // Only a look from the ground up ends a problem.
      if (look.problem !== null) note(look);
    }
    const isRead = last.problem === null;
    reads[isRead ? 'replica' : 'primary']++;
    return isRead ? pool : primary;
  };

  const poller = createPoller({
    everyMs,
    async work(signal) {
      const look = await lookAtReplica(primary, pool, maxLagMs, signal);
      // A server that stands still would hold its work for ever. No new reads have filled the pool since the look before.
      if (look.problem === 'unreachable' && last.problem === 'unreachable') cutConnections(pool);
      note(look);
    },
    onError: (error) =>
      note({
        problem: 'unreachable',
        message: `the primary cannot be asked where it is (${(error as Error).message})`,
      }),
  });
  poller.start();

  return {
    choose,
    async run(work) {
      const db = await choose();
      if (db === primary) return work(primary);
      try {
        return await work(pool);
      } catch (error) {
        // What takes too long on the replica would take the primary as long.
        if (isStatementTimeout(error)) throw error;
        if (error instanceof SeveralServersError) note(unreachable(error));
        else if (isUnavailable(error)) {
          note({ problem: 'unreachable', message: `it failed (${(error as Error).message})` });
        } else if (error instanceof pg.DatabaseError) {
          // Such as a role without rights, or a damaged file. A mistake in the statement is reported by the primary, too.
          logger.warn({ err: error }, 'the replica refused a read; the primary serves it');
        } else throw error;
        reads.primary++;
        return work(primary);
      }
    },
    state() {
      const lagMs = last.problem === null ? last.lagMs : performance.now() - sinceMs;
      return {
        problem: last.problem === null ? null : last.message,
        lagSeconds: lagMs / 1_000,
        reads: { ...reads },
      };
    },
    async stop() {
      await poller.stop();
      await pool.end();
    },
  };
}

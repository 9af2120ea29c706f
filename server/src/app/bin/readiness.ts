import { clockWarnings } from '../../operations/lifecycle/clock-warnings.js';
import { describeSpace } from '../../operations/lifecycle/disk-warnings.js';
import type { QueueStatus } from '../../operations/queue/queue-status.js';
import type { DatabaseClock } from '../../platform/db/database-clock.js';
import type { Pool } from '../../platform/db/pool.js';
import type { Replica, ReplicaState } from '../../platform/db/replica.js';
import { isMigrated } from '../../platform/db/schema-state.js';
import type { DiskWatch } from '../../platform/lib/disk-watch.js';
import { type FreeSpace, isAllButFull } from '../../platform/lib/free-space.js';
import type { Readiness } from '../health-app.js';
import { STUCK_SECONDS } from './heartbeat.js';
import type { ServiceStatus } from './service-status.js';
import type { ProcessStatus } from './supervised-process.js';

type Sources = {
  pool: Pool;
  /** Undefined if the primary does not respond. */
  status: () => Promise<ServiceStatus | undefined>;
  /** Whether each worker that serves gets connections to the database; undefined if the primary does not respond. */
  reach: () => Promise<readonly boolean[] | undefined>;
  /** Undefined without a queue. */
  queue: (() => Promise<QueueStatus>) | undefined;
  clock: Pick<DatabaseClock, 'reading'>;
  disk: Pick<DiskWatch, 'reading'>;
  /** Undefined without a replica. */
  replica?: Pick<Replica, 'state'> | undefined;
};

const OK = 'ok';
const UNREACHABLE = 'the database cannot be reached';
const NO_CONNECTIONS = 'the database gives the API workers no connections';
/** States of the database that a queue outlives. */
const AWAY: readonly string[] = [UNREACHABLE, NO_CONNECTIONS];

/**
 * With a queue, a node stays ready while one of the two is away: without the database it goes on taking events, without
 * NATS it goes on serving players. A balancer that took it out would stop that as well, and on every node at once. A node whose
 * clock is off, or which is about to stop, is not ready, so that a balancer prefers others. It serves what it is sent meanwhile.
 */
export async function readiness(sources: Sources): Promise<Readiness> {
  const { pool, status, reach, queue, clock, disk, replica } = sources;
  const [database, workers, queued] = await Promise.all([checkDatabase(pool, reach), status(), queue?.()]);
  const { ok: hasQueue = false, ...queueChecks } = queued ?? {};
  const canStore = database === OK || (AWAY.includes(database) && hasQueue);
  const diskProblem = problemOf(disk.reading());
  const [clockWarning] = clockWarnings(clock.reading());
  const canServe = servingOf(workers?.workers ?? []).length > 0 && workers?.isStopping !== true;
  return {
    ready: canStore && canServe && clockWarning === undefined && diskProblem === undefined,
    checks: {
      database,
      workers: describeWorkers(workers),
      clock: clockWarning?.message ?? OK,
      disk: diskProblem ?? OK,
      // Without it the primary serves all the same.
      ...(replica === undefined ? {} : { replica: describeReplica(replica.state()) }),
      ...queueChecks,
    },
  };
}

async function checkDatabase(pool: Pool, reach: Sources['reach']): Promise<string> {
  try {
    const [isReady, workers = []] = await Promise.all([isMigrated(pool), reach()]);
    if (!isReady) return 'migrations are missing: run `savepoint migrate`';
    return workers.length > 0 && !workers.includes(true) ? NO_CONNECTIONS : OK;
  } catch {
    return UNREACHABLE;
  }
}

function describeReplica({ problem }: ReplicaState): string {
  return problem === null ? OK : `${problem}: the primary serves its reads`;
}

/** A node that is told nothing of its database's disk has no problem with it. */
function problemOf(space: FreeSpace | undefined): string | undefined {
  if (space === undefined || !isAllButFull(space)) return undefined;
  return `${describeSpace(space)}: no events are taken until there is room`;
}

/** One worker is enough to be ready: those that do not serve are back within seconds, or hold up nobody. */
function describeWorkers(status: ServiceStatus | undefined): string {
  if (status === undefined) return 'the primary process does not respond';
  if (status.isStopping) return 'the node is stopping: send players elsewhere';
  const { workers } = status;
  const serving = servingOf(workers).length;
  if (serving === workers.length) return OK;
  const others = workers.filter(({ state }) => state !== 'serving').map(describeWorker);
  return `${serving} of ${workers.length} API workers serve players: ${others.join(', ')}`;
}

function servingOf(workers: readonly ProcessStatus[]): readonly ProcessStatus[] {
  return workers.filter(({ state }) => state === 'serving');
}

function describeWorker({ pid, state, silentSeconds }: ProcessStatus): string {
  if (state === 'ended') return 'one has ended and is started again soon';
  if (state === 'starting') return `process ${pid} is starting`;
  return `process ${pid} has not turned its event loop for ${silentSeconds} s and is replaced after ${STUCK_SECONDS} s`;
}

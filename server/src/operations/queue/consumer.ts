import type { Logger } from 'pino';
import type { Pool } from '../../platform/db/pool.js';
import { isMigrated } from '../../platform/db/schema-state.js';
import type { NatsSettings } from '../../platform/settings/settings.js';
import type { MessageApplier } from './apply-messages.js';
import type { QueueLink } from './connection.js';
import { openPartitionLocks, type PartitionLocks } from './partition-locks.js';
import { PartitionWorker } from './partition-worker.js';
import type { QueueMetrics } from './queue-metrics.js';

/** How soon a dead process's partitions are taken over, and a new one gets its share. */
const LOOK_ROUND_MS = 1_000;

export type QueueConsumer = {
  /** The partitions that this process works on. */
  owned(): readonly number[];
  /** Whether this process holds its membership lock, which needs a database. */
  isMember(): boolean;
  /** Finishes what was pulled, then leaves the partitions to others. */
  stop(): Promise<void>;
};

type Options = {
  link: QueueLink;
  nats: NatsSettings;
  databaseUrl: string;
  pool: Pool;
  applier: MessageApplier;
  metrics: QueueMetrics;
  logger: Logger;
};

/**
 * Takes this process's share of the partitions, with a worker for each:
 *
 *   no locks ──database there, migrated──► member ──each second──► hand over what is no longer ours, take what is
 *      ▲                                      │
 *      └─── every worker stopped at once ◄──────┘ connection of the locks lost
 *
 * Only the owner of a partition pulls from it. A lost connection is noticed when it closes, or when the check of each second gets
 * no response. The events that were being applied then may overlap with the next owner's first group for the length of one
 * transaction. The result is right nevertheless: rows are locked, and every event counts once, whichever consumer applies it.
 */
export function startConsumer(options: Options): QueueConsumer {
  const { link, nats, databaseUrl, pool, applier, metrics, logger } = options;
  const workers = new Map<number, PartitionWorker>();
  const handovers = new Map<number, Promise<void>>();
  let locks: PartitionLocks | undefined;
  let stopping = false;
  let failures = 0;
  let endPause = (): void => {};

  const live = async (): Promise<void> => {
    while (!stopping) {
      try {
        await takePart();
      } catch (error) {
        failures++;
        metrics.consumerErrors.inc({ source: 'partitions' });
        if (failures === 1)
          logger.warn(
            { err: error },
            'this consumer cannot lock its partitions in PostgreSQL; it tries again every few seconds',
          );
      }
      if (!stopping) await pause();
    }
  };

  /** Runs until the consumer stops. Throws when the locks are lost. */
  const takePart = async (): Promise<void> => {
    if (!(await isMigrated(pool))) throw new Error('migrations are missing: run `savepoint migrate`');
    let loss: Error | undefined;
    const mine = await openPartitionLocks({
      databaseUrl,
      stream: nats.stream,
      partitions: nats.partitions,
      onLost(error) {
        loss = error;
        locks = undefined;
        for (const worker of workers.values()) void worker.abandon();
        endPause();
      },
    });
    locks = mine;
    try {
      while (!stopping && loss === undefined) {
        await lookRound(mine);
        failures = 0;
        await pause();
      }
      if (loss !== undefined) throw loss;
    } finally {
      locks = undefined;
      await stopAll();
      await mine.close();
    }
  };

  const lookRound = async (mine: PartitionLocks): Promise<void> => {
    const share = new Set(await mine.share());
    for (const partition of workers.keys()) {
      if (!share.has(partition) && !handovers.has(partition)) {
        handovers.set(
          partition,
          handOver(mine, partition).catch(() => {}),
        );
      }
    }
    for (const partition of await mine.take([...share].filter((wanted) => !workers.has(wanted)))) {
      workers.set(
        partition,
        new PartitionWorker({ link, stream: nats.stream, partition, applier, metrics, logger }),
      );
    }
    metrics.partitions.set(workers.size);
  };

  /** Not awaited here: a slow transaction must not look like a lost connection. */
  const handOver = async (mine: PartitionLocks, partition: number): Promise<void> => {
    try {
      await workers.get(partition)?.stop();
      workers.delete(partition);
      await mine.release(partition);
    } finally {
      handovers.delete(partition);
    }
  };

  const stopAll = async (): Promise<void> => {
    await Promise.all([...workers.values()].map((worker) => worker.stop()));
    await Promise.all(handovers.values());
    workers.clear();
    metrics.partitions.set(0);
  };

  const pause = (): Promise<void> =>
    new Promise((resolve) => {
      endPause = resolve;
      setTimeout(resolve, LOOK_ROUND_MS).unref();
      if (stopping) resolve();
    });

  const finished = live();

  return {
    owned: () => (locks === undefined ? [] : [...workers.keys()].sort((a, b) => a - b)),
    isMember: () => locks !== undefined,
    async stop() {
      stopping = true;
      endPause();
      await finished;
    },
  };
}

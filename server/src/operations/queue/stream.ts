import {
  AckPolicy,
  DeliverPolicy,
  DiscardPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
  type StreamInfo,
} from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import { bucketOfUser } from '../../platform/lib/player-buckets.js';
import { StartupError } from '../../platform/lib/startup-error.js';
import type { NatsSettings } from '../../platform/settings/settings.js';

/** Longer than a client's first retries. What comes back later is recognised by the database. */
const DUPLICATE_WINDOW_MS = 120_000;
/** Longer than any apply takes; a consumer that died holding messages delays just those by as much. */
export const ACK_WAIT_MS = 30_000;
/** More than a consumer holds at once (see partition-worker.ts), so the server never has to hold messages back. */
const MAX_ACK_PENDING = 1_000;

/**
 * A cluster that has not elected its leader yet (10008, 10009), or that has no room for a stream on as many of its servers:
 * some have not joined yet (10005), or have too little memory or disk left (10023, 10047).
 */
const PASSING_CODES: ReadonlySet<number> = new Set([10005, 10008, 10009, 10023, 10047]);

/** Whether NATS may be able to do later what it cannot do now. */
export function isPassing(error: unknown): boolean {
  if (error instanceof JetStreamApiError) return PASSING_CODES.has(error.code);
  return error instanceof Error && /timeout/i.test(error.message);
}

/** One subject a partition, listed one by one: so the stream itself says how many there are. */
export function subjectOf(stream: string, partition: number): string {
  return `${stream}.${partition}`;
}

export function consumerOf(partition: number): string {
  return `partition-${partition}`;
}

/** A partition holds whole buckets of players. A player's partition is the same on every node and in every release. */
export function partitionOf(userId: string, partitions: number): number {
  return bucketOfUser(userId) % partitions;
}

/**
 * Makes the stream, or sees to it that the one there is ours. A work queue: a message stays until it has been applied,
 * however long that takes, and is gone after; when the disk is full new messages are refused (503) instead of old ones
 * dropped. Safe from several processes at once.
 */
export async function ensureStream(jsm: JetStreamManager, nats: NatsSettings): Promise<void> {
  const existing = await findStream(jsm, nats.stream);
  if (existing === undefined) {
    await orExplain(nats, () => jsm.streams.add(streamConfig(nats)));
    return;
  }
  const { config } = existing;
  const isOurs =
    config.retention === RetentionPolicy.Workqueue &&
    config.storage === StorageType.File &&
    config.subjects.every((subject) => subject.startsWith(`${nats.stream}.`));
  if (!isOurs) {
    throw new StartupError(
      `NATS has a stream ${nats.stream} that was not made by Savepoint. Choose another name with SAVEPOINT_NATS_STREAM.`,
    );
  }
  if (config.subjects.length !== nats.partitions) {
    throw new StartupError(
      `The stream ${nats.stream} has ${config.subjects.length} partitions and SAVEPOINT_NATS_PARTITIONS is ${nats.partitions}. The number is fixed once the stream exists: set it to ${config.subjects.length}, or start a new stream with SAVEPOINT_NATS_STREAM.`,
    );
  }
  if (config.num_replicas !== nats.replicas) {
    await orExplain(nats, () => jsm.streams.update(nats.stream, { num_replicas: nats.replicas }));
  }
}

export async function findStream(jsm: JetStreamManager, stream: string): Promise<StreamInfo | undefined> {
  try {
    return await jsm.streams.info(stream);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** The durable consumer of a partition; making one that exists changes nothing. */
export async function ensureConsumer(
  jsm: JetStreamManager,
  stream: string,
  partition: number,
): Promise<void> {
  await jsm.consumers.add(stream, {
    durable_name: consumerOf(partition),
    filter_subject: subjectOf(stream, partition),
    deliver_policy: DeliverPolicy.All,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(ACK_WAIT_MS),
    max_ack_pending: MAX_ACK_PENDING,
    // Without limit: messages that must not come back go to dead letters (dead-letters.ts) and are acknowledged
    // (partition-worker.ts).
    max_deliver: -1,
  });
}

/**
 * Whether a partition holds messages that its consumer believes done with. A server that is killed may have kept the
 * consumer's progress and not the removal of the messages, or the delivery and not that it was never acknowledged (seen
 * with NATS 2.9): such messages would stay for ever. Right only while the partition is idle.
 */
async function hasForgottenMessages(
  jsm: JetStreamManager,
  stream: string,
  partition: number,
): Promise<boolean> {
  const { num_pending, num_ack_pending } = await jsm.consumers.info(stream, consumerOf(partition));
  if (num_pending > 0 || num_ack_pending > 0) return false;
  const subject = subjectOf(stream, partition);
  const { state } = await jsm.streams.info(stream, { subjects_filter: subject });
  return (state.subjects?.[subject] ?? 0) > 0;
}

/** Makes a new consumer, so that skipped messages are delivered again. Those that were applied change nothing. */
export async function recallForgottenMessages(
  jsm: JetStreamManager,
  stream: string,
  partition: number,
): Promise<boolean> {
  if (!(await hasForgottenMessages(jsm, stream, partition))) return false;
  await jsm.consumers.delete(stream, consumerOf(partition));
  await ensureConsumer(jsm, stream, partition);
  return true;
}

export type Lag = { messages: number; bytes: number; oldestSeconds: number };

/** What has been acknowledged to clients and not been applied yet. On a work queue that is all there is in the stream. */
export async function readLag(jsm: JetStreamManager, stream: string, nowMs: number): Promise<Lag> {
  const { messages, bytes, first_ts } = (await jsm.streams.info(stream)).state;
  const oldestSeconds = messages === 0 ? 0 : Math.max(0, (nowMs - Date.parse(first_ts)) / 1000);
  return { messages, bytes, oldestSeconds };
}

function streamConfig({
  stream,
  partitions,
  replicas,
}: NatsSettings): Partial<StreamConfig> & { name: string } {
  return {
    name: stream,
    description: 'Savepoint: events that clients were promised and that are not applied yet',
    subjects: Array.from({ length: partitions }, (_, partition) => subjectOf(stream, partition)),
    retention: RetentionPolicy.Workqueue,
    storage: StorageType.File,
    discard: DiscardPolicy.New,
    num_replicas: replicas,
    duplicate_window: nanos(DUPLICATE_WINDOW_MS),
  };
}

async function orExplain(nats: NatsSettings, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof JetStreamApiError) || isPassing(error)) throw error;
    throw new StartupError(
      `NATS refuses the stream ${nats.stream} with ${nats.replicas} replicas (${(error as Error).message}). SAVEPOINT_NATS_REPLICAS cannot be more than there are servers with JetStream in the cluster.`,
    );
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound;
}

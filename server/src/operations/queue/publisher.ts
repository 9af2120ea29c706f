import { ApiError } from '../../platform/errors.js';
import { OverloadedError } from '../../platform/lib/overloaded-error.js';
import type { NatsSettings } from '../../platform/settings/settings.js';
import type { QueueLink, QueueSession } from './connection.js';
import { type EncodedMessage, encodeMessage, type QueuedMessage } from './message.js';
import type { QueueMetrics } from './queue-metrics.js';
import { partitionOf, subjectOf } from './stream.js';

/** Half of what a NATS server takes by default: consumers then never have to hold much at once. */
const MAX_MESSAGE_BYTES = 524_288;
/** The subject and the headers count as part of a message. */
const ENVELOPE_BYTES = 4_096;
/** About a second of work at full speed, and what a process can well keep in memory. */
const MAX_WAITING_BYTES = 33_554_432;
const MAX_WAITING_MESSAGES = 10_000;
/** In all, repeats included, and without the wait to be decoded. Under the 10 s after which clients commonly give up. */
const DEADLINE_MS = 5_000;
/**
 * An acknowledgement takes milliseconds. One that takes this long was lost with a server; the message id makes a repeat safe.
 */
const ATTEMPT_MS = 2_000;
/**
 * Switching to another server of the cluster takes less than this. If NATS is unavailable for longer, the response is 503 at
 * once.
 */
const SHORT_BREAK_MS = 1_000;
const RETRY_MS = 50;

export type Publisher = {
  /** Resolves when the stream has the whole message. Rejects with a 503 when that cannot be, or not in time. */
  publish(message: QueuedMessage): Promise<void>;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
};

type Options = { link: QueueLink; nats: NatsSettings; metrics: QueueMetrics };

export function createPublisher({ link, nats, metrics }: Options): Publisher {
  let waitingBytes = 0;
  let waitingMessages = 0;
  let idleWaiters: (() => void)[] = [];

  const begin = (bytes: number, messages: number): void => {
    const isFull =
      waitingBytes + bytes > MAX_WAITING_BYTES || waitingMessages + messages > MAX_WAITING_MESSAGES;
    if (isFull) {
      metrics.refused.inc({ reason: 'overload' }, messages);
      throw new OverloadedError();
    }
    waitingBytes += bytes;
    waitingMessages += messages;
  };

  const end = (bytes: number, messages: number): void => {
    waitingBytes -= bytes;
    waitingMessages -= messages;
    if (waitingMessages > 0) return;
    for (const wake of idleWaiters) wake();
    idleWaiters = [];
  };

  const publishPart = async (subject: string, part: EncodedMessage): Promise<void> => {
    const stopTimer = metrics.publishSeconds.startTimer();
    await publishInTime(link, nats.stream, subject, part).catch((error: unknown) => {
      metrics.refused.inc({ reason: 'nats' });
      throw error;
    });
    stopTimer();
    metrics.published.inc();
    metrics.publishedBytes.inc(part.body.length);
  };

  return {
    async publish(message) {
      const parts = encodeMessage(message, largestMessage(link.live()));
      const bytes = parts.reduce((sum, { body }) => sum + body.length, 0);
      begin(bytes, parts.length);
      try {
        const subject = subjectOf(nats.stream, partitionOf(message.userId, nats.partitions));
        const settled = await Promise.allSettled(parts.map((part) => publishPart(subject, part)));
        // Parts that were stored are recognised when the client sends the batch again.
        const failed = settled.find((result) => result.status === 'rejected');
        if (failed !== undefined) throw failed.reason;
      } finally {
        end(bytes, parts.length);
      }
    },
    idle() {
      if (waitingMessages === 0) return Promise.resolve();
      return new Promise((resolve) => {
        idleWaiters.push(resolve);
      });
    },
  };
}

function largestMessage(session: QueueSession | undefined): number {
  const allowed = session?.nc.info?.max_payload ?? MAX_MESSAGE_BYTES;
  return Math.min(MAX_MESSAGE_BYTES, allowed - ENVELOPE_BYTES);
}

/** Survives the loss of one server of a cluster. Anything longer is a 503, and the client sends the batch again. */
async function publishInTime(
  link: QueueLink,
  stream: string,
  subject: string,
  part: EncodedMessage,
): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  for (;;) {
    const failure = await tryToPublish(link.live(), stream, subject, part);
    if (failure === undefined) return;
    const noTimeLeft = deadline - performance.now() < ATTEMPT_MS;
    if (noTimeLeft || link.brokenForMs() > SHORT_BREAK_MS) {
      throw new ApiError('unavailable', { headers: { 'retry-after': '1' }, cause: failure });
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    await link.waitUntilLive(SHORT_BREAK_MS);
  }
}

/** What went wrong, or undefined. */
async function tryToPublish(
  session: QueueSession | undefined,
  stream: string,
  subject: string,
  { id, body }: EncodedMessage,
): Promise<unknown> {
  if (session === undefined) return new Error('there is no connection to NATS');
  try {
    await session.js.publish(subject, body, {
      msgID: id,
      timeout: ATTEMPT_MS,
      expect: { streamName: stream },
    });
    return undefined;
  } catch (error) {
    return error;
  }
}

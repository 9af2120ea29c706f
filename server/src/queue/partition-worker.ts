import type { Consumer, ConsumerMessages, JsMsg } from '@nats-io/jetstream';
import type { Logger } from 'pino';
import type { MessageApplier } from './apply-messages.js';
import type { QueueLink } from './connection.js';
import type { QueueMetrics } from './queue-metrics.js';
import { ACK_WAIT_MS, consumerOf, ensureConsumer, recallForgottenMessages } from './stream.js';

/**
 * About what a partition holds in memory, and what is sent again when its consumer dies. A pull is asked for in messages,
 * by the size of the last ones: one asked for in bytes ends only when its time is up, if small messages leave some over.
 */
const PULL_BYTES = 1_048_576;
const MIN_PULL_MESSAGES = 4;
const MAX_PULL_MESSAGES = 200;
/**
 * An idle pull is renewed this often. A pump that stops lets its last pull run out rather than close it: what the server
 * was just sending to a closed one would be missing until the server gives up on it, half a minute later.
 */
const PULL_EXPIRES_MS = 2_000;
/** With a server that went silent, a pull never runs out. */
const STOP_PATIENCE_MS = PULL_EXPIRES_MS + 1_000;
const STILL_WORKING_MS = ACK_WAIT_MS / 3;
/** How many pulls in a row come back empty before a look for messages that the server has forgotten: 20 s. */
const IDLE_PULLS = 10;
const MIN_PAUSE_MS = 200;
const MAX_PAUSE_MS = 5_000;

export type PartitionWorker = {
  /** Starts no further pull, and resolves when all that was pulled is done. */
  stop(): Promise<void>;
  /** The same at once: whatever still comes is given back. */
  abandon(): Promise<void>;
};

type Options = {
  link: QueueLink;
  stream: string;
  partition: number;
  applier: MessageApplier;
  metrics: QueueMetrics;
  logger: Logger;
};

/**
 * Moves one partition's messages from the stream into the database:
 *
 *   pulling ──message──► applying ──durable──► acknowledged
 *      ▲                     │ no database
 *      │                     ▼
 *      └──── pause ◄── given back (the stream keeps it); the pause grows up to 5 s
 */
export function startPartitionWorker({
  link,
  stream,
  partition,
  applier,
  metrics,
  logger,
}: Options): PartitionWorker {
  let stopping = false;
  let abandoned = false;
  let current: ConsumerMessages | undefined;
  let endPause = (): void => {};
  let pullMessages = MIN_PULL_MESSAGES;
  const held = new Set<JsMsg>();
  const stillWorking = setInterval(() => {
    for (const message of held) message.working();
  }, STILL_WORKING_MS).unref();

  const work = async (): Promise<void> => {
    let failures = 0;
    while (!stopping) {
      try {
        const session = await link.waitUntilLive(MAX_PAUSE_MS);
        if (session === undefined) continue;
        await ensureConsumer(session.jsm, stream, partition);
        const consumer = await session.js.consumers.get(stream, consumerOf(partition));
        for (let idle = 0; !stopping; ) {
          idle = (await pull(consumer)) === 0 ? idle + 1 : 0;
          failures = 0;
          if (idle === IDLE_PULLS && !stopping) {
            idle = 0;
            if (await recallForgottenMessages(session.jsm, stream, partition)) {
              logger.warn(
                { partition },
                'NATS had forgotten messages of this partition; they are applied now',
              );
            }
          }
        }
      } catch (error) {
        if (stopping) return;
        failures++;
        metrics.consumerErrors.inc({ source: error instanceof ApplyFailure ? 'database' : 'nats' });
        // The first of a row tells what is wrong; the rest would only fill the log.
        if (failures === 1) logger.warn({ err: error, partition }, 'events wait in the stream; trying again');
        await pause(Math.min(MAX_PAUSE_MS, MIN_PAUSE_MS * 2 ** (failures - 1)));
      }
    }
  };

  /** How many messages came. */
  const pull = async (consumer: Consumer): Promise<number> => {
    const messages = await consumer.fetch({ max_messages: pullMessages, expires: PULL_EXPIRES_MS });
    current = messages;
    const settled: Promise<void>[] = [];
    let bytes = 0;
    let failure: unknown;
    const fail = (error: unknown): void => {
      failure ??= error;
    };
    try {
      for await (const message of messages) {
        bytes += message.data.length;
        // Not before this pull has run out, or it would come back at once.
        if (abandoned || failure !== undefined) message.nak(PULL_EXPIRES_MS);
        else settled.push(settle(message).catch(fail));
      }
    } catch (error) {
      fail(error);
    }
    await Promise.all(settled);
    if (failure !== undefined) throw failure;
    if (settled.length === 0) return 0;
    const fitting = Math.floor((PULL_BYTES / bytes) * settled.length);
    pullMessages = Math.max(MIN_PULL_MESSAGES, Math.min(MAX_PULL_MESSAGES, fitting));
    return settled.length;
  };

  const settle = async (message: JsMsg): Promise<void> => {
    const { deliveryCount } = message.info;
    if (deliveryCount > 1) metrics.redelivered.inc();
    held.add(message);
    try {
      await applier.apply({
        partition,
        body: message.data,
        receivedAtMs: message.time.getTime(),
        deliveries: deliveryCount,
      });
    } catch (error) {
      message.nak(PULL_EXPIRES_MS);
      throw new ApplyFailure('queued events could not be applied', { cause: error });
    } finally {
      held.delete(message);
    }
    // Without an answer: should it get lost, the message comes again and changes nothing.
    message.ack();
  };

  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      endPause = resolve;
      setTimeout(resolve, ms).unref();
      if (stopping) resolve();
    });

  const finished = work().finally(() => clearInterval(stillWorking));

  const stop = async (): Promise<void> => {
    stopping = true;
    endPause();
    const close = (): void => void current?.close();
    if (link.live() === undefined) close();
    const losingPatience = setTimeout(close, STOP_PATIENCE_MS);
    await finished;
    clearTimeout(losingPatience);
  };

  return {
    stop,
    abandon() {
      abandoned = true;
      return stop();
    },
  };
}

class ApplyFailure extends Error {
  override readonly name = 'ApplyFailure';
}

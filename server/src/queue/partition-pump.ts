import type { Consumer, ConsumerMessages, JsMsg } from '@nats-io/jetstream';
import type { Logger } from 'pino';
import type { MessageApplier } from './apply-messages.js';
import type { QueueLink } from './connection.js';
import type { QueueMetrics } from './queue-metrics.js';
import { ACK_WAIT_MS, consumerOf, ensureConsumer } from './stream.js';

/**
 * What a partition holds in memory at the most, and what is sent again when its consumer dies. Twice the largest message:
 * one that does not fit would never be delivered.
 */
const MAX_PULL_BYTES = 1_048_576;
/** An idle pull is renewed this often. */
const PULL_EXPIRES_MS = 30_000;
const STILL_WORKING_MS = ACK_WAIT_MS / 3;
const MIN_PAUSE_MS = 200;
const MAX_PAUSE_MS = 5_000;

export type Pump = {
  /** Pulls nothing more, and resolves when all that was pulled is either done or given back. */
  stop(): Promise<void>;
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
export function startPump({ link, stream, partition, applier, metrics, logger }: Options): Pump {
  let stopping = false;
  let current: ConsumerMessages | undefined;
  let endPause = (): void => {};
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
        while (!stopping) {
          await pull(consumer);
          failures = 0;
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

  const pull = async (consumer: Consumer): Promise<void> => {
    const messages = await consumer.fetch({ max_bytes: MAX_PULL_BYTES, expires: PULL_EXPIRES_MS });
    current = messages;
    if (stopping) void messages.close();
    const settled: Promise<void>[] = [];
    let failure: unknown;
    try {
      for await (const message of messages) {
        if (stopping || failure !== undefined) message.nak();
        else {
          settled.push(
            settle(message).catch((error: unknown) => {
              failure ??= error;
              void messages.close();
            }),
          );
        }
      }
    } catch (error) {
      if (!isFull(error)) failure ??= error;
    }
    await Promise.all(settled);
    if (failure !== undefined) throw failure;
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
      message.nak(MIN_PAUSE_MS);
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

  return {
    async stop() {
      stopping = true;
      endPause();
      void current?.close();
      await finished;
    },
  };
}

class ApplyFailure extends Error {
  override readonly name = 'ApplyFailure';
}

/** The server ends a pull with this answer when the next message would be more than was asked for. */
function isFull(error: unknown): boolean {
  return (error as { code?: unknown }).code === 409 && /max ?bytes/i.test((error as Error).message);
}

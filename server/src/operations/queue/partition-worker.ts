import type { Consumer, ConsumerMessages, JsMsg } from '@nats-io/jetstream';
import type { Logger } from 'pino';
import type { MessageApplier } from './apply-messages.js';
import type { QueueLink, QueueSession } from './connection.js';
import type { QueueMetrics } from './queue-metrics.js';
import { ACK_WAIT_MS, consumerOf, ensureConsumer, recallForgottenMessages } from './stream.js';

/**
 * About what a partition holds in memory, and what is delivered again when its consumer dies. A pull asks for a number of
 * messages, estimated from the size of the last ones: a pull that asks for bytes ends only when its time is up, if small
 * messages leave some over.
 */
const PULL_BYTES = 1_048_576;
const MIN_PULL_MESSAGES = 4;
const MAX_PULL_MESSAGES = 200;
/**
 * An idle pull is renewed this often. A worker that stops lets its last pull run out rather than close it: what the server
 * was just sending to a closed one would be missing until the server gives up on it, half a minute later.
 */
const PULL_EXPIRES_MS = 2_000;
/** A pull never expires when the server has gone silent. */
const STOP_TIMEOUT_MS = PULL_EXPIRES_MS + 1_000;
const STILL_WORKING_MS = ACK_WAIT_MS / 3;
/** Empty pulls in a row before the worker looks for messages that the server has skipped: 20 s. */
const IDLE_PULLS = 10;
const MIN_PAUSE_MS = 200;
const MAX_PAUSE_MS = 5_000;

export type PartitionWorkerOptions = {
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
export class PartitionWorker {
  readonly #options: PartitionWorkerOptions;
  /** Delivered and not settled: the server is told that they are being worked on. */
  readonly #held = new Set<JsMsg>();
  readonly #finished: Promise<void>;
  #isStopping = false;
  #isAbandoned = false;
  #currentPull: ConsumerMessages | undefined;
  #pullMessages = MIN_PULL_MESSAGES;
  #endPause = (): void => {};

  /** Starts at once. */
  constructor(options: PartitionWorkerOptions) {
    this.#options = options;
    const stillWorking = setInterval(() => {
      for (const message of this.#held) message.working();
    }, STILL_WORKING_MS).unref();
    this.#finished = this.#work().finally(() => clearInterval(stillWorking));
  }

  /** Starts no further pull, and resolves when every pulled message is settled. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#endPause();
    const close = (): void => void this.#currentPull?.close();
    if (this.#options.link.live() === undefined) close();
    const closeTimer = setTimeout(close, STOP_TIMEOUT_MS);
    await this.#finished;
    clearTimeout(closeTimer);
  }

  /** Stops at once: messages that still arrive are given back. */
  abandon(): Promise<void> {
    this.#isAbandoned = true;
    return this.stop();
  }

  async #work(): Promise<void> {
    const { link, metrics, logger, partition } = this.#options;
    let failures = 0;
    while (!this.#isStopping) {
      try {
        const session = await link.waitUntilLive(MAX_PAUSE_MS);
        if (session === undefined) continue;
        await this.#pullFrom(session, () => {
          failures = 0;
        });
      } catch (error) {
        if (this.#isStopping) return;
        failures++;
        metrics.consumerErrors.inc({ source: error instanceof ApplyFailure ? 'database' : 'nats' });
        // Only the first failure of a row is logged; the rest would only fill the log.
        if (failures === 1)
          logger.warn(
            { err: error, partition },
            'events of this partition cannot be pulled or applied; they stay in the stream and are tried again',
          );
        await this.#pause(Math.min(MAX_PAUSE_MS, MIN_PAUSE_MS * 2 ** (failures - 1)));
      }
    }
  }

  /** Pulls until the worker stops. Rejects when the server or the database cannot be reached. */
  async #pullFrom({ jsm, js }: QueueSession, onSuccess: () => void): Promise<void> {
    const { stream, partition, logger } = this.#options;
    await ensureConsumer(jsm, stream, partition);
    const consumer = await js.consumers.get(stream, consumerOf(partition));
    for (let idle = 0; !this.#isStopping; ) {
      idle = (await this.#pull(consumer)) === 0 ? idle + 1 : 0;
      onSuccess();
      if (idle < IDLE_PULLS || this.#isStopping) continue;
      idle = 0;
      if (await recallForgottenMessages(jsm, stream, partition)) {
        logger.warn(
          { partition },
          'the NATS consumer of this partition had skipped messages; they are being applied now',
        );
      }
    }
  }

  /** How many messages came. */
  async #pull(consumer: Consumer): Promise<number> {
    const pull = { max_messages: this.#pullMessages, expires: PULL_EXPIRES_MS };
    const messages = await consumer.fetch(pull);
    this.#currentPull = messages;
    const settled: Promise<void>[] = [];
    let bytes = 0;
    let failure: unknown;
    const fail = (error: unknown): void => {
      failure ??= error;
    };
    try {
      for await (const message of messages) {
        bytes += message.data.length;
        // Paused until this pull has expired, or the message would come back at once.
        if (this.#isAbandoned || failure !== undefined) message.nak(PULL_EXPIRES_MS);
        else settled.push(this.#settle(message).catch(fail));
      }
    } catch (error) {
      fail(error);
    }
    await Promise.all(settled);
    if (failure !== undefined) throw failure;
    if (settled.length === 0) return 0;
    const fitting = Math.floor((PULL_BYTES / bytes) * settled.length);
    this.#pullMessages = Math.max(MIN_PULL_MESSAGES, Math.min(MAX_PULL_MESSAGES, fitting));
    return settled.length;
  }

  async #settle(message: JsMsg): Promise<void> {
    const { partition, applier, metrics } = this.#options;
    const { deliveryCount } = message.info;
    if (deliveryCount > 1) metrics.redelivered.inc();
    this.#held.add(message);
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
      this.#held.delete(message);
    }
    // Not awaited: if the acknowledgement is lost, the message is delivered again and changes nothing.
    message.ack();
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#endPause = resolve;
      setTimeout(resolve, ms).unref();
      if (this.#isStopping) resolve();
    });
  }
}

class ApplyFailure extends Error {
  override readonly name = 'ApplyFailure';
}

import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Lag } from './stream.js';

/** Less than a scrape may take: a NATS server that is stuck must not cost all other metrics. */
const LAG_TIMEOUT_MS = 1_000;

export type QueueMetrics = ReturnType<typeof createQueueMetrics>;

/** The metrics of a process that publishes to the stream or consumes from it. */
export function createQueueMetrics(registry: Registry) {
  const registers = [registry];
  return {
    published: new Counter({
      name: 'savepoint_queue_published_messages_total',
      help: 'Messages that the stream has acknowledged.',
      registers,
    }),
    publishedBytes: new Counter({
      name: 'savepoint_queue_published_bytes_total',
      help: 'Bytes of the messages that the stream has acknowledged.',
      registers,
    }),
    publishSeconds: new Histogram({
      name: 'savepoint_queue_publish_duration_seconds',
      help: "Time until the stream's acknowledgement, repeats included.",
      buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      registers,
    }),
    refused: new Counter({
      name: 'savepoint_queue_refused_messages_total',
      help: 'Decoded messages that got 503, by reason: overload, or no acknowledgement from NATS in time.',
      labelNames: ['reason'] as const,
      registers,
    }),
    applied: new Counter({
      name: 'savepoint_queue_applied_messages_total',
      help: 'Messages by what became of them: applied, set aside in the failed-events inbox, or of an erased player.',
      labelNames: ['outcome'] as const,
      registers,
    }),
    appliedEvents: new Counter({
      name: 'savepoint_queue_applied_events_total',
      help: 'Queued events by outcome: new or duplicate.',
      labelNames: ['outcome'] as const,
      registers,
    }),
    redelivered: new Counter({
      name: 'savepoint_queue_redelivered_messages_total',
      help: 'Messages that came more than once; harmless, but many of them mean trouble.',
      registers,
    }),
    consumerErrors: new Counter({
      name: 'savepoint_queue_consumer_errors_total',
      help: 'Failures of consumers by what failed: database, nats or partitions.',
      labelNames: ['source'] as const,
      registers,
    }),
    partitions: new Gauge({
      name: 'savepoint_queue_owned_partitions',
      help: 'Partitions that the consumers of this process, or of all its workers, own.',
      registers,
    }),
    /** Read at every scrape. Every worker sees the whole stream, so the largest value counts, not the sum. */
    watchLag(read: () => Promise<Lag>) {
      let reading: Promise<Lag> | undefined;
      const readOnce = (): Promise<Lag> => {
        reading ??= inTime(read()).finally(() => {
          reading = undefined;
        });
        return reading;
      };
      const gauge = (name: string, help: string, pick: (lag: Lag) => number) =>
        new Gauge({
          name,
          help,
          // With a label, the gauge is absent rather than 0 while NATS cannot be reached.
          labelNames: ['of'] as const,
          aggregator: 'max',
          registers,
          async collect() {
            this.reset();
            await readOnce().then(
              (lag) => this.set({ of: 'stream' }, pick(lag)),
              () => {},
            );
          },
        });
      gauge('savepoint_queue_lag_messages', 'Messages not applied yet.', (lag) => lag.messages);
      gauge('savepoint_queue_lag_bytes', 'Bytes of messages not applied yet.', (lag) => lag.bytes);
      gauge(
        'savepoint_queue_lag_seconds',
        'Age of the oldest message not applied yet.',
        (lag) => lag.oldestSeconds,
      );
    },
  };
}

function inTime<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('no response in time')), LAG_TIMEOUT_MS);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

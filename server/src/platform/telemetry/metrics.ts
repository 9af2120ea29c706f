import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { createBulkHistogram } from './bulk-histogram.js';
import { watchProcessUse } from './process-use.js';

export type Metrics = ReturnType<typeof createMetrics>;
export type AdminMetrics = ReturnType<typeof createAdminMetrics>;

/** From a look-up to a dry run over all players. */
const ADMIN_SECONDS = [0.005, 0.025, 0.1, 0.5, 2.5, 10, 60];

/** What the operations process counts itself: the admin API. */
export function createAdminMetrics() {
  const registry = new Registry();
  return {
    registry,
    requests: createBulkHistogram({
      name: 'savepoint_admin_request_duration_seconds',
      help: 'Requests to the admin API by route, method and status, with their duration; live streams until they begin.',
      labelNames: ['route', 'method', 'status'] as const,
      buckets: ADMIN_SECONDS,
      registers: [registry],
    }),
    signIns: new Counter({
      name: 'savepoint_admin_sign_ins_total',
      help: 'Tries to sign in to the admin API with a password by outcome: ok, refused, or slowed (too soon after wrong ones).',
      labelNames: ['outcome'] as const,
      registers: [registry],
    }),
  };
}

/** All metrics of one process. Those of the workers are added up, see app/bin/operations.ts. */
export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  watchProcessUse(registry);

  const eventLoop = monitorEventLoopDelay({ resolution: 20 });
  eventLoop.enable();

  return {
    registry,
    requests: createBulkHistogram({
      name: 'savepoint_http_request_duration_seconds',
      help: 'Requests by route, method and status, with their duration.',
      labelNames: ['route', 'method', 'status'] as const,
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    logins: new Counter({
      name: 'savepoint_logins_total',
      help: 'Logins by outcome.',
      labelNames: ['outcome'] as const,
      registers,
    }),
    refreshes: new Counter({
      name: 'savepoint_refreshes_total',
      help: 'Token refreshes by outcome.',
      labelNames: ['outcome'] as const,
      registers,
    }),
    events: new Counter({
      name: 'savepoint_events_total',
      help: 'Events by outcome: accepted, duplicate or rejected.',
      labelNames: ['outcome'] as const,
      registers,
    }),
    failedEvents: new Counter({
      name: 'savepoint_failed_events_total',
      help: 'Rejected events by code, and whether the inbox stored them, had them already, or dropped them for want of room.',
      labelNames: ['code', 'outcome'] as const,
      registers,
    }),
    applyEvents: new Histogram({
      name: 'savepoint_apply_batch_events',
      help: 'Events per applied group.',
      buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000],
      registers,
    }),
    applySeconds: new Histogram({
      name: 'savepoint_apply_duration_seconds',
      help: 'Time to apply one group of events durably.',
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      registers,
    }),
    intakeWait: createBulkHistogram({
      name: 'savepoint_intake_wait_seconds',
      help: 'Time that a batch of events waited for its turn; 0 if it did not have to.',
      labelNames: [] as const,
      buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
      registers,
    }),
    watchIntake(queue: {
      readonly waitingWeight: number;
      readonly waitingRequests: number;
      readonly runningWeight: number;
      readonly ratePerSecond: number;
    }) {
      const gauge = (name: string, help: string, value: () => number) =>
        new Gauge({
          name,
          help,
          registers,
          collect() {
            this.set(value());
          },
        });
      gauge(
        'savepoint_intake_waiting_bytes',
        'Batches of events that wait to be decoded, in bytes.',
        () => queue.waitingWeight,
      );
      gauge(
        'savepoint_intake_waiting_requests',
        'Batches of events that wait to be decoded.',
        () => queue.waitingRequests,
      );
      gauge(
        'savepoint_intake_running_bytes',
        'Batches of events that are decoded or being stored, in bytes.',
        () => queue.runningWeight,
      );
      gauge(
        'savepoint_intake_rate_bytes',
        'Bytes of events that are stored per second while others wait, as last measured.',
        () => queue.ratePerSecond,
      );
    },
    shedRequests: new Counter({
      name: 'savepoint_shed_requests_total',
      help: 'Requests refused with 503 for overload, by reason: wait (would have waited too long), own_line (too many of the same player wait), full (no more may wait), disk (the disk of the embedded database is all but full); and hung_up, where the client left the line.',
      labelNames: ['reason'] as const,
      registers,
    }),
    personalisationErrors: new Counter({
      name: 'savepoint_personalisation_errors_total',
      help: 'Rules of flags, segments, offers, values and experiments that failed for a player: the flag had its default, segment and offer did not match; kind "store": the untargeted store was sent instead.',
      labelNames: ['kind'] as const,
      registers,
    }),
    experimentExposures: new Counter({
      name: 'savepoint_experiment_exposures_total',
      help: 'Arms of experiments that players were told for the first time and that were stored.',
      registers,
    }),
    rateLimited: new Counter({
      name: 'savepoint_rate_limited_total',
      help: 'Requests refused with 429, by limit.',
      labelNames: ['limit'] as const,
      registers,
    }),
    watchPool(pool: {
      totalCount: number;
      idleCount: number;
      waitingCount: number;
      options: { max: number };
    }) {
      new Gauge({
        name: 'savepoint_db_connections_limit',
        help: 'Database connections that may be open at once.',
        registers,
        collect() {
          this.set(pool.options.max);
        },
      });
      new Gauge({
        name: 'savepoint_db_connections',
        help: 'Database connections by state; "waiting" counts callers in the queue.',
        labelNames: ['state'] as const,
        registers,
        collect() {
          this.set({ state: 'busy' }, pool.totalCount - pool.idleCount);
          this.set({ state: 'idle' }, pool.idleCount);
          this.set({ state: 'waiting' }, pool.waitingCount);
        },
      });
    },
    eventLoopLag: new Gauge({
      name: 'savepoint_event_loop_lag_seconds',
      help: '99th percentile of the event-loop delay since the last scrape; the worst worker.',
      aggregator: 'max',
      registers,
      collect() {
        const seconds = eventLoop.percentile(99) / 1e9;
        this.set(Number.isFinite(seconds) ? seconds : 0);
        eventLoop.reset();
      },
    }),
    memory: new Gauge({
      name: 'savepoint_resident_memory_bytes',
      help: 'Resident memory of all processes.',
      registers,
      collect() {
        this.set(process.memoryUsage.rss());
      },
    }),
    stop: () => eventLoop.disable(),
  };
}

import type { Logger } from 'pino';
import { isUnavailable, type Pool } from '../../db/pool.js';
import type { Metrics } from '../../http/metrics.js';
import { coalesce } from '../../lib/coalesce.js';
import { applyEvents } from './apply-events.js';
import { type EventRecord, recordsOfPlayer } from './event-record.js';
import type { EventIntake, IntakeResult } from './intake.js';

/** Groups of 1,000 beat groups of 200 by a quarter; larger ones gain nothing more. */
const MAX_GROUP_WEIGHT = 1_000;
/** Two groups a worker keep PostgreSQL busy while the next ones gather. */
const GROUPS_IN_FLIGHT = 2;
/** Far longer than a group usually takes: one that waits for a lock must not hold up all others for as long. */
const FILL_FOR_MS = 100;
/** A group costs PostgreSQL 0.8 ms and 0.08 for each player: single events gain a fifth from fewer and larger ones. */
const LINGER = { ms: 8, after: 4 };
/** The route lets fewer in, unless groups are stuck; then a 503 at once is kinder than a late answer. */
const MAX_WAITING_WEIGHT = 20_000;
/** A batch of large events weighs by its bytes: 20,000 waiting ones are 20 MB at the most, whatever their size. */
const BYTES_PER_WEIGHT = 1_024;

type RecordBatch = { records: readonly EventRecord[]; bytes: number };

/** Events are applied to PostgreSQL before the answer; requests that arrive together share a transaction. */
export function createDirectIntake(options: { pool: Pool; metrics: Metrics; logger: Logger }): EventIntake {
  const { pool, metrics, logger } = options;
  const groups = coalesce<RecordBatch, IntakeResult>({
    maxItems: MAX_GROUP_WEIGHT,
    maxInFlight: GROUPS_IN_FLIGHT,
    fillForMs: FILL_FOR_MS,
    linger: LINGER,
    maxWaiting: MAX_WAITING_WEIGHT,
    weigh: ({ records, bytes }) => Math.max(records.length, Math.ceil(bytes / BYTES_PER_WEIGHT)),
    // A group that PostgreSQL refuses is halved until the guilty request stands alone.
    splitOn(error) {
      if (isUnavailable(error)) return false;
      logger.warn({ err: error }, 'a group of events was refused; trying it in halves');
      return true;
    },
    async run(batches) {
      const stopTimer = metrics.applySeconds.startTimer();
      const fresh = await applyEvents(
        pool,
        batches.flatMap((batch) => batch.records),
      );
      stopTimer();
      metrics.applyEvents.observe(fresh.length);
      return countPerBatch(batches, fresh);
    },
  });
  return {
    submit({ player, events, bytes }) {
      if (player === undefined)
        return Promise.reject(new Error('events cannot be applied without their player'));
      return groups.submit({ records: recordsOfPlayer(events, player), bytes });
    },
    close: groups.idle,
  };
}

function countPerBatch(batches: readonly RecordBatch[], fresh: readonly boolean[]): IntakeResult[] {
  let at = 0;
  return batches.map(({ records }) => {
    let accepted = 0;
    for (const end = at + records.length; at < end; at++) if (fresh[at]) accepted++;
    return { accepted, duplicates: records.length - accepted };
  });
}

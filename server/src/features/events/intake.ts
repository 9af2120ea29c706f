import type { Logger } from 'pino';
import { isUnavailable, type Pool } from '../../db/pool.js';
import type { Metrics } from '../../http/metrics.js';
import { type Coalescer, coalesce } from '../../lib/coalesce.js';
import { applyEvents } from './apply-events.js';
import type { EventRecord } from './event-record.js';

/** Takes the good events of one request and answers how many of them were new, once they are durable. */
export type EventIntake = Coalescer<readonly EventRecord[], number>;

/** Groups of 1,000 beat groups of 200 by a quarter; larger ones gain nothing more. */
const MAX_GROUP_EVENTS = 1_000;
/** Two groups a worker keep PostgreSQL busy while the next ones gather. */
const GROUPS_IN_FLIGHT = 2;
/** About a second of work at full speed; beyond it a 503 at once is kinder than a late answer. */
const MAX_WAITING_EVENTS = 20_000;

export function createEventIntake({
  pool,
  metrics,
  logger,
}: {
  pool: Pool;
  metrics: Metrics;
  logger: Logger;
}): EventIntake {
  return coalesce({
    maxItems: MAX_GROUP_EVENTS,
    maxInFlight: GROUPS_IN_FLIGHT,
    maxWaiting: MAX_WAITING_EVENTS,
    weigh: (records) => records.length,
    // A group that PostgreSQL refuses is halved until the guilty request stands alone.
    splitOn(error) {
      if (isUnavailable(error)) return false;
      logger.warn({ err: error }, 'a group of events was refused; trying it in halves');
      return true;
    },
    async run(requests) {
      const stopTimer = metrics.applySeconds.startTimer();
      const fresh = await applyEvents(pool, requests.flat());
      stopTimer();
      metrics.applyEvents.observe(fresh.length);
      let at = 0;
      return requests.map((records) => {
        let count = 0;
        for (const end = at + records.length; at < end; at++) if (fresh[at]) count++;
        return count;
      });
    },
  });
}

import { Gauge, Registry } from 'prom-client';
import { closedBefore } from '../../core/events/storage/event-partitions.js';
import { countLosses, LOSS_GRACE_MS } from '../../insight/losses/losses.js';
import type { Pool } from '../../platform/db/pool.js';
import type { Clock } from '../../platform/lib/clock.js';
import { DAY_MS } from '../../platform/lib/day.js';
import { countDaysToCompact } from './compact-queries.js';

const WINDOW_MS = 7 * DAY_MS;

/** Metrics that only the database knows, read at every scrape. */
export function createEventStoreMetrics(pool: Pool, clock: Clock): { registry: Registry } {
  const registry = new Registry();
  const registers = [registry];
  const gauge = (name: string, help: string, read: () => Promise<number>) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        // Without the database the other metrics are still worth reading.
        const value = await read().catch(() => undefined);
        if (value === undefined) this.reset();
        else this.set(value);
      },
    });
  gauge(
    'savepoint_lost_events',
    'Numbered events noticed as missing in the last 7 days that have not arrived within a day, of all games.',
    () => {
      const now = clock.now();
      return countLosses(pool, { sinceMs: now - WINDOW_MS, untilMs: now - LOSS_GRACE_MS });
    },
  );
  gauge(
    'savepoint_event_days_to_compact',
    'Closed days whose small blocks of events have not been made into larger ones yet; one a maintenance run is dealt with.',
    () => countDaysToCompact(pool, closedBefore(clock.now())),
  );
  return { registry };
}

import { Gauge, Registry } from 'prom-client';
import { type Pool, query } from '../../platform/db/pool.js';
import type { Clock } from '../../platform/lib/clock.js';

type OpenErasures = { open: number; overdueSeconds: number };

/** Requests that are open, up to ten thousand, and for how long the oldest is overdue. */
export async function countOpenErasures(pool: Pool, nowMs: number): Promise<OpenErasures> {
  const rows = await query<OpenErasures>(
    pool,
    {
      name: 'count_open_erasures',
      text: `select count(*)::int as open, coalesce(greatest(0, extract(epoch from $1::timestamptz - min(due_at))), 0)::float8 as "overdueSeconds"
             from (select due_at from erasures where state in ('waiting', 'erasing') order by due_at, id limit 10000) e`,
    },
    [new Date(nowMs)],
  );
  return rows[0] ?? { open: 0, overdueSeconds: 0 };
}

/** Read from the database at every scrape. */
export function createErasureMetrics(pool: Pool, clock: Clock): { registry: Registry } {
  const registry = new Registry();
  const registers = [registry];
  const overdue = new Gauge({
    name: 'savepoint_erasures_overdue_seconds',
    help: 'For how long the erasure of a player is overdue that has waited longest; 0 if none is.',
    registers,
  });
  new Gauge({
    name: 'savepoint_erasures_open',
    help: 'Requests to erase a player that wait for their day, or are being worked on; counted up to 10,000.',
    registers,
    async collect() {
      // Without the database the other metrics are still worth reading.
      const counted = await countOpenErasures(pool, clock.now()).catch(() => undefined);
      if (counted === undefined) {
        this.reset();
        overdue.reset();
        return;
      }
      this.set(counted.open);
      overdue.set(counted.overdueSeconds);
    },
  });
  return { registry };
}

import type { ClockReading } from '../../src/platform/db/database-clock.js';

/** The node and the database agree on the time: for maintenance that runs at a time of the test's. */
export function bothClocksAt(nowMs: number): ClockReading {
  return { nodeMs: nowMs, databaseMs: nowMs, uncertaintyMs: 0 };
}

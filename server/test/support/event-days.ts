import { dayAfter, dayTable, startOf } from '../../src/core/events/storage/event-partitions.js';
import { generationOf, nextGeneration } from '../../src/core/events/storage/identity-generations.js';
import type { Pool } from '../../src/platform/db/pool.js';

/** Makes the partitions for what was received on these days. The service makes them around the present day only. */
export async function ensureDays(pool: Pool, days: readonly string[]): Promise<void> {
  for (const day of days) {
    const generation = generationOf(Date.parse(day));
    await pool.query("select attach_partition('event_blocks', $1, 'received_at', $2, $3)", [
      dayTable(day),
      startOf(day),
      startOf(dayAfter(day)),
    ]);
    await pool.query("select attach_partition('event_identities', $1, 'generation', $2, $3)", [
      `event_identities_${generation.replaceAll('-', '')}`,
      generation,
      nextGeneration(Date.parse(day)),
    ]);
  }
}

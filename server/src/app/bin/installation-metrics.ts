import { Gauge, Registry } from 'prom-client';
import type { Pool } from '../../platform/db/pool.js';
import { systemClock } from '../../platform/lib/clock.js';
import type { DiskWatch } from '../../platform/lib/disk-watch.js';
import { createTtlCache } from '../../platform/lib/ttl-cache.js';
import { serverVersion } from './server-version.js';

/** PostgreSQL looks at every file of the database for this: with many partitions that is thousands. */
const SIZE_KEPT_MS = 60_000;

/** What runs here, and how much room it takes and has. */
export function createInstallationMetrics(
  pool: Pool,
  disk: Pick<DiskWatch, 'reading'>,
): { registry: Registry } {
  const registry = new Registry();
  const registers = [registry];
  new Gauge({
    name: 'savepoint_build_info',
    help: 'Always 1; its labels are the versions of Savepoint and of Node.',
    labelNames: ['version', 'node'] as const,
    registers,
  }).set({ version: serverVersion(), node: process.versions.node }, 1);
  const sizes = createTtlCache<'size', number>({ clock: systemClock, keptMs: SIZE_KEPT_MS, maxKept: 1 });
  new Gauge({
    name: 'savepoint_database_size_bytes',
    help: 'Size of the database on its disk, at most a minute old.',
    registers,
    async collect() {
      // Without the database the other metrics are still worth reading.
      const size = await sizes.get('size', () => databaseSize(pool)).catch(() => undefined);
      if (size === undefined) this.reset();
      else this.set(size);
    },
  });
  const diskGauge = (name: string, help: string, member: 'freeBytes' | 'totalBytes') => {
    if (disk.reading() === undefined) return;
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(disk.reading()?.[member] ?? 0);
      },
    });
  };
  diskGauge('savepoint_disk_free_bytes', 'Room on the disk of the embedded database.', 'freeBytes');
  diskGauge('savepoint_disk_size_bytes', 'Size of the disk of the embedded database.', 'totalBytes');
  return { registry };
}

async function databaseSize(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ size: number }>(
    'select pg_database_size(current_database())::float8 as size',
  );
  return rows[0]?.size ?? 0;
}

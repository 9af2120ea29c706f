import { afterAll, beforeAll, expect, it } from 'vitest';
import { createInstallationMetrics } from '../../../src/app/bin/installation-metrics.js';
import { serverVersion } from '../../../src/app/bin/server-version.js';
import { createHarness, type Harness } from '../../support/harness.js';
import { metricValue } from '../../support/metric-value.js';

let harness: Harness;
beforeAll(async () => {
  harness = await createHarness();
});
afterAll(() => harness.close());

it('tells versions, the size of the database and the room on its disk', async () => {
  const space = { freeBytes: 3_000, totalBytes: 10_000, isOutOfFiles: false };
  const { registry } = createInstallationMetrics(harness.pool, { reading: () => space });
  const build = `savepoint_build_info{version="${serverVersion()}",node="${process.versions.node}"}`;
  expect(await metricValue(registry, build)).toBe(1);
  // An empty database has some megabytes of catalogue.
  expect(await metricValue(registry, 'savepoint_database_size_bytes')).toBeGreaterThan(1_000_000);
  expect(await metricValue(registry, 'savepoint_disk_free_bytes')).toBe(3_000);
  expect(await metricValue(registry, 'savepoint_disk_size_bytes')).toBe(10_000);
});

it('says nothing of the disk of another machine', async () => {
  const { registry } = createInstallationMetrics(harness.pool, { reading: () => undefined });
  expect(await registry.metrics()).not.toContain('savepoint_disk');
});

it('counts what a worker uses, and how many connections it may open', async () => {
  const { registry } = harness.ctx.metrics;
  expect(await metricValue(registry, 'savepoint_cpu_seconds_total')).toBeGreaterThan(0);
  expect(await metricValue(registry, 'savepoint_db_connections_limit')).toBe(6);
  if (process.platform !== 'linux') return;
  const [open, limit] = [
    await metricValue(registry, 'savepoint_descriptors'),
    await metricValue(registry, 'savepoint_descriptors_limit'),
  ];
  expect(open).toBeGreaterThan(2);
  expect(limit).toBeGreaterThan(open);
});

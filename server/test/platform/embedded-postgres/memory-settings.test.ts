import { afterEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../src/platform/db/database.js';
import { explainProgramFailure } from '../../../src/platform/embedded-postgres/failures.js';
import { memorySettings, usableMemory } from '../../../src/platform/embedded-postgres/memory-settings.js';
import { testSettings } from '../../support/harness.js';
import { clearAway, makePreparedFolder } from '../../support/postgres-folders.js';

const MEGABYTE = 1024 ** 2;
const GIGABYTE = 1024 * MEGABYTE;

describe('the memory of embedded PostgreSQL', () => {
  afterEach(clearAway);

  it.each([
    [256 * MEGABYTE, '64MB', '128MB'],
    [100 * MEGABYTE, '64MB', '64MB'],
    [GIGABYTE, '256MB', '512MB'],
    [8 * GIGABYTE, '2048MB', '4096MB'],
    [64 * GIGABYTE, '4096MB', '32768MB'],
  ])(
    'of %d bytes is a quarter, within bounds, and the planner expects half to be cached',
    (bytes, own, all) => {
      expect(memorySettings(bytes)).toEqual({ shared_buffers: own, effective_cache_size: all });
    },
  );

  it('is measured by what a container may use, if that is less than the machine has', () => {
    expect(usableMemory(8 * GIGABYTE, 2 * GIGABYTE)).toBe(2 * GIGABYTE);
    // No limit, as different versions of Node.js tell it.
    expect(usableMemory(8 * GIGABYTE, 0)).toBe(8 * GIGABYTE);
    expect(usableMemory(8 * GIGABYTE, 2 ** 64)).toBe(8 * GIGABYTE);
    expect(usableMemory()).toBeGreaterThan(64 * MEGABYTE);
  });

  it('is as large as the server is told, by default and by the setting', async () => {
    const dataDir = await makePreparedFolder();
    const inForce = async (databaseBuffersMb: number | undefined) => {
      const database = await openDatabase({ ...testSettings(), dataDir, databaseBuffersMb }, () => {});
      try {
        const { rows } = await database.pool.query<{ buffers: number; cache: number }>(
          `select pg_size_bytes(current_setting('shared_buffers'))::float8 as buffers,
             pg_size_bytes(current_setting('effective_cache_size'))::float8 as cache`,
        );
        return rows[0];
      } finally {
        await database.close();
      }
    };
    const chosen = memorySettings(usableMemory());
    const cache = Number.parseInt(chosen.effective_cache_size, 10) * MEGABYTE;
    expect(await inForce(undefined)).toEqual({
      buffers: Number.parseInt(chosen.shared_buffers, 10) * MEGABYTE,
      cache,
    });
    expect(await inForce(48)).toEqual({ buffers: 48 * MEGABYTE, cache });
  });

  it('names the setting when the system does not give it', () => {
    const output = `FATAL:  could not map anonymous shared memory: Cannot allocate memory
HINT:  This error usually means that PostgreSQL's request for a shared memory segment exceeded available memory`;
    const { message } = explainProgramFailure(output, { what: 'PostgreSQL ended', dataDir: '/data' });
    expect(message).toContain('SAVEPOINT_DB_BUFFERS');
  });
});

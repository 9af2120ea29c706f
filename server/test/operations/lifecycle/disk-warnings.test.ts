import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { diskWarnings } from '../../../src/operations/lifecycle/disk-warnings.js';
import { readFreeSpace } from '../../../src/platform/lib/free-space.js';

const GB = 1024 ** 3;
const disk = (freeBytes: number, isOutOfFiles = false) => ({ freeBytes, totalBytes: 100 * GB, isOutOfFiles });
const messagesOf = (...given: Parameters<typeof disk>) =>
  diskWarnings(disk(...given)).map(({ code, message }) => `${code}: ${message}`);

describe('the warning about the disk', () => {
  it('comes when less than 2 GB are left, and says what happens at the end', () => {
    expect(messagesOf(2 * GB)).toEqual([]);
    expect(messagesOf(1.5 * GB)).toEqual([
      'disk_low: The disk of the data folder has 1.5 GB of 100.0 GB left. Free some space, or move the data folder to a larger disk (SAVEPOINT_DATA_DIR).',
    ]);
    expect(messagesOf(0.1 * GB)).toEqual([
      'disk_low: The disk of the data folder has 102 MB of 100.0 GB left. No events are taken until there is room: PostgreSQL stops when it cannot write.',
    ]);
    expect(messagesOf(50 * GB, true)[0]).toContain('cannot hold another file');
  });

  it('goes by the disk that the folder lies on, also before the folder is made', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'savepoint-disk-'));
    const [above, below] = [await readFreeSpace(folder), await readFreeSpace(join(folder, 'a', 'b'))];
    await rm(folder, { recursive: true });
    expect(below.totalBytes).toBe(above.totalBytes);
    expect(above.totalBytes).toBeGreaterThan(0);
  });
});

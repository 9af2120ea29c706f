import { randomBytes } from 'node:crypto';

const POOL_BYTES = 4_096;
let pool = Buffer.alloc(0);

/**
 * Random bytes for tokens and ids. Asking the system for each costs ten times as much as for many at once. A new pool takes
 * the place of one that is used up, so what was handed out is never written to again.
 */
export function takeRandomBytes(count: number): Buffer {
  if (count > POOL_BYTES) return randomBytes(count);
  if (pool.length < count) pool = randomBytes(POOL_BYTES);
  const taken = pool.subarray(0, count);
  pool = pool.subarray(count);
  return taken;
}

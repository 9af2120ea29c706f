import { totalmem } from 'node:os';

const MEGABYTE = 1024 ** 2;
/** PostgreSQL works with less, but every page of a small installation would come and go. */
const MIN_BUFFERS_MB = 64;
/** More gains little, since the cache of the system holds the rest, and each gigabyte takes 14 ms of CPU at every start. */
const MAX_BUFFERS_MB = 4_096;

/** The memory of the machine, or what the container may use of it. */
export function usableMemory(total = totalmem(), constrained = process.constrainedMemory()): number {
  // Without a limit it is 0, or larger than any memory.
  return constrained > 0 ? Math.min(total, constrained) : total;
}

/**
 * A quarter of the memory for PostgreSQL's own cache of pages, as its manual recommends: the API's processes and the cache of
 * the system need the rest. It is taken page by page as it is used. What the planner is told to expect of both caches together
 * is half of the memory.
 */
export function memorySettings(
  memoryBytes: number,
): Record<'shared_buffers' | 'effective_cache_size', string> {
  const megabytes = Math.floor(memoryBytes / MEGABYTE);
  const buffers = Math.min(Math.max(Math.floor(megabytes / 4), MIN_BUFFERS_MB), MAX_BUFFERS_MB);
  return {
    shared_buffers: `${buffers}MB`,
    effective_cache_size: `${Math.max(Math.floor(megabytes / 2), buffers)}MB`,
  };
}

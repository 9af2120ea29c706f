import { createSliceQueue } from '../../platform/lib/slice-queue.js';

/**
 * All long work on documents in this process: validation, compilation, comparison. A document of a megabyte keeps a process busy for
 * hundreds of milliseconds, and players and editors of other studios would wait. A process has one event loop, so it has one queue.
 */
export const documentWork = createSliceQueue();

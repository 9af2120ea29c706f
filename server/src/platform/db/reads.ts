import type { Pool } from './pool.js';

/**
 * Where work that only reads is done: on the replica while it keeps up, else on the primary (docs/adr/0063-read-replica.md). Either has
 * everything that was committed when the work began.
 */
export type Reads = Readonly<{
  /** Does the work, and does it again on the primary if the replica fails meanwhile. */
  run<T>(work: (db: Pool) => Promise<T>): Promise<T>;
  /** For work that cannot simply be done again. */
  choose(): Promise<Pool>;
}>;

/** Without a replica. */
export function readsOf(primary: Pool): Reads {
  return { run: (work) => work(primary), choose: async () => primary };
}

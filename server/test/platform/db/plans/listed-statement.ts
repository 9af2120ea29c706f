import type { Pool } from '../../../../src/platform/db/pool.js';

/** What the calls of a list work with: a database that `fillTables` has filled. */
export type Installation = Readonly<{
  url: string;
  /** As API workers and consumers have it: one plan for each prepared statement, for as long as the connection lives. */
  service: Pool;
  /** As the primary and commands have it: every call is planned anew. */
  admin: Pool;
  nowMs: number;
}>;

export type Listed = Readonly<{
  /** The name of a prepared statement, or what the statements are for. */
  what: string;
  /** Sends the statements. */
  call: (installation: Installation) => unknown;
  /** Left out for look-ups. */
  reads?: Reads;
}>;

/** Why statements have to read many rows of some large tables, what bounds them, and so how many rows that is in one go. */
export type Reads = Readonly<{
  tables: readonly string[];
  why: string;
  /** `all`: as much as there is. It then runs on a connection of its own, where no request waits for it. */
  atMost: number | 'all';
}>;

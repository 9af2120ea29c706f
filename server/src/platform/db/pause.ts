import { setTimeout as sleep } from 'node:timers/promises';
import type { DedicatedConnection } from './dedicated-connection.js';

export type Pause = Readonly<{
  /** What the last step of the work took. */
  stepMs: number;
  /** How much longer the pause is while others are at work, as a multiple of the step. */
  share: number;
  /** How long the pause is in any case. */
  leastMs: number;
  signal?: AbortSignal | undefined;
}>;

/** Players come first: work in the background goes on at full speed only while the database has nothing else to do. */
export async function pause(
  connection: DedicatedConnection,
  { stepMs, share, leastMs, signal }: Pause,
): Promise<void> {
  const ms = (await isDatabaseBusy(connection)) ? leastMs + stepMs * share : leastMs;
  await sleep(ms, undefined, { signal }).catch(() => {});
}

/** Whether another session is active now: a sample, not a measurement. */
async function isDatabaseBusy(connection: DedicatedConnection): Promise<boolean> {
  const { rows } = await connection.query(
    `select from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and state = 'active' and backend_type = 'client backend'
     limit 1`,
  );
  return rows.length > 0;
}

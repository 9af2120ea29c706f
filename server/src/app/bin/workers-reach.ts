import type { Pool } from '../../platform/db/pool.js';
import { ask } from './questions.js';
import type { SupervisedProcess } from './supervised-process.js';

const TIMEOUT_MS = 2_000;

/**
 * Whether a worker gets connections to the database. One that has some does, however long its requests wait for them: a node that
 * is only busy stays ready. A worker without any tries to open one, which fails if PostgreSQL, or the role, has no more to give.
 */
export async function reachesDatabase(pool: Pool): Promise<boolean> {
  if (pool.totalCount > 0) return true;
  try {
    (await pool.connect()).release();
    return true;
  } catch {
    return false;
  }
}

/** Asks the workers that serve. One that does not respond in time is left out. */
export async function readReach(workers: readonly SupervisedProcess[]): Promise<readonly boolean[]> {
  const children = workers.flatMap((worker) => {
    const child = worker.status().state === 'serving' ? worker.child() : undefined;
    return child === undefined ? [] : [child];
  });
  const answers = await Promise.all(children.map((child) => ask<boolean>(child, 'reach', TIMEOUT_MS)));
  return answers.filter((answer) => answer !== undefined);
}

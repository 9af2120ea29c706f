import type { Logger } from 'pino';
import {
  tryAdvisoryLock,
  walkByIndex,
  withDedicatedConnection,
} from '../../platform/db/dedicated-connection.js';
import { type Pool, query } from '../../platform/db/pool.js';
import type { Clock } from '../../platform/lib/clock.js';
import { createPoller, type Poller } from '../../platform/lib/poller.js';
import { type BackFillResult, backFillOwnAttributes } from './back-fill.js';

/** How soon a publication with new attributes is noticed. */
const POLL_MS = 2_000;

/** Works own attributes out for the past, in the operations process, one node at a time. */
export function createBackFillRunner({
  pool,
  clock,
  logger,
}: Readonly<{ pool: Pool; clock: Clock; logger: Logger }>): Poller {
  return createPoller({
    everyMs: POLL_MS,
    async work(signal) {
      if (!(await hasUnfinishedSet(pool))) return;
      const result = await runBackFill(pool, { clock, signal });
      if (result !== 'busy' && result.sets > 0) {
        logger.info({ players: result.players }, 'own attributes were worked out for the past');
      }
    },
    onError: (error) =>
      logger.warn({ err: error }, 'working out own attributes was interrupted; it goes on in a few seconds'),
  });
}

/** `busy`: another process is at it. */
export function runBackFill(
  pool: Pool,
  options: Readonly<{ clock: Clock; signal?: AbortSignal }>,
): Promise<BackFillResult | 'busy'> {
  return withDedicatedConnection(pool, async (connection) => {
    if (!(await tryAdvisoryLock(connection, 'savepoint own attributes'))) return 'busy';
    await walkByIndex(connection);
    return backFillOwnAttributes({ connection, ...options });
  });
}

export async function hasUnfinishedSet(pool: Pool): Promise<boolean> {
  const rows = await query(
    pool,
    {
      name: 'has_unfinished_own_set',
      text: 'select from own_attribute_sets where finished_at is null limit 1',
    },
    [],
  );
  return rows.length > 0;
}

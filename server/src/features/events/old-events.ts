import type { Logger } from 'pino';
import { type Pool, query } from '../../db/pool.js';

/** Whether events of the former layout wait to be moved into blocks: until then intake looks through them as well. */
export type OldEvents = { remain(): boolean; stop(): void };

/** The move takes minutes to hours, and looking once too often costs only time. */
const POLL_MS = 60_000;

/** Nothing is written to the former layout any more, so an empty one stays empty. */
export async function watchOldEvents(pool: Pool, logger: Logger): Promise<OldEvents> {
  let remain = await hasOldEvents(pool);
  const poll = async () => {
    try {
      remain = await hasOldEvents(pool);
      if (!remain) clearInterval(timer);
    } catch (error) {
      logger.debug(
        { err: error },
        'could not look for events of the former layout; looking again in a minute',
      );
    }
  };
  const timer = setInterval(poll, POLL_MS).unref();
  if (!remain) clearInterval(timer);
  return { remain: () => remain, stop: () => clearInterval(timer) };
}

export async function hasOldEvents(pool: Pool): Promise<boolean> {
  const rows = await query<{ remain: boolean }>(
    pool,
    { name: 'has_old_events', text: 'select exists (select from old_events) as remain' },
    [],
  );
  return rows[0]?.remain === true;
}

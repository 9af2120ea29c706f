import type { Pool } from '../../../platform/db/pool.js';
import { DAY_MS } from '../../../platform/lib/day.js';

/** How far a game has read Google's lists of voided purchases. */
export type VoidedList = Readonly<{
  gameId: number;
  /** The end of the last list; null before the first one. */
  fromMs: number | null;
  /** The end of the list that is being read, and its next page. */
  toMs: number | null;
  page: string | null;
}>;

/** Lists that are due: a day after the last one, or interrupted. */
export async function listVoidedLists(pool: Pool, nowMs: number): Promise<VoidedList[]> {
  const { rows } = await pool.query<VoidedList>(
    `select game_id as "gameId", voided_from as "fromMs", voided_to as "toMs", voided_page as page
     from google_accounts
     where retry_at <= $1 and (voided_to is not null or voided_from is null or voided_from <= $2)
     order by game_id`,
    [new Date(nowMs), new Date(nowMs - DAY_MS)],
  );
  return rows;
}

export async function beginVoidedList(pool: Pool, gameId: number, toMs: number): Promise<void> {
  await pool.query('update google_accounts set voided_to = $2, voided_page = null where game_id = $1', [
    gameId,
    new Date(toMs),
  ]);
}

export async function updateVoidedPage(pool: Pool, gameId: number, page: string | null): Promise<void> {
  await pool.query('update google_accounts set voided_page = $2 where game_id = $1', [gameId, page]);
}

export async function endVoidedList(pool: Pool, gameId: number): Promise<void> {
  await pool.query(
    'update google_accounts set voided_from = voided_to, voided_to = null, voided_page = null where game_id = $1',
    [gameId],
  );
}

import { checkEvents } from '../../src/core/events/intake/check-events.js';
import { type EventRecord, recordsOfPlayer } from '../../src/core/events/intake/event-record.js';
import type { Harness, Session } from './harness.js';

/** Events of a player as the route hands them on, for tests that call `applyEvents` themselves. */
export async function recordsOf(
  { pool, clock }: Pick<Harness, 'pool' | 'clock'>,
  { userId }: Pick<Session, 'userId'>,
  events: readonly unknown[],
): Promise<EventRecord[]> {
  const { rows } = await pool.query<{ playerId: string; gameId: number }>(
    'select id as "playerId", game_id as "gameId" from players where user_id = $1',
    [userId],
  );
  const [row] = rows;
  if (row === undefined) throw new Error(`there is no player ${userId}`);
  const checked = checkEvents({ events, bytes: 0, suspicious: true }, { userId }, clock.now());
  if (checked.rejected.length > 0) throw new Error(JSON.stringify(checked.rejected));
  return recordsOfPlayer(checked.events, row);
}

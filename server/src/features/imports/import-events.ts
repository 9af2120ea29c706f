import type { Client, Pool } from '../../db/pool.js';
import { utcDay } from '../../lib/day.js';
import { applyEventsWithin, type EventOutcome } from '../events/apply/apply-events.js';
import { type EventRecord, recordsOfPlayer } from '../events/intake/event-record.js';
import { REJECTIONS } from '../events/intake/rejections.js';
import { ensureDays } from '../events/storage/event-partitions.js';
import { type HistoricEvent, type LineError, readEventLine } from './event-line.js';
import { type FoundPlayer, findPlayersByUserId, insertPlayers, lockDeletedBefore } from './import-queries.js';
import type { LineImporter, LineOutcome } from './run-import.js';

/**
 * Applies the events of a file as if they had been received at the times that the file says, by the same function as live events. What
 * an event counts for, and whether it is new, is decided in one place for both.
 */
export function eventImporter(
  pool: Pool,
  gameId: number,
  nowMs: number,
  findErased: FindErased,
): LineImporter<HistoricEvent> {
  const days = new Set<string>();
  return {
    kind: 'events',
    read: (bytes) => readEventLine(bytes, nowMs),
    async prepare(events) {
      const missing = new Set(events.map(({ event }) => utcDay(event.receivedAtMs)));
      for (const day of days) missing.delete(day);
      if (missing.size === 0) return;
      await ensureDays(pool, [...missing]);
      for (const day of missing) days.add(day);
    },
    async apply(client, events) {
      const players = await playersOf(client, gameId, events, findErased);
      const records = events.map((event) => recordOf(event, players, gameId));
      const deletedBefore = await lockDeletedBefore(client, gameId);
      const outcomes = await applyEventsWithin(
        client,
        records.filter((record): record is EventRecord => !('code' in record)),
        { nowMs, keptFromMs: deletedBefore ?? Number.NEGATIVE_INFINITY },
      );
      return records.map((record) => ('code' in record ? record : lineOutcome(outcomes.shift())));
    },
  };
}

/** Players who are not known are created; `savepoint import players` knows more about them. */
async function playersOf(
  client: Client,
  gameId: number,
  events: readonly HistoricEvent[],
  findErased: FindErased,
): Promise<ReadonlyMap<string, FoundPlayer>> {
  const firstReceipts = new Map<string, number>();
  for (const { userId, event } of events) {
    const first = firstReceipts.get(userId) ?? event.receivedAtMs;
    firstReceipts.set(userId, Math.min(first, event.receivedAtMs));
  }
  const players = new Map<string, FoundPlayer>();
  const add = (found: readonly FoundPlayer[]) => {
    for (const player of found) {
      players.set(player.userId, player);
      firstReceipts.delete(player.userId);
    }
  };
  add(await findPlayersByUserId(client, [...firstReceipts.keys()]));
  for (const userId of await findErased([...firstReceipts.keys()])) firstReceipts.delete(userId);
  if (firstReceipts.size > 0) {
    const unknown = [...firstReceipts].map(([userId, createdAtMs]) => ({
      userId,
      createdAtMs,
      ageGroup: null,
      ageGroupAtMs: null,
    }));
    add(await insertPlayers(client, gameId, unknown));
  }
  // A login elsewhere may have created some of them meanwhile.
  if (firstReceipts.size > 0) add(await findPlayersByUserId(client, [...firstReceipts.keys()]));
  return players;
}

function recordOf(
  { userId, installId, event }: HistoricEvent,
  players: ReadonlyMap<string, FoundPlayer>,
  gameId: number,
): EventRecord | LineError {
  const player = players.get(userId);
  if (player === undefined) return ERASED;
  if (player.gameId !== gameId) return OTHER_GAME;
  return recordsOfPlayer([event], player, { installId, clientBuild: null })[0] ?? ERASED;
}

/** Which of some players were erased here: nothing of them comes back by an old export. */
export type FindErased = (userIds: readonly string[]) => Promise<ReadonlySet<string>>;

export const OTHER_GAME: LineError = {
  code: 'player_of_another_game',
  message: 'The player belongs to another game of this installation.',
};

export const ERASED: LineError = { code: 'player_erased', message: 'The player was erased here.' };

function lineOutcome(outcome: EventOutcome | undefined): LineOutcome {
  if (outcome === 'too_sparse')
    return { code: 'sequence_too_sparse', message: REJECTIONS.sequence_too_sparse };
  if (outcome === 'no_player') return ERASED;
  return outcome === 'new' ? 'imported' : 'duplicate';
}

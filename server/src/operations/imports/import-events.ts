import { applyHistoryWithin, type EventOutcome } from '../../core/events/apply/apply-events.js';
import type { TransactionChange } from '../../core/events/apply/transaction-changes.js';
import { type EventRecord, recordsOfPlayer } from '../../core/events/intake/event-record.js';
import { REJECTIONS } from '../../core/events/intake/rejections.js';
import { ensureDays } from '../../core/events/storage/event-partitions.js';
import type { Client, Pool } from '../../platform/db/pool.js';
import { utcDay } from '../../platform/lib/day.js';
import type { OrderHashes } from '../../platform/security/erasure-hashes.js';
import type { LineError } from './event-line.js';
import { type HistoricLine, readHistoryLine } from './history-line.js';
import { type FoundPlayer, findPlayersByUserId, insertPlayers, lockDeletedBefore } from './import-queries.js';
import type { LineImporter, LineOutcome } from './run-import.js';

/**
 * Applies the events of a file as if they had been received at the times that the file says, by the same function as live events. What
 * an event counts for, and whether it is new, is decided in one place for both. Changes of transactions are applied with them.
 */
export function eventImporter(
  pool: Pool,
  gameId: number,
  nowMs: number,
  findErased: FindErased,
  hashes?: OrderHashes,
): LineImporter<HistoricLine> {
  const days = new Set<string>();
  return {
    kind: 'events',
    read: (bytes) => readHistoryLine(bytes, nowMs),
    async prepare(lines) {
      const missing = new Set(
        lines.flatMap((line) => ('event' in line ? [utcDay(line.event.receivedAtMs)] : [])),
      );
      for (const day of days) missing.delete(day);
      if (missing.size === 0) return;
      await ensureDays(pool, [...missing]);
      for (const day of missing) days.add(day);
    },
    async apply(client, lines) {
      const players = await playersOf(client, gameId, lines, findErased);
      const resolved = lines.map((line) => resolve(line, players, gameId));
      const deletedBefore = await lockDeletedBefore(client, gameId);
      const { outcomes, changes } = await applyHistoryWithin(
        client,
        resolved.flatMap((line) => ('record' in line ? [line.record] : [])),
        resolved.flatMap((line) => ('change' in line ? [line.change] : [])),
        hashes,
        { nowMs, keptFromMs: deletedBefore ?? Number.NEGATIVE_INFINITY },
      );
      return resolved.map((line) =>
        'code' in line ? line : lineOutcome(('record' in line ? outcomes : changes).shift()),
      );
    },
  };
}

/** Players who are not known are created; `savepoint import players` knows more about them. */
async function playersOf(
  client: Client,
  gameId: number,
  lines: readonly HistoricLine[],
  findErased: FindErased,
): Promise<ReadonlyMap<string, FoundPlayer>> {
  const firstReceipts = new Map<string, number>();
  for (const line of lines) {
    const receivedAtMs = 'event' in line ? line.event.receivedAtMs : line.change.recordedAtMs;
    const first = firstReceipts.get(line.userId) ?? receivedAtMs;
    firstReceipts.set(line.userId, Math.min(first, receivedAtMs));
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

type Resolved = { record: EventRecord } | { change: TransactionChange } | LineError;

/** A line with the internal ids of its player. */
function resolve(line: HistoricLine, players: ReadonlyMap<string, FoundPlayer>, gameId: number): Resolved {
  const player = players.get(line.userId);
  if (player === undefined) return ERASED;
  if (player.gameId !== gameId) return OTHER_GAME;
  if ('change' in line) return { change: { ...line.change, playerId: player.playerId, gameId } };
  const source = { installId: line.installId, clientBuild: null };
  const [record] = recordsOfPlayer([line.event], player, source);
  return record === undefined ? ERASED : { record };
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

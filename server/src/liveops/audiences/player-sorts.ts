import type { Client } from '../../platform/db/pool.js';
import { DAY_MS } from '../../platform/lib/day.js';
import { MAX_ROW_ID } from '../../platform/lib/row-id.js';
import { listLastSeen, listNewestPlayerIds, listTopPayers } from './player-list-queries.js';

/**
 * The orders of the list of players. Each is read by an index that is there for its own sake or costs intake next to nothing, because a
 * page of 20 million players has to look up as few rows as one of twenty:
 *
 * - `newest`: by `players_of_game`.
 * - `lastSeen`: by the receipt of each player's newest events, from the index `event_blocks_game` of the live tail. An index on
 *   `players.last_event_at` would make every update of a player a non-HOT one, with an entry in each of its indexes.
 * - `spend`: by `players_by_spend`, which only purchases change.
 */

/** A position in a list, as the cursor has it: texts and whole numbers. */
export type ListKey = readonly (string | number)[];

export type Candidate = Readonly<{ id: string; key: ListKey }>;

export type Chunk = Readonly<{
  candidates: readonly Candidate[];
  /** Where the next chunk begins; null: there is none. */
  next: ListKey | null;
  /** How many rows were read for it. */
  examined: number;
}>;

/** Reads up to `size` players after a position. */
export type ChunkReader = (
  client: Client,
  gameId: number,
  after: ListKey | null,
  size: number,
) => Promise<Chunk>;

export const readNewest: ChunkReader = async (client, gameId, after, size) => {
  const ids = await listNewestPlayerIds(client, gameId, String(after?.[0] ?? MAX_ROW_ID), size);
  return chunkOf(
    ids.map((id) => ({ id, key: [id] })),
    size,
  );
};

export function readBySpend(currency: string): ChunkReader {
  return async (client, gameId, after, size) => {
    const [amount = null, id = MAX_ROW_ID] = after ?? [];
    const before = { amount: amount === null ? null : String(amount), id: String(id) };
    const payers = await listTopPayers(client, gameId, currency, before, size);
    return chunkOf(
      payers.map((payer) => ({ id: payer.id, key: [payer.amount, payer.id] })),
      size,
    );
  };
}

function chunkOf(candidates: readonly Candidate[], size: number): Chunk {
  const last = candidates.at(-1);
  const isFull = candidates.length === size;
  return { candidates, next: isFull && last !== undefined ? last.key : null, examined: candidates.length };
}

/** Players who were not seen for longer are not in the list by last event. */
export const LAST_SEEN_DAYS = 366;
/** Most games have events of the last days; for others each read reaches four times as far back. */
const FIRST_LOOK_MS = 4 * DAY_MS;
const GROWTH = 4;
/** Blocks that are read by one statement. Players have several a day, so these are some dozens of players. */
const BLOCKS = 500;

/** Each read opens the days of a span of receipt only. */
export function readByLastSeen(nowMs: number): ChunkReader {
  const floorMs = nowMs - LAST_SEEN_DAYS * DAY_MS;
  let lookMs = FIRST_LOOK_MS;
  return async (client, gameId, after) => {
    const [beforeMs = nowMs + DAY_MS, beforeId = MAX_ROW_ID] = after ?? [];
    const toMs = Number(beforeMs);
    const fromMs = Math.max(floorMs, toMs - lookMs);
    const { seen, last, isFull } = await listLastSeen(client, gameId, {
      before: { ms: toMs, id: String(beforeId) },
      fromMs,
      limit: BLOCKS,
    });
    const candidates = seen.map(({ playerId, receivedMs, id }) => ({ id: playerId, key: [receivedMs, id] }));
    if (isFull && last !== undefined)
      return { candidates, next: [last.receivedMs, last.id], examined: BLOCKS };
    lookMs *= GROWTH;
    // The least id: nothing of that millisecond was read yet, and ids begin with 1.
    const next = fromMs > floorMs ? [fromMs, '0'] : null;
    return { candidates, next, examined: candidates.length };
  };
}

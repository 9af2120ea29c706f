import { countPlayers } from '../../../liveops/evaluations/player-queries.js';
import {
  cancelledBy,
  type DedicatedConnection,
  inTransaction,
  walkByIndex,
  withDedicatedConnection,
} from '../../../platform/db/dedicated-connection.js';
import { pause } from '../../../platform/db/pause.js';
import type { Pool } from '../../../platform/db/pool.js';
import { DAY_MS, HOUR_MS, utcDay } from '../../../platform/lib/day.js';
import type { DaySpan } from '../../../studio/admin-api/day-span.js';
import { createPassage, type Funnel, type Passage } from './funnel.js';
import {
  type FunnelDimension,
  fetchFunnelEvents,
  listActivePlayers,
  listReportedValues,
  openFunnelEvents,
} from './funnel-queries.js';
import { createFunnelTally, type FunnelResult } from './funnel-tally.js';

export type FunnelRun = Funnel &
  DaySpan &
  Readonly<{
    gameId: number;
    by: FunnelDimension | null;
    signal?: AbortSignal;
    onProgress?: (progress: { done: number; total: number }) => void;
    playersPerChunk?: number;
  }>;

/** Their ids fit into one statement, and their events are sorted at once. */
const PLAYERS_PER_CHUNK = 2_000;
const EVENTS_PER_FETCH = 5_000;
/** While others are at work, the run rests for as long as each chunk took. */
const BUSY_PAUSE_SHARE = 1;

/**
 * Counts how many players come from one step to the next, exactly, from the stored events:
 *
 *   chunk of players ──► their events of the steps, by player and time ──► passage of each player ──► tally
 *
 * In memory are one chunk of player ids, one fetch of events and the tally. Null if the signal came.
 */
export async function runFunnel(pool: Pool, run: FunnelRun): Promise<FunnelResult | null> {
  return withDedicatedConnection(pool, (connection) =>
    cancelledBy(pool, connection, run.signal, async () => {
      await walkByIndex(connection);
      return countAll(connection, run);
    }),
  );
}

async function countAll(connection: DedicatedConnection, run: FunnelRun): Promise<FunnelResult | null> {
  const { gameId, signal, onProgress, playersPerChunk = PLAYERS_PER_CHUNK } = run;
  const tally = createFunnelTally(run.steps.length);
  const total = await countPlayers(connection, gameId);
  let lastId = '0';
  for (let done = 0; ; ) {
    if (signal?.aborted) return null;
    onProgress?.({ done: Math.min(done, total), total });
    const startedMs = performance.now();
    const chunk = await listActivePlayers(connection, gameId, lastId, run, playersPerChunk);
    if (chunk.lastId === null) return tally.result(run.by !== null);
    if (chunk.active.length > 0) await countChunk(connection, run, chunk.active, tally);
    lastId = chunk.lastId;
    done += chunk.players;
    const stepMs = performance.now() - startedMs;
    await pause(connection, { stepMs, share: BUSY_PAUSE_SHARE, leastMs: 0, signal });
  }
}

async function countChunk(
  connection: DedicatedConnection,
  run: FunnelRun,
  playerIds: readonly string[],
  tally: ReturnType<typeof createFunnelTally>,
): Promise<void> {
  const passages = await inTransaction(connection, () => passagesOf(connection, run, playerIds));
  if (run.by === null) {
    for (const { depth } of passages.values()) tally.add(depth, '');
    return;
  }
  const entries = [...passages].map(([playerId, { enteredAt }]) => ({
    playerId,
    day: utcDay(Math.floor(enteredAt / 1_000)),
  }));
  const values = await listReportedValues(connection, run.by, entries);
  for (const [playerId, { depth }] of passages) tally.add(depth, values.get(playerId) ?? '');
}

/** Of the players who have completed at least the first step. */
async function passagesOf(
  connection: DedicatedConnection,
  { steps, windowHours, from, to }: FunnelRun,
  playerIds: readonly string[],
): Promise<Map<string, Passage>> {
  const endMs = Date.parse(to) + DAY_MS;
  const until = new Date(endMs + windowHours * HOUR_MS).toISOString();
  await openFunnelEvents(connection, { playerIds, eventTypes: [...new Set(steps)], from, until });
  const passages = new Map<string, Passage>();
  let current: { playerId: string; passage: ReturnType<typeof createPassage> } | undefined;
  const settle = () => {
    const passage = current?.passage.end();
    if (current !== undefined && passage !== undefined && passage.depth > 0)
      passages.set(current.playerId, passage);
  };
  for (;;) {
    const events = await fetchFunnelEvents(connection, EVENTS_PER_FETCH);
    if (events.length === 0) break;
    for (const [playerId, eventType, atUs] of events) {
      if (current?.playerId !== playerId) {
        settle();
        current = { playerId, passage: createPassage({ steps, windowHours }, endMs * 1_000) };
      }
      current.passage.add(eventType, atUs);
    }
  }
  settle();
  await connection.query('close funnel_events');
  return passages;
}

import { lockPlayers } from '../../core/events/apply/fold-queries.js';
import { ensureDays } from '../../core/events/storage/event-partitions.js';
import { type Actor, insertAuditEntry } from '../../platform/admin-api/audit-log.js';
import { type Pool, transaction } from '../../platform/db/pool.js';
import { HOUR_MS } from '../../platform/lib/day.js';
import { lockDeletedBefore } from '../imports/import-queries.js';
import {
  listDaysOfReceipt,
  listSimulatedPlayers,
  moveReceipts,
  updateOnlyPublication,
} from './past-queries.js';

/** Some ten thousand events: a second of work, for which their rows are locked. */
const PLAYERS_PER_TRANSACTION = 50;
/** The clock of the machine that simulates may be ahead of the clock of the database. */
const CLOCK_MS = HOUR_MS;

export type SimulatedPast = Readonly<{
  gameId: number;
  /** The name of the simulation, for the audit log. */
  run: string;
  /** Of all players of the simulation. */
  deviceIds: readonly string[];
  /** The start of its first day, and when it was started. */
  firstMs: number;
  begunMs: number;
  actor: Actor;
  playersPerTransaction?: number;
  signal?: AbortSignal;
  onProgress?: (done: number, total: number) => void;
}>;

export type LeftPast = Readonly<{
  players: number;
  events: number;
  purchases: number;
  isPublicationMoved: boolean;
}>;

/**
 * Gives what a simulation has played the times of receipt that a live service would have: an event is received a second after the last event of
 * its hour, and a player is created with the first event. Nothing else changes, so every number of the dashboards stays the same.
 *
 *   audit entry, publication ──► some players: locked, moved, committed ──► … ──► all players
 *                                                  └── killed: the next call moves the players who have no past yet
 */
export async function leavePast(pool: Pool, past: SimulatedPast): Promise<LeftPast> {
  const { gameId, run, deviceIds, firstMs, begunMs, actor, signal, onProgress } = past;
  const step = past.playersPerTransaction ?? PLAYERS_PER_TRANSACTION;
  const sinceMs = begunMs - CLOCK_MS;
  const playerIds = await listSimulatedPlayers(pool, { gameId, deviceIds, sinceMs });
  if (playerIds.length === 0) return { players: 0, events: 0, purchases: 0, isPublicationMoved: false };
  const isPublicationMoved = await transaction(pool, async (client) => {
    await insertAuditEntry(client, actor, {
      tenantId: null,
      gameId,
      action: 'simulation.past',
      target: `players of ${run}`,
      before: null,
      after: { players: playerIds.length },
    });
    return updateOnlyPublication(client, gameId, firstMs);
  });
  const days = new Set<string>();
  let events = 0;
  let purchases = 0;
  for (let at = 0; at < playerIds.length; at += step) {
    signal?.throwIfAborted();
    onProgress?.(at, playerIds.length);
    const some = playerIds.slice(at, at + step);
    const missing = (await listDaysOfReceipt(pool, some, sinceMs)).filter((day) => !days.has(day));
    // Before the transaction: making a partition waits for locks.
    await ensureDays(pool, missing);
    for (const day of missing) days.add(day);
    const moved = await transaction(pool, async (client) => {
      // Retention deletes no further while this transaction is open.
      const keptFromMs = await lockDeletedBefore(client, gameId);
      const locked = await lockPlayers(client, some);
      const staying = [...locked.values()].filter(({ isLeaving }) => !isLeaving);
      return moveReceipts(
        client,
        staying.map(({ playerId }) => playerId),
        { sinceMs, keptFromMs },
      );
    });
    events += moved.events;
    purchases += moved.purchases;
  }
  onProgress?.(playerIds.length, playerIds.length);
  return { players: playerIds.length, events, purchases, isPublicationMoved };
}

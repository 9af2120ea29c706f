import { deleteSessionsOfPlayers } from '../../core/sessions/session-queries.js';
import {
  type Actor,
  emailOf,
  insertAuditEntries,
  insertAuditEntry,
} from '../../platform/admin-api/audit-log.js';
import { type Client, type Pool, transaction } from '../../platform/db/pool.js';
import { DAY_MS } from '../../platform/lib/day.js';
import { uuid7 } from '../../platform/lib/uuid7.js';
import type { ErasureHashes } from '../../platform/security/erasure-hashes.js';
import { deleteErasureCodes } from './code-queries.js';
import type { Erasure } from './erasure.js';
import {
  findErasureOfPlayer,
  insertErasures,
  lockRequestedPlayers,
  lockWaitingErasure,
  type RequestedPlayer,
  updateEraseRequestedAt,
  updateErasureWithdrawn,
} from './request-queries.js';

type RequestOptions = Readonly<{
  gameId: number;
  /** Who asked, and when. The player's own request is no change by the studio, and not in its audit log. */
  by: Actor | Readonly<{ player: true; nowMs: number }>;
  /** The request cannot be withdrawn, whatever the game has set. */
  isAtOnce?: boolean;
}>;
export type ErasureRequest = RequestOptions & Readonly<{ userId: string }>;

/**
 * Requests the erasure of a player. From the commit on no node accepts a token of the player or applies an event, and the next login
 * of each device creates a new player. A second request returns the first one, until the erasure begins. Undefined if the game has no such player.
 */
export async function requestErasure(
  pool: Pool,
  hashes: ErasureHashes,
  { userId, ...options }: ErasureRequest,
): Promise<Erasure | undefined> {
  return transaction(pool, async (client) => {
    const [player] = await lockRequestedPlayers(client, options.gameId, [userId]);
    if (player === undefined) return undefined;
    if (player.isRequested) return findErasureOfPlayer(client, player.playerId);
    const [erasure] = await insertRequests(client, hashes, options, [player]);
    return erasure;
  });
}

/** The same for many players, in one transaction. Returns the players that the game has. */
export async function requestErasures(
  pool: Pool,
  hashes: ErasureHashes,
  options: RequestOptions,
  userIds: readonly string[],
): Promise<string[]> {
  return transaction(pool, async (client) => {
    const players = await lockRequestedPlayers(client, options.gameId, userIds);
    const newlyRequested = players.filter(({ isRequested }) => !isRequested);
    if (newlyRequested.length > 0) await insertRequests(client, hashes, options, newlyRequested);
    return players.map(({ userId }) => userId);
  });
}

async function insertRequests(
  client: Client,
  hashes: ErasureHashes,
  { gameId, by, isAtOnce = false }: RequestOptions,
  players: readonly RequestedPlayer[],
): Promise<Erasure[]> {
  const { nowMs } = by;
  const [requestedBy, requestedByEmail] = 'player' in by ? ['player', null] : [by.name, emailOf(by)];
  const playerIds = players.map(({ playerId }) => playerId);
  // All players are of one game.
  const waitDays = isAtOnce ? 0 : (players[0]?.waitDays ?? 0);
  await updateEraseRequestedAt(client, playerIds, nowMs);
  const erasures = await insertErasures(
    client,
    { gameId, requestedBy, requestedByEmail, requestedAt: nowMs, dueAt: nowMs + waitDays * DAY_MS },
    players.map(({ playerId, userId }) => ({
      erasureId: uuid7(nowMs),
      playerId,
      userId,
      playerHash: hashes.player(userId),
    })),
  );
  await deleteSessionsOfPlayers(client, playerIds);
  await deleteErasureCodes(client, playerIds);
  if (!('player' in by)) {
    const entries = erasures.map(({ erasureId, userId, dueAt }) => ({
      tenantId: null,
      gameId,
      action: 'player.erase' as const,
      target: `player ${userId}`,
      before: null,
      after: { erasureId, dueAt: new Date(dueAt).toISOString() },
    }));
    await insertAuditEntries(client, by, entries);
  }
  return erasures;
}

/** False if there is no such request, or its erasure has begun. The player can log in again, on devices that have no other player since. */
export async function withdrawErasure(
  pool: Pool,
  gameId: number,
  erasureId: string,
  actor: Actor,
): Promise<boolean> {
  return transaction(pool, async (client) => {
    const waiting = await lockWaitingErasure(client, gameId, erasureId);
    if (waiting === undefined) return false;
    await updateEraseRequestedAt(client, [waiting.playerId], null);
    await updateErasureWithdrawn(client, erasureId, actor.nowMs);
    await insertAuditEntry(client, actor, {
      tenantId: null,
      gameId,
      action: 'player.erase_withdraw',
      target: `player ${waiting.userId}`,
      before: { erasureId },
      after: null,
    });
    return true;
  });
}

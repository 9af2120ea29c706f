import { type Actor, emailOf, insertAuditEntry } from '../../admin/audit-log.js';
import { type Pool, transaction } from '../../db/pool.js';
import { DAY_MS } from '../../lib/day.js';
import { uuid7 } from '../../lib/uuid7.js';
import type { ErasureHashes } from '../../security/erasure-hashes.js';
import { deleteSessionsOfPlayer } from '../sessions/session-queries.js';
import { deleteErasureCode } from './code-queries.js';
import type { Erasure } from './erasure.js';
import {
  findErasureOfPlayer,
  insertErasure,
  lockRequestedPlayer,
  lockWaitingErasure,
  updateEraseRequestedAt,
  updateErasureWithdrawn,
} from './request-queries.js';

export type ErasureRequest = Readonly<{
  gameId: number;
  userId: string;
  /** Who asked, and when. The player's own request is no change by the studio, and not in its audit log. */
  by: Actor | Readonly<{ player: true; nowMs: number }>;
  /** The request cannot be withdrawn, whatever the game has set. */
  isAtOnce?: boolean;
}>;

/**
 * Requests the erasure of a player. From the commit on no node accepts a token of the player or applies an event, and the next login
 * of each device creates a new player. A second request returns the first one. Undefined if the game has no such player.
 */
export async function requestErasure(
  pool: Pool,
  hashes: ErasureHashes,
  { gameId, userId, by, isAtOnce = false }: ErasureRequest,
): Promise<Erasure | undefined> {
  const { nowMs } = by;
  const [requestedBy, requestedByEmail] = 'player' in by ? ['player', null] : [by.name, emailOf(by)];
  return transaction(pool, async (client) => {
    const player = await lockRequestedPlayer(client, gameId, userId);
    if (player === undefined) return undefined;
    const { playerId, isRequested, waitDays } = player;
    if (isRequested) return findErasureOfPlayer(client, playerId);
    await updateEraseRequestedAt(client, playerId, nowMs);
    const erasure = await insertErasure(client, {
      erasureId: uuid7(nowMs),
      gameId,
      playerId,
      userId,
      playerHash: hashes.player(userId),
      requestedBy,
      requestedByEmail,
      requestedAt: nowMs,
      dueAt: isAtOnce ? nowMs : nowMs + waitDays * DAY_MS,
    });
    await deleteSessionsOfPlayer(client, playerId);
    await deleteErasureCode(client, playerId);
    if (!('player' in by)) {
      await insertAuditEntry(client, by, {
        tenantId: null,
        gameId,
        action: 'player.erase',
        target: `player ${userId}`,
        before: null,
        after: { erasureId: erasure.erasureId, dueAt: new Date(erasure.dueAt).toISOString() },
      });
    }
    return erasure;
  });
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
    await updateEraseRequestedAt(client, waiting.playerId, null);
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

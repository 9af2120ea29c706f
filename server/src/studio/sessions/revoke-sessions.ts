import { deleteSessionOfPlayer, deleteSessionsOfPlayers } from '../../core/sessions/session-queries.js';
import { type Actor, insertAuditEntry } from '../../platform/admin-api/audit-log.js';
import { type Pool, transaction } from '../../platform/db/pool.js';

export type SessionRevocation = Readonly<{
  gameId: number;
  playerId: string;
  userId: string;
  /** Null: all of the player's. */
  sessionId: string | null;
}>;

/**
 * Ends sessions of a player for the studio, and returns how many. From the commit on no node accepts any of their tokens. The
 * player can log in again: this does not ban a player.
 */
export async function revokeSessions(
  pool: Pool,
  { gameId, playerId, userId, sessionId }: SessionRevocation,
  actor: Actor,
): Promise<number> {
  return transaction(pool, async (client) => {
    const revoked =
      sessionId === null
        ? await deleteSessionsOfPlayers(client, [playerId])
        : await deleteSessionOfPlayer(client, playerId, sessionId);
    if (revoked === 0) return 0;
    await insertAuditEntry(client, actor, {
      tenantId: null,
      gameId,
      action: 'session.revoke',
      target: `player ${userId}${sessionId === null ? '' : ` session ${sessionId}`}`,
      before: { sessions: revoked },
      after: null,
    });
    return revoked;
  });
}

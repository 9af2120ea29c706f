import { parseSentToken } from './refresh-token.js';
import type { SessionContext } from './session-context.js';
import {
  deleteSession,
  deleteSessionsOfPlayers,
  findRefreshRows,
  type LivePlayer,
} from './session-queries.js';

/** Whose session ends. */
type SessionOwner = Pick<LivePlayer, 'playerId' | 'sessionId'>;

export type LogoutRequest = { refreshToken?: string; allDevices?: boolean };

/**
 * Ends the session of the bearer token; with `allDevices` every session of its player; and a refresh token sent along
 * ends its own session too, if it is one of this player's. From the commit on no node accepts any of their tokens.
 */
export async function logout(
  ctx: SessionContext,
  player: SessionOwner,
  request: LogoutRequest,
): Promise<number> {
  if (request.allDevices === true) return deleteSessionsOfPlayers(ctx.pool, [player.playerId]);
  const other = await sessionOfToken(ctx, player, request.refreshToken);
  const ended = await deleteSession(ctx.pool, player.sessionId);
  return other === undefined ? ended : ended + (await deleteSession(ctx.pool, other));
}

async function sessionOfToken(
  ctx: SessionContext,
  player: SessionOwner,
  refreshToken: string | undefined,
): Promise<string | undefined> {
  const sessionId = refreshToken === undefined ? undefined : parseSentToken(refreshToken)?.sessionId;
  if (sessionId === undefined || sessionId === player.sessionId) return undefined;
  const [row] = await findRefreshRows(ctx.pool, [sessionId]);
  return row?.playerId === player.playerId ? row.sessionId : undefined;
}

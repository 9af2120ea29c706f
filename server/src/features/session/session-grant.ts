import type { Context } from '../../context.js';
import type { PlayerRow } from '../player/player-row.js';
import { playerStatus } from '../player/player-status.js';

/** What login and refresh hand out: the response body, as text because store prices are exact decimals. */
export type SessionGrant = {
  json: string;
  headers: Record<string, string>;
  userId: string;
  tenantId: string;
  gameId: string;
};

type Session = {
  player: PlayerRow;
  sessionId: string;
  deviceId: string;
  tenantId: string;
  gameId: string;
  refreshToken: string;
  headers: Record<string, string>;
};

/** Login and refresh answer with the very same shape: a client has one parser. */
export async function sessionGrant(ctx: Context, session: Session): Promise<SessionGrant> {
  const { player, sessionId, deviceId, tenantId, gameId, refreshToken } = session;
  const accessToken = ctx.accessTokens.issue({
    userId: player.userId,
    tenantId,
    gameId,
    deviceId,
    sessionId,
  });
  const snapshot = await ctx.configs.get(player.gameId, player.configVersion);
  const head = JSON.stringify({
    accessToken,
    refreshToken,
    tokenType: 'Bearer',
    expiresIn: ctx.config.accessTtlSeconds,
    userId: player.userId,
    deviceId,
    gameId,
    tenantId,
  });
  const status = JSON.stringify(playerStatus(player, snapshot.config, ctx.clock.now()));
  return {
    json: `${head.slice(0, -1)},"playerConfig":{"playerStatus":${status},"storeConfig":${snapshot.store.json}}}`,
    headers: session.headers,
    userId: player.userId,
    tenantId,
    gameId,
  };
}

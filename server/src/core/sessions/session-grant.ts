import { storeText } from '../players/player-responses.js';
import type { PlayerRow } from '../players/player-row.js';
import { formatSentToken } from './refresh-token.js';
import type { SessionContext } from './session-context.js';

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
  /** Of the refresh chain. */
  refreshToken: string;
  headers: Record<string, string>;
};

/** Login and refresh respond with the very same shape: a client has one parser. */
export async function sessionGrant(ctx: SessionContext, session: Session): Promise<SessionGrant> {
  const { player, sessionId, deviceId, tenantId, gameId, refreshToken } = session;
  // The statement just run has read the version of the keys, so a key that was revoked before it signs no more tokens.
  const reading = ctx.signingKeys.catchUp(player.signingKeysVersion);
  if (reading !== undefined) await reading;
  const accessToken = ctx.accessTokens.issue({
    userId: player.userId,
    tenantId,
    gameId,
    deviceId,
    sessionId,
  });
  const responses = await ctx.decisions.responsesFor(player);
  const head = JSON.stringify({
    accessToken,
    refreshToken: formatSentToken(player.userId, refreshToken),
    tokenType: 'Bearer',
    expiresIn: ctx.settings.accessTtlSeconds,
    userId: player.userId,
    deviceId,
    gameId,
    tenantId,
  });
  const { forClients } = responses.values;
  const values = forClients === null ? '' : `,"values":${forClients.json}`;
  return {
    json: `${head.slice(0, -1)},"playerConfig":{"playerStatus":${responses.statusJson},"storeConfig":${storeText(responses)}${values}}}`,
    headers: session.headers,
    userId: player.userId,
    tenantId,
    gameId,
  };
}

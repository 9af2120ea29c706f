import { ApiError } from '../../platform/errors.js';
import type { Limit } from '../../platform/http/rate-limits.js';
import { bucketOfUser } from '../../platform/lib/player-buckets.js';
import { takeRandomBytes } from '../../platform/lib/random-bytes.js';
import { isKeyAllowed } from './key-environment.js';
import { presentRefresh } from './refresh-chain.js';
import { parseSentToken } from './refresh-token.js';
import type { SessionContext } from './session-context.js';
import { type SessionGrant, sessionGrant } from './session-grant.js';
import { deleteSession, type RefreshRow } from './session-queries.js';

/** An honest client never loses this many races in a row for one session. */
const MAX_ATTEMPTS = 10;

/** Refreshes are counted per player, failures per address. */
export type RefreshLimits = Readonly<{ address: string; perPlayer: Limit; perAddress: Limit }>;

/**
 * Rotates a refresh token. Two refreshes of one token race for the row: the winner moves the chain on, the loser reads
 * again and finds itself a retry, which is given the very same successor. A logout in between wins over both.
 */
export async function refresh(
  ctx: SessionContext,
  refreshToken: string,
  limits: RefreshLimits,
): Promise<SessionGrant> {
  const presented = parseSentToken(refreshToken);
  if (presented === undefined) return refuse(ctx, 'invalid', limits);

  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const row = await ctx.refreshBatcher.rows.submit(presented.sessionId);
    const now = ctx.clock.now();
    if (row === undefined || row.expiresAt <= now || !isKeyAllowed(ctx.settings, row.environment))
      return refuse(ctx, 'invalid', limits);
    // A client changed the character: the token would not be found where it points to.
    if (presented.bucket !== bucketOfUser(row.userId)) return refuse(ctx, 'invalid', limits);

    const state = { tagKey: row.tagKey, currentHash: row.currentHash, recent: row.recent };
    const outcome = presentRefresh(
      state,
      presented,
      now,
      ctx.settings.refreshGraceSeconds * 1000,
      takeRandomBytes(32),
    );
    // Before anything is rotated: a 429 must leave the token as it was.
    const headers =
      outcome.kind === 'rotated' || outcome.kind === 'retried' ? limits.perPlayer.take(row.userId) : {};
    switch (outcome.kind) {
      case 'invalid':
        return refuse(ctx, 'invalid', limits);
      case 'reused':
        await deleteSession(ctx.pool, row.sessionId);
        return refuse(ctx, 'reused', limits);
      case 'retried':
        return grant(ctx, row, outcome, headers);
      case 'rotated': {
        const isMoved = await ctx.refreshBatcher.moves.submit({
          sessionId: row.sessionId,
          previousHash: row.currentHash,
          next: outcome.state,
          expiresAt: now + ctx.settings.refreshTtlSeconds * 1000,
        });
        if (isMoved) return grant(ctx, row, outcome, headers);
      }
    }
  }
  throw new ApiError('unavailable', { headers: { 'retry-after': '1' } });
}

function grant(
  ctx: SessionContext,
  row: RefreshRow,
  outcome: { kind: string; token: string },
  headers: Record<string, string>,
): Promise<SessionGrant> {
  ctx.metrics.refreshes.inc({ outcome: outcome.kind });
  return sessionGrant(ctx, {
    player: row,
    sessionId: row.sessionId,
    deviceId: row.deviceId,
    tenantId: row.tenantSlug,
    gameId: row.gameSlug,
    refreshToken: outcome.token,
    headers,
  });
}

function refuse(ctx: SessionContext, outcome: string, { address, perAddress }: RefreshLimits): never {
  ctx.metrics.refreshes.inc({ outcome });
  perAddress.take(address);
  throw new ApiError('refresh_token_invalid');
}

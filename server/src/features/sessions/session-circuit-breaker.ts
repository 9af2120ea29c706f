import { isUnavailable } from '../../db/pool.js';
import { OverloadedError } from '../../lib/overloaded-error.js';
import type { LivePlayers } from './live-players.js';
import type { LivePlayer } from './session-queries.js';

/** Instead of a player: the database could not be asked, so nobody knows whether the session is still alive. */
export const NOT_ASKED = Symbol('the database was not asked');

type Options = { patienceMs?: number; probeEveryMs?: number };

/** A look-up takes milliseconds; a database that needs longer than this is as good as away. */
const PATIENCE_MS = 1_000;
const PROBE_EVERY_MS = 1_000;

/**
 * Session look-ups for an intake that outlives the database:
 *
 *             a look-up fails for want of a database, or takes longer than a second
 *   asking ──────────────────────────────────────────────────────────────────────────► blind: nobody waits for a look-up,
 *      ▲                                                                                one a second is tried
 *      └──────────────────────── the try is answered ──────────────────────────────────┘
 *
 * Without the blind state each request would first wait for a time-out, and the look-ups would pile up until all are
 * refused.
 */
export function createSessionCircuitBreaker(
  livePlayers: Pick<LivePlayers, 'submit'>,
  { patienceMs = PATIENCE_MS, probeEveryMs = PROBE_EVERY_MS }: Options = {},
): (sessionId: string) => Promise<LivePlayer | typeof NOT_ASKED | undefined> {
  let blind = false;
  let nextTryAt = 0;

  const becomeBlind = (): void => {
    blind = true;
    nextTryAt = performance.now() + probeEveryMs;
  };

  const ask = async (sessionId: string): Promise<LivePlayer | typeof NOT_ASKED | undefined> => {
    try {
      const player = await livePlayers.submit(sessionId);
      blind = false;
      return player;
    } catch (error) {
      if (!isUnavailable(error) && !(error instanceof OverloadedError)) throw error;
      becomeBlind();
      return NOT_ASKED;
    }
  };

  return async (sessionId) => {
    if (blind) {
      if (performance.now() < nextTryAt) return NOT_ASKED;
      // The others go on blindly while this one looks.
      nextTryAt = performance.now() + probeEveryMs;
    }
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<typeof NOT_ASKED>((resolve) => {
      timer = setTimeout(() => {
        becomeBlind();
        resolve(NOT_ASKED);
      }, patienceMs);
    });
    try {
      return await Promise.race([ask(sessionId), patience]);
    } finally {
      clearTimeout(timer);
    }
  };
}

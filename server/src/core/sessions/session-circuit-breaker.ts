import { isUnavailable } from '../../platform/db/pool.js';
import { OverloadedError } from '../../platform/lib/overloaded-error.js';
import type { LivePlayers } from './live-players.js';
import type { LivePlayer } from './session-queries.js';

/** Instead of a player: the database could not be asked, so it is unknown whether the session is still alive. */
export const NOT_ASKED = Symbol('the database was not asked');

type Options = { timeoutMs?: number; probeEveryMs?: number };

/** A look-up takes milliseconds. A database that needs longer than this counts as unavailable. */
const TIMEOUT_MS = 1_000;
const PROBE_EVERY_MS = 1_000;

/**
 * Looks up sessions for an intake that goes on while the database is unavailable:
 *
 *              a look-up finds the database unavailable, or takes longer than a second
 *   closed ─────────────────────────────────────────────────────────────────────────────► open
 *   every session                                                                        no request waits for a look-up;
 *   is looked up                                                                         one a second is tried
 *      ▲                                                                                  │
 *      └───────────────────────────── the look-up that is tried succeeds ─────────────────┘
 *
 * Without the open state each request would first wait for the timeout, and waiting look-ups would pile up until all requests
 * are refused.
 */
export function createSessionCircuitBreaker(
  livePlayers: Pick<LivePlayers, 'submit'>,
  { timeoutMs = TIMEOUT_MS, probeEveryMs = PROBE_EVERY_MS }: Options = {},
): (sessionId: string) => Promise<LivePlayer | typeof NOT_ASKED | undefined> {
  let isOpen = false;
  let nextTryAt = 0;

  const open = (): void => {
    isOpen = true;
    nextTryAt = performance.now() + probeEveryMs;
  };

  const ask = async (sessionId: string): Promise<LivePlayer | typeof NOT_ASKED | undefined> => {
    try {
      const player = await livePlayers.submit(sessionId);
      isOpen = false;
      return player;
    } catch (error) {
      if (!isUnavailable(error) && !(error instanceof OverloadedError)) throw error;
      open();
      return NOT_ASKED;
    }
  };

  return async (sessionId) => {
    if (isOpen) {
      if (performance.now() < nextTryAt) return NOT_ASKED;
      // This request tries the database. The others go on without a look-up.
      nextTryAt = performance.now() + probeEveryMs;
    }
    let timer: NodeJS.Timeout | undefined;
    const timedOut = new Promise<typeof NOT_ASKED>((resolve) => {
      timer = setTimeout(() => {
        open();
        resolve(NOT_ASKED);
      }, timeoutMs);
    });
    try {
      return await Promise.race([ask(sessionId), timedOut]);
    } finally {
      clearTimeout(timer);
    }
  };
}

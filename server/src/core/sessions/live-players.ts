import type { Pool } from '../../platform/db/pool.js';
import { Batcher } from '../../platform/lib/batcher.js';
import { findLivePlayers, type LivePlayer } from './session-queries.js';

/**
 * Reads the player behind a session, or undefined when the session has ended. One query answers the four questions of
 * every request at once: is this session still alive, what does the player's row say, which configuration is published, and
 * have the signing keys changed. So a logout, a publication or a revoked key is obeyed by every node with the next request,
 * without any notification that could be late or lost. Reads that arrive together travel together.
 */
export type LivePlayers = Batcher<string, LivePlayer | undefined>;

/** A look-up takes about a millisecond. One look-up in a distant database must not hold up the next for long. */
const FILL_FOR_MS = 3;
/** Has an effect near full load only: there it lets a tenth more reads through. At half load no request waits. */
const LINGER = { ms: 3, after: 12 };

export function createLivePlayers(pool: Pool): LivePlayers {
  return new Batcher({
    maxItems: 500,
    maxInFlight: 3,
    fillForMs: FILL_FOR_MS,
    linger: LINGER,
    maxWaiting: 20_000,
    async run(sessionIds) {
      const rows = await findLivePlayers(pool, sessionIds);
      const bySession = new Map(rows.map((row) => [row.sessionId, row]));
      return sessionIds.map((sessionId) => bySession.get(sessionId));
    },
  });
}

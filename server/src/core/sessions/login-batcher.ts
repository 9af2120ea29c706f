import { isUnavailable, type Pool } from '../../platform/db/pool.js';
import { Batcher } from '../../platform/lib/batcher.js';
import type { PlayerRow } from '../players/player-row.js';
import { insertSessions, type NewPlayerSession } from './session-queries.js';

/** Far longer than a group usually takes. */
const FILL_FOR_MS = 100;
/** Returning logins gain a tenth from fewer and larger groups. */
const LINGER = { ms: 4, after: 4 };

/**
 * Opens sessions; logins that arrive together share a statement and a commit. Undefined if the key has been revoked, or if
 * another node was creating the player of a new device at the same time: a second call finds that player.
 */
export type LoginBatcher = Batcher<NewPlayerSession, PlayerRow | undefined>;

export function createLoginBatcher(pool: Pool): LoginBatcher {
  return new Batcher({
    maxItems: 200,
    maxInFlight: 2,
    fillForMs: FILL_FOR_MS,
    linger: LINGER,
    maxWaiting: 10_000,
    run: (sessions) => openSessions(pool, sessions),
    splitOn: (error) => !isUnavailable(error),
  });
}

async function openSessions(pool: Pool, sessions: NewPlayerSession[]): Promise<(PlayerRow | undefined)[]> {
  const opened = new Map((await insertSessions(pool, sessions)).map((row) => [row.sessionId, row]));
  return sessions.map((session) => opened.get(session.sessionId));
}

import { bucketOf, experimentSalt, userIdBytes } from '../../decide/compile/bucket.js';
import type { DedicatedConnection } from '../../platform/db/dedicated-connection.js';
import { evenly } from '../../platform/lib/evenly.js';
import type { GradedSpan } from './graded-spans.js';
import { findIdRange, type GradedPlayer, listGradedPlayers } from './sample-queries.js';

export type DrawnPlayers = Readonly<{ players: readonly GradedPlayer[]; isSampled: boolean }>;

export type DrawOptions = Readonly<{
  gameId: number;
  night: string;
  spans: readonly GradedSpan[];
  signal?: AbortSignal | undefined;
  bounds?: DrawBounds;
}>;

/** At most so many players are looked at, and of those who were active so many are kept. So a night costs a large game no more than a small one. */
export type DrawBounds = Readonly<{ read: number; kept: number; perChunk: number }>;

const BOUNDS: DrawBounds = { read: 100_000, kept: 10_000, perChunk: 500 };

/**
 * Players who were active in the last weeks: all of a small game, else some from places all over the game, from the first player to the newest.
 * Who is drawn follows from the night, so a run that is interrupted goes on with the same players. Undefined if it is to end.
 */
export async function drawGradedPlayers(
  connection: DedicatedConnection,
  { gameId, night, spans, signal, bounds = BOUNDS }: DrawOptions,
): Promise<DrawnPlayers | undefined> {
  const range = await findIdRange(connection, gameId, bounds.read);
  if (range === undefined) return { players: [], isSampled: false };
  const chunks = bounds.read / bounds.perChunk;
  const width = (range.last + 1 - range.first) / chunks;
  const salt = experimentSalt(`grade:${night}`);
  const drawn: GradedPlayer[] = [];
  let behind = range.first - 1;
  for (let chunk = 0; chunk < chunks; chunk++) {
    if (signal?.aborted) return undefined;
    if (range.hasMore) {
      const start = range.first + (chunk + bucketOf(salt, userIdBytes(String(chunk)))) * width;
      behind = Math.max(behind, Math.floor(start) - 1);
    }
    const page = await listGradedPlayers(connection, gameId, spans, { behind, limit: bounds.perChunk });
    drawn.push(...page.players);
    if (page.last === null) break;
    behind = page.last;
  }
  const isSampled = range.hasMore || drawn.length > bounds.kept;
  return { players: evenly(drawn, bounds.kept), isSampled };
}

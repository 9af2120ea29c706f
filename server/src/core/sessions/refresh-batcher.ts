import { isUnavailable, type Pool } from '../../platform/db/pool.js';
import { Batcher } from '../../platform/lib/batcher.js';
import { type ChainMove, findRefreshRows, type RefreshRow, updateRefreshChains } from './session-queries.js';

/** The database side of refreshes; those that arrive together share a query and a commit. */
export type RefreshBatcher = Readonly<{
  /** By session id. */
  rows: Batcher<string, RefreshRow | undefined>;
  /** True if this call moved the chain on. */
  moves: Batcher<ChainMove, boolean>;
}>;

const BOUNDS = { maxItems: 200, maxInFlight: 2, maxWaiting: 10_000 };

export function createRefreshBatcher(pool: Pool): RefreshBatcher {
  return {
    rows: new Batcher({
      ...BOUNDS,
      async run(sessionIds) {
        const rows = await findRefreshRows(pool, [...new Set(sessionIds)]);
        const bySession = new Map(rows.map((row) => [row.sessionId, row]));
        return sessionIds.map((sessionId) => bySession.get(sessionId));
      },
    }),
    moves: new Batcher({
      ...BOUNDS,
      run: (moves) => moveChains(pool, moves),
      splitOn: (error) => !isUnavailable(error),
    }),
  };
}

/** Of several moves of one session only the first is tried: a statement can update a row once. */
async function moveChains(pool: Pool, moves: readonly ChainMove[]): Promise<boolean[]> {
  const first = new Map<string, ChainMove>();
  for (const move of moves) if (!first.has(move.sessionId)) first.set(move.sessionId, move);
  const moved = new Set(await updateRefreshChains(pool, [...first.values()]));
  return moves.map((move) => moved.has(move.sessionId) && first.get(move.sessionId) === move);
}

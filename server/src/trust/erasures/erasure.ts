/**
 * A request to erase a player:
 *
 *                        due
 *   waiting ───────────────────────► erasing ──► done: the receipt, and no id of the player
 *      │                              │  ▲
 *      └─► withdrawn                  └──┘ after an interruption it goes on
 *
 * From the request on the player has no session, no device and no new events. `erasing` begins with the deletion of the player's
 * row, so that everything that locks or joins the row finds no player any more.
 */
export type ErasureState = 'waiting' | 'erasing' | 'done' | 'withdrawn';

export type Erasure = {
  erasureId: string;
  gameId: number;
  /** Null once the player is erased, or the request is withdrawn. */
  userId: string | null;
  playerHash: Buffer;
  state: ErasureState;
  requestedBy: string;
  requestedByEmail: string | null;
  requestedAt: number;
  dueAt: number;
  finishedAt: number | null;
  /** How many rows of each table were deleted, and what else was done. */
  counts: Record<string, number>;
  /** A JWS; null until the player is erased. */
  receipt: string | null;
};

export const ERASURE_COLUMNS = `id as "erasureId", game_id as "gameId", user_id as "userId", player_hash as "playerHash", state,
  requested_by as "requestedBy", requested_by_email as "requestedByEmail", requested_at as "requestedAt", due_at as "dueAt",
  finished_at as "finishedAt", counts, receipt`;

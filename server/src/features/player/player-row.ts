/**
 * A player as all pure functions see one: aggregates only. Times are epoch milliseconds.
 * `PLAYER_COLUMNS` selects exactly this from `players p join games g`.
 */
export type PlayerRow = {
  playerId: string;
  gameId: number;
  userId: string;
  /** The game's published configuration at the moment of reading. */
  configVersion: number;
  /** The state of the game's event types at the moment of reading. */
  registryVersion: number;
  createdAt: number;
  lastEventAt: number | null;
  purchaseCount: number;
  lastPurchaseAt: number | null;
};

export const PLAYER_COLUMNS = `
  p.id as "playerId",
  p.game_id as "gameId",
  p.user_id as "userId",
  g.published_version as "configVersion",
  g.registry_version as "registryVersion",
  p.created_at as "createdAt",
  p.last_event_at as "lastEventAt",
  p.purchase_count as "purchaseCount",
  p.last_purchase_at as "lastPurchaseAt"`;

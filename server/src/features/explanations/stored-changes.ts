import type { Client } from '../../db/pool.js';
import type { TransactionChange } from '../events/apply/transaction-changes.js';
import type { RebuiltPlayer } from './rebuilt-player.js';

/** What stores and other players had made of a player's transactions by an instant. */
export async function listChanges(
  client: Client,
  { playerId }: RebuiltPlayer,
  atMs: number,
): Promise<TransactionChange[]> {
  const { rows } = await client.query<TransactionChange>(
    `select player_id as "playerId", game_id as "gameId", transaction_id as "transactionId", kind, at as "atMs",
       share::text as share, refunded_at as "refundedAtMs", recorded_at as "recordedAtMs"
     from transaction_changes where player_id = $1 and recorded_at <= $2`,
    [playerId, new Date(atMs)],
  );
  return rows;
}

import type { TransactionChange } from '../../core/events/apply/transaction-changes.js';
import type { Client } from '../../platform/db/pool.js';
import type { RebuiltPlayer, Span } from './rebuilt-player.js';

/** What stores and other players had made of the players' transactions by an instant. */
export async function listChanges(
  client: Client,
  players: readonly RebuiltPlayer[],
  { afterMs, atMs }: Span,
): Promise<TransactionChange[]> {
  const { rows } = await client.query<TransactionChange>(
    `select player_id as "playerId", game_id as "gameId", transaction_id as "transactionId", kind, at as "atMs",
       share::text as share, refunded_at as "refundedAtMs", recorded_at as "recordedAtMs"
     from transaction_changes
     where player_id = any($1::bigint[]) and recorded_at <= $2 and recorded_at > coalesce($3, '-infinity'::timestamptz)`,
    [
      players.map(({ playerId }) => playerId),
      new Date(atMs),
      afterMs === undefined ? null : new Date(afterMs),
    ],
  );
  return rows;
}

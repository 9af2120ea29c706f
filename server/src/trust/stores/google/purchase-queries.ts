import { IS_HELD } from '../../../core/events/apply/claim-queries.js';
import { type Pool, query } from '../../../platform/db/pool.js';

/** A stored purchase that Google has to be asked about; see `google_purchases` in the schema. */
export type WaitingPurchase = Readonly<{
  gameId: number;
  transactionId: string;
  purchaseToken: string;
  productId: string;
  storedAt: number;
}>;

/** Games with an account that may be asked now, and a purchase that is due. */
export async function listGamesToConfirm(pool: Pool, nowMs: number): Promise<number[]> {
  const rows = await query<{ gameId: number }>(
    pool,
    {
      name: 'list_games_to_confirm',
      text: `select a.game_id as "gameId"
             from google_accounts a
             join lateral (
               select from google_purchases p where p.game_id = a.game_id and p.due_at <= $1 order by p.due_at limit 1
             ) p on true
             where a.retry_at <= $1
             order by a.game_id`,
    },
    [new Date(nowMs)],
  );
  return rows.map(({ gameId }) => gameId);
}

export function listDuePurchases(
  pool: Pool,
  gameId: number,
  nowMs: number,
  limit: number,
): Promise<WaitingPurchase[]> {
  return query<WaitingPurchase>(
    pool,
    {
      name: 'list_due_google_purchases',
      text: `select game_id as "gameId", transaction_id as "transactionId", purchase_token as "purchaseToken",
               product_id as "productId", stored_at as "storedAt"
             from google_purchases
             where game_id = $1 and due_at <= $2
             order by due_at
             limit $3`,
    },
    [gameId, new Date(nowMs), limit],
  );
}

type PurchaseKey = Pick<WaitingPurchase, 'gameId' | 'transactionId'>;

/** The game is a subquery, as otherwise PostgreSQL would read all of a game that its statistics do not know. */
const IS_PURCHASE = 'game_id = (select $1::int) and transaction_id = $2';

export async function postponePurchase(
  pool: Pool,
  { gameId, transactionId }: PurchaseKey,
  dueMs: number,
): Promise<void> {
  await query(
    pool,
    {
      name: 'postpone_google_purchase',
      text: `update google_purchases set due_at = $3 where ${IS_PURCHASE}`,
    },
    [gameId, transactionId, new Date(dueMs)],
  );
}

export async function deletePurchase(pool: Pool, { gameId, transactionId }: PurchaseKey): Promise<void> {
  await query(
    pool,
    {
      name: 'delete_google_purchase',
      text: `delete from google_purchases where ${IS_PURCHASE}`,
    },
    [gameId, transactionId],
  );
}

/** Whether the player who proved a purchase is a tester of the game. */
export async function isOfTester(
  pool: Pool,
  { gameId, transactionId }: PurchaseKey,
  testers: readonly string[],
): Promise<boolean> {
  const rows = await query(
    pool,
    {
      name: 'find_tester_of_purchase',
      text: `select from (select * from transactions t where t.transaction_id = $2 and ${IS_HELD} offset 0) t
             join lateral (select from players p where p.id = t.player_id and p.user_id = any($3::uuid[]) offset 0) p on true
             where t.game_id = $1
             limit 1`,
    },
    [gameId, transactionId, testers],
  );
  return rows.length > 0;
}

import type { TransactionChange } from '../../core/events/apply/transaction-changes.js';
import type { DedicatedConnection } from '../../platform/db/dedicated-connection.js';
import type { Span } from '../../studio/jobs/export-span.js';
import type { ChangeKey } from './export-queries.js';

const TRANSACTIONS_PER_PAGE = 2_000;
/** Before every transaction. */
const FIRST_CHANGE: ChangeKey = { transactionId: '', playerId: '0' };

/** What became of a transaction without an event of its player: a refund that a store reported, or another player's proof. */
export type ExportedChange = Omit<TransactionChange, 'playerId' | 'gameId'> & { userId: string };

export type ChangePage = { changes: ExportedChange[]; lastKey: ChangeKey };

/** Changes whose own time lies in the span, by transaction. Every page is a statement of its own. */
export async function* changePages(
  connection: DedicatedConnection,
  gameId: number,
  span: Span,
  after: ChangeKey = FIRST_CHANGE,
): AsyncGenerator<ChangePage> {
  let key = after;
  for (;;) {
    const page = await listChangesAfter(connection, gameId, span, key);
    if (page === undefined) return;
    yield page;
    key = page.lastKey;
  }
}

/** Of a transaction without a change in the span all but its key is null. */
type ChangeRow = ChangeKey & (ExportedChange | { userId: null });

/** There is no index of changes by game. Every change has a row of its transaction, and those have one. */
async function listChangesAfter(
  connection: DedicatedConnection,
  gameId: number,
  { from, to }: Span,
  after: ChangeKey,
): Promise<ChangePage | undefined> {
  const { rows } = await connection.query<ChangeRow>(
    `select t.transaction_id as "transactionId", t.player_id as "playerId", c.*
     from (
       select transaction_id, player_id from transactions
       where game_id = $1 and (transaction_id, player_id) > ($2, $3::bigint)
       order by transaction_id, player_id
       limit $6
     ) t
     left join lateral (
       select p.user_id as "userId", c.kind, c.at as "atMs", c.share::text as share, c.refunded_at as "refundedAtMs",
         c.recorded_at as "recordedAtMs"
       from transaction_changes c
       -- an erased player is not there any more, though some changes may be
       cross join lateral (select user_id from players p where p.id = c.player_id offset 0) p
       where c.player_id = t.player_id and c.transaction_id = t.transaction_id
         and c.at >= $4::timestamptz and c.at < $5::timestamptz
       offset 0
     ) c on true
     order by t.transaction_id, t.player_id`,
    [gameId, after.transactionId, after.playerId, from, to, TRANSACTIONS_PER_PAGE],
  );
  const last = rows.at(-1);
  if (last === undefined) return undefined;
  const { transactionId, playerId } = last;
  return { changes: rows.filter(isChange), lastKey: { transactionId, playerId } };
}

function isChange(row: ChangeRow): row is ChangeKey & ExportedChange {
  return row.userId !== null;
}

import { type Call, type Client, query } from '../../../platform/db/pool.js';

/** What happened to a transaction of a player without an event of the player's; see `transaction_changes` in the schema. */
export type TransactionChange = Readonly<{
  playerId: string;
  gameId: number;
  transactionId: string;
  kind: 'notice' | 'moved';
  /** When the store signed it, or when the other player's proof was received. */
  atMs: number;
  /** Of a notice: how much was given back, as a decimal text from 0 to 1. */
  share: string | null;
  refundedAtMs: number | null;
  recordedAtMs: number;
}>;

/** A change that is known already stays as it is. */
export function insertChanges(changes: readonly TransactionChange[]): Call {
  return { statement: INSERT_CHANGES, values: [JSON.stringify(changes)] };
}

const INSERT_CHANGES = {
  name: 'insert_transaction_changes',
  text: `insert into transaction_changes (player_id, game_id, transaction_id, kind, at, share, refunded_at, recorded_at)
         select "playerId", "gameId", "transactionId", kind, to_timestamp("atMs" / 1000.0), share,
           to_timestamp("refundedAtMs" / 1000.0), to_timestamp("recordedAtMs" / 1000.0)
         from jsonb_to_recordset($1::jsonb) as c("playerId" bigint, "gameId" integer, "transactionId" text, kind text,
           "atMs" float8, share numeric, "refundedAtMs" float8, "recordedAtMs" float8)
         on conflict do nothing`,
};

/** Of each change, whether it is known, or stands before in the list. The players must be locked. */
export async function findChanges(client: Client, changes: readonly TransactionChange[]): Promise<boolean[]> {
  const rows = await query<{ isKnown: boolean }>(client, FIND_CHANGES, [
    changes.map(({ playerId }) => playerId),
    changes.map(({ transactionId }) => transactionId),
    changes.map(({ kind }) => kind),
    changes.map(({ atMs }) => new Date(atMs)),
  ]);
  return rows.map(({ isKnown }) => isKnown);
}

const FIND_CHANGES = {
  name: 'find_transaction_changes',
  text: `select row_number() over (partition by player_id, transaction_id, kind, at order by place) > 1 or exists (
           select from transaction_changes c
           where c.player_id = w.player_id and c.transaction_id = w.transaction_id and c.kind = w.kind and c.at = w.at
           offset 0
         ) as "isKnown"
         from unnest($1::bigint[], $2::text[], $3::text[], $4::timestamptz[])
           with ordinality as w(player_id, transaction_id, kind, at, place)
         order by w.place`,
};

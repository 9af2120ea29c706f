import type { DedicatedConnection } from '../../platform/db/dedicated-connection.js';
import type { Client } from '../../platform/db/pool.js';
import type { Span } from '../../studio/jobs/export-span.js';
import { type ExportKey, LAST_BLOCK, type Row, SALE_COLUMN } from './export-queries.js';

/**
 * A window of receipt: in it, blocks hold events that were received at different times. See `event_block_days.window_starts` in
 * the schema.
 */
export type ReceiptWindow = {
  start: string;
  end: string;
  hasBegun: boolean;
  /** Nothing more is received in it. */
  isOver: boolean;
};

/** Until the transaction ends, no day is replaced by one with other windows. */
export async function holdWindows(connection: DedicatedConnection | Client): Promise<void> {
  await connection.query('lock table only event_blocks in access share mode');
}

/** The first window that ends after an instant, and whether that instant lies in it. */
export async function findWindowAfter(
  connection: DedicatedConnection,
  receivedAt: string,
): Promise<ReceiptWindow | undefined> {
  const { rows } = await connection.query<ReceiptWindow>(
    `select to_char(starts_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as start,
       to_char(ends_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as end,
       starts_at <= $1::timestamptz as "hasBegun", ends_at < now() as "isOver"
     from event_block_days d
     cross join lateral (
       select starts_at, coalesce(lead(starts_at) over (order by starts_at), (d.day + 1)::timestamp at time zone 'UTC') as ends_at
       from unnest(d.window_starts) starts_at
     ) w
     where d.day >= ($1::timestamptz at time zone 'UTC')::date and ends_at > $1::timestamptz
     order by starts_at
     limit 1`,
    [receivedAt],
  );
  return rows[0];
}

/**
 * Opens a cursor on the events of a window behind a key, in the order of their receipt. PostgreSQL sorts them, on disk if need be,
 * and keeps them until the cursor is closed, also when the transaction is over.
 */
export async function openWindow(
  connection: DedicatedConnection,
  gameId: number,
  { from, to }: Span,
  { start, end }: ReceiptWindow,
  after: ExportKey,
): Promise<void> {
  await connection.query(
    `declare exported_window no scroll cursor with hold for
     select to_char(own_receipt at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), '${LAST_BLOCK}',
       (select user_id from players p where p.id = e.player_id), event_id, event_type, timestamp_text,
       floor(extract(epoch from occurred_at) * 1000), floor(extract(epoch from own_receipt) * 1000),
       clock_suspect, payload::text, metadata::text, install_id, seq, ordinal, sale
     from (
       select e.*, b.player_id, b.install_id, b.id, coalesce(e.received_at, b.received_at) as own_receipt,
         ${SALE_COLUMN} as sale
       from event_blocks b
       cross join lateral event_rows(b.events) e
       where b.game_id = $1 and b.received_at >= $2 and b.received_at < $3
         and b.last_at >= $4::timestamptz - interval '1 millisecond' and b.first_at < $5::timestamptz
         and e.occurred_at >= $4 and e.occurred_at < $5
     ) e
     where (own_receipt, ${LAST_BLOCK}) > ($6::timestamptz, $7::bigint)
     order by own_receipt, player_id, install_id, id, place`,
    [gameId, start, end, from, to, after.receivedAt, after.blockId],
  );
}

/** The next events of the window; none at its end. */
export async function fetchWindow(connection: DedicatedConnection, maxEvents: number): Promise<Row[]> {
  const { rows } = await connection.query<Row>({
    rowMode: 'array',
    text: `fetch ${maxEvents} from exported_window`,
  });
  return rows;
}

export async function closeWindow(connection: DedicatedConnection): Promise<void> {
  await connection.query('close exported_window');
}

import type { DedicatedConnection } from '../../platform/db/dedicated-connection.js';
import type { Pool } from '../../platform/db/pool.js';
import { MAX_ROW_ID } from '../../platform/lib/row-id.js';
import type { Span } from '../../studio/jobs/export-span.js';

/**
 * How far an export has come: everything received before this instant is written, and of the instant itself the blocks up to this
 * one. Blocks of a day are made into larger ones later, but times of receipt stay. `change`: all events are written, and of the changes
 * of transactions those up to this one.
 */
export type ExportKey = { receivedAt: string; blockId: string; change?: ChangeKey };

/** A transaction of a player. */
export type ChangeKey = { transactionId: string; playerId: string };

export type ExportedEvent = {
  userId: string;
  eventId: string | null;
  eventType: string;
  /** As it was sent. */
  timestamp: string;
  receivedAt: string;
  clockSuspect: boolean;
  /** The installation that sent the event, and the number that it gave to the event. */
  installId: string | null;
  seq: string | null;
  /** Which of the identical events of its batch it is: 0 for nearly all. */
  ordinal: number;
  /** What a purchase was decided to count as, as JSON text; null where it counts as its payload says. */
  sale: string | null;
  /** Both are JSON text. */
  payload: string;
  metadata: string;
};

/** Without a key the export is complete. */
export type ExportPage = { events: ExportedEvent[]; lastKey: ExportKey | undefined };

/** In the place of a block of an instant: none of it, and all of it. */
export const NO_BLOCK = '0';
export const LAST_BLOCK = MAX_ROW_ID;

/** Before every block. */
export const FIRST_KEY: ExportKey = { receivedAt: '-infinity', blockId: NO_BLOCK };

/** Of a block without an event in the span all but the first three are null. */
export type Row = [
  receivedAt: string,
  blockId: string,
  userId: string,
  eventId: string | null,
  eventType: string,
  timestampText: string | null,
  occurredMs: string,
  receivedMs: string,
  clockSuspect: boolean,
  payload: string,
  metadata: string,
  installId: string | null,
  seq: string | null,
  ordinal: number,
  sale: string | null,
];

/** Of `event_blocks b` and `event_rows(b.events) e`: what a purchase was decided to count as. */
export const SALE_COLUMN = `case when e.event_type in ('Purchase', 'Refund') then (b.events -> (e.place - 1)::int -> 6 -> 'sale')::text end`;

/**
 * The events of the next blocks behind a key, and received before `receivedBefore`, whose own time lies in the span: about
 * `maxEvents`, and whole blocks. Every page is a statement of its own: nothing is held open while it is written. A block
 * without an event in the span is skipped without being unpacked.
 */
export async function listEventsAfter(
  connection: DedicatedConnection,
  gameId: number,
  { from, to }: Span,
  after: ExportKey,
  receivedBefore: string,
  maxEvents: number,
): Promise<ExportPage> {
  const { rows } = await connection.query<Row>({
    rowMode: 'array',
    // The subquery looks up each player; for a join PostgreSQL may read all players for every page.
    text: `select to_char(b.received_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), b.id,
             (select user_id from players p where p.id = b.player_id), e.event_id, e.event_type, e.timestamp_text,
             floor(extract(epoch from e.occurred_at) * 1000), floor(extract(epoch from coalesce(e.received_at, b.received_at)) * 1000),
             e.clock_suspect, e.payload::text, e.metadata::text, b.install_id, e.seq, e.ordinal,
             ${SALE_COLUMN}
           from (
             select *, sum(event_count) over (order by received_at, id) - event_count as events_before
             from (
               select * from event_blocks
               where game_id = $1 and (received_at, id) > ($2::timestamptz, $3::bigint) and received_at < $7::timestamptz
                 and last_at >= $4::timestamptz - interval '1 millisecond' and first_at < $5::timestamptz
               order by received_at, id
               limit $6
             ) next_blocks
           ) b
           left join lateral (
             select * from event_rows(b.events) e where e.occurred_at >= $4 and e.occurred_at < $5
           ) e on true
           where b.events_before < $6
           order by b.received_at, b.player_id, b.install_id, b.id, e.place`,
    values: [gameId, after.receivedAt, after.blockId, from, to, maxEvents, receivedBefore],
  });
  const { whole } = splitLastInstant(rows);
  if (whole.length > 0) return toPage(whole);
  const page = toPage(rows);
  return { ...page, lastKey: page.lastKey && { ...page.lastKey, blockId: highestBlock(rows) } };
}

/** Within an instant events are written by player, but read by block. */
function highestBlock(rows: readonly Row[]): string {
  return rows.reduce((highest, [, id]) => (BigInt(id) > highest ? BigInt(id) : highest), 0n).toString();
}

/** Rows of instants that are complete, and those of the last instant, of which more may follow. */
export function splitLastInstant(rows: readonly Row[]): { whole: Row[]; last: Row[] } {
  const lastInstant = rows.at(-1)?.[0];
  const end = rows.findIndex(([receivedAt]) => receivedAt === lastInstant);
  return { whole: rows.slice(0, Math.max(end, 0)), last: rows.slice(Math.max(end, 0)) };
}

/** Rows of complete instants. */
export function toPage(rows: readonly Row[]): ExportPage {
  const last = rows.at(-1);
  return {
    // A block may touch the span without having an event in it.
    events: rows.filter((row) => row[4] !== null).map(toEvent),
    lastKey: last && { receivedAt: last[0], blockId: LAST_BLOCK },
  };
}

function toEvent(row: Row): ExportedEvent {
  const [
    ,
    ,
    userId,
    eventId,
    eventType,
    timestampText,
    occurredMs,
    receivedMs,
    clockSuspect,
    payload,
    metadata,
    installId,
    seq,
    ordinal,
    sale,
  ] = row;
  return {
    userId,
    eventId,
    eventType,
    // Without a text of its own it was in the normal form.
    timestamp: timestampText ?? new Date(Number(occurredMs)).toISOString(),
    receivedAt: new Date(Number(receivedMs)).toISOString(),
    clockSuspect,
    installId,
    seq,
    ordinal,
    sale,
    payload,
    metadata,
  };
}

/** About how many events there are, for a progress bar: the roll-ups know at once. */
export async function estimateEvents(pool: Pool, gameId: number, { from, to }: Span): Promise<number> {
  const { rows } = await pool.query<{ n: number }>(
    `select coalesce(sum(events), 0)::float8 as n from game_days
     where game_id = $1 and day >= $2::timestamptz::date and day <= $3::timestamptz::date`,
    [gameId, from, to],
  );
  return rows[0]?.n ?? 0;
}

import type { TransactionFact } from '../../core/events/intake/event-record.js';
import { type Client, query } from '../../platform/db/pool.js';

/** A span in milliseconds, both ends included. */
export type MsSpan = Readonly<{ fromMs: number; toMs: number }>;

/** A block without its events. Its times of receipt are those of its first and last event. */
export type StoredHead = {
  id: string;
  receivedMs: number;
  lastReceivedMs: number;
  /** The smallest own time of its events, also if the clock of that event is suspect; the time of receipt if that is smaller. */
  ownMs: number;
  count: number;
  /** The end of the window of receipt in which it was compacted: see `event_block_days` in the schema. */
  windowEndMs: number | null;
};

/**
 * The blocks of a player that were received in a span, newest first, except those with nothing from before the end of `toMs`. With
 * both ends PostgreSQL opens only the days in between. Only compacted blocks are unpacked, for the receipt of their last event.
 */
export async function listBlockHeads(
  client: Client,
  playerId: string,
  received: MsSpan,
  toMs: number,
  limit: number,
): Promise<StoredHead[]> {
  return query<StoredHead>(
    client,
    {
      name: 'list_block_heads',
      text: `select b.id, b.received_ms as "receivedMs", floor(extract(epoch from b.own_at) * 1000)::float8 as "ownMs", b.event_count as count,
               floor(extract(epoch from w.ends_at) * 1000)::float8 as "windowEndMs",
               case when w.ends_at is null then b.received_ms
                 else coalesce((b.events -> -1 -> 6 -> 'received')::float8, b.received_ms)
               end as "lastReceivedMs"
             from (
               select id, received_at, floor(extract(epoch from received_at) * 1000)::float8 as received_ms,
                 least(first_at, received_at) as own_at, event_count, events
               from event_blocks
               where player_id = $1 and received_at >= $2 and received_at < $3 and least(first_at, received_at) < $4
               order by received_at desc
               limit $5
             ) b
             left join lateral (
               select coalesce(window_starts[n + 1], (day + 1)::timestamp at time zone 'UTC') as ends_at
               from event_block_days
               cross join lateral width_bucket(b.received_at, window_starts) n
               where day = (b.received_at at time zone 'UTC')::date and window_starts[n] is not null
               offset 0
             ) w on true
             order by b.received_at desc`,
    },
    [playerId, new Date(received.fromMs), endOf(received.toMs), endOf(toMs), limit],
  );
}

/** An event of a block. */
export type ScannedEvent = {
  /** When it counts: its own time, or its receipt if that is earlier or its clock is suspect. */
  effectiveMs: number;
  receivedMs: number;
  eventType: string;
  /** As it was sent, where that was not in the normal form. */
  timestampText: string | null;
  occurredMs: number;
  clockSuspect: boolean;
  eventId: string | null;
  sequence: number | null;
  installId: string | null;
  payload: Record<string, unknown>;
  metadata: Record<string, unknown>;
  /** Whether a purchase or refund was decided to count as `sale`, which is null for nothing; else it counts as its payload says. */
  isDecided: boolean;
  sale: TransactionFact | null;
};

/** Which types of events are wanted: those in `only`, or all if it is null, but those in `except`. */
export type TypeFilter = Readonly<{ only: readonly string[] | null; except: readonly string[] }>;

/** Which blocks to unpack, and which of their events to take: those whose time lies in the span. */
export type BlockRun = Readonly<{
  span: MsSpan;
  /** When the blocks were received. */
  received: MsSpan;
  blockIds: readonly string[];
  /** How many events are unpacked. */
  count: number;
}>;

/**
 * The newest events of a run. Events of one millisecond are in an order that compaction keeps, so that the next page can
 * continue among them.
 */
export async function listRunEvents(
  client: Client,
  playerId: string,
  { span, received, blockIds }: BlockRun,
  { only, except }: TypeFilter,
  limit: number,
): Promise<ScannedEvent[]> {
  return query<ScannedEvent>(
    client,
    {
      name: 'list_run_events',
      text: `select t.effective_ms as "effectiveMs", e.received_ms as "receivedMs", e.event_type as "eventType", e.timestamp_text as "timestampText",
               floor(extract(epoch from e.occurred_at) * 1000)::float8 as "occurredMs",
               e.clock_suspect as "clockSuspect",
               e.event_id as "eventId", e.seq::float8 as sequence, b.install_id as "installId", e.payload, e.metadata,
               coalesce(m.more ? 'sale', false) as "isDecided", m.more -> 'sale' as sale
             from (
               select received_at, id, install_id, events from event_blocks
               where player_id = $1 and received_at >= $2 and received_at < $3 and id = any($4::bigint[])
               offset 0
             ) b
             cross join lateral (
               select r.*, floor(extract(epoch from coalesce(r.received_at, b.received_at)) * 1000)::float8 as received_ms
               from event_rows(b.events) r
             ) e
             cross join lateral (
               select case when e.clock_suspect then e.received_ms
                 else least(floor(extract(epoch from e.occurred_at) * 1000)::float8, e.received_ms)
               end as effective_ms
             ) t
             cross join lateral (
               select case when e.event_type in ('Purchase', 'Refund') then b.events -> (e.place - 1)::int -> 6 end as more
             ) m
             where t.effective_ms >= $5 and t.effective_ms <= $6
               and ($7::text[] is null or e.event_type = any($7)) and e.event_type <> all($8::text[])
             order by t.effective_ms desc, e.received_ms desc, b.install_id desc, b.id desc, e.place desc
             limit $9`,
    },
    [
      playerId,
      new Date(received.fromMs),
      endOf(received.toMs),
      blockIds,
      span.fromMs,
      span.toMs,
      only,
      except,
      limit,
    ],
  );
}

/** The first instant after a millisecond, of which there may be parts. */
function endOf(ms: number): Date {
  return new Date(ms + 1);
}

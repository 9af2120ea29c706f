import { type Client, query } from '../../db/pool.js';

/** A span of receipt in milliseconds, both ends included. */
export type MsSpan = Readonly<{ fromMs: number; toMs: number }>;

/** A window of receipt: its blocks hold events that were received at any time in it. See `event_block_days` in the schema. */
export type BlockHead = {
  receivedMs: number;
  count: number;
  windowStartMs: number | null;
  windowEndMs: number | null;
};

/** The newest blocks of a player in a span, without their events. With both ends PostgreSQL opens only the days in between. */
export async function listBlockHeads(
  client: Client,
  playerId: string,
  { fromMs, toMs }: MsSpan,
  limit: number,
): Promise<BlockHead[]> {
  return query<BlockHead>(
    client,
    {
      name: 'list_block_heads',
      text: `select floor(extract(epoch from b.received_at) * 1000)::float8 as "receivedMs", b.event_count as count,
               floor(extract(epoch from w.starts_at) * 1000)::float8 as "windowStartMs",
               floor(extract(epoch from w.ends_at) * 1000)::float8 as "windowEndMs"
             from (
               select received_at, event_count from event_blocks
               where player_id = $1 and received_at >= $2 and received_at < $3
               order by received_at desc
               limit $4
             ) b
             left join lateral (
               select window_starts[n] as starts_at, coalesce(window_starts[n + 1], (day + 1)::timestamp at time zone 'UTC') as ends_at
               from event_block_days
               cross join lateral width_bucket(b.received_at, window_starts) n
               where day = (b.received_at at time zone 'UTC')::date and window_starts is not null
               offset 0
             ) w on true
             order by b.received_at desc`,
    },
    [playerId, new Date(fromMs), endOf(toMs), limit],
  );
}

/** A block in a window of receipt, and when the first and the last of its events were received. */
export type WindowBlock = { id: string; firstMs: number; lastMs: number; count: number };

/**
 * All blocks of a player in a window. Their events are in the order of receipt, so the last one tells how far they reach. A window
 * holds at most what lay on 16,384 pages: 800 blocks if it is all of one player.
 */
export async function listWindowBlocks(
  client: Client,
  playerId: string,
  { fromMs, toMs }: MsSpan,
): Promise<WindowBlock[]> {
  return query<WindowBlock>(
    client,
    {
      name: 'list_window_blocks',
      text: `select id, floor(extract(epoch from received_at) * 1000)::float8 as "firstMs", event_count as count,
               coalesce((events -> -1 -> 6 -> 'received')::float8, floor(extract(epoch from received_at) * 1000)::float8) as "lastMs"
             from event_blocks
             where player_id = $1 and received_at >= $2 and received_at < $3`,
    },
    [playerId, new Date(fromMs), endOf(toMs)],
  );
}

/** An event of a block. */
export type ScannedEvent = {
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
};

/** Which types of events are wanted: those in `only`, or all if it is null, but those in `except`. */
export type TypeFilter = Readonly<{ only: readonly string[] | null; except: readonly string[] }>;

/** Which blocks to unpack, and which of their events to take: those that were received in the span. */
export type BlockRun = Readonly<{
  span: MsSpan;
  /** Where the blocks themselves lie. */
  blocks: MsSpan;
  /** Null: all of them. */
  blockIds: readonly string[] | null;
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
  { span, blocks, blockIds }: BlockRun,
  { only, except }: TypeFilter,
  limit: number,
): Promise<ScannedEvent[]> {
  return query<ScannedEvent>(
    client,
    {
      name: 'list_run_events',
      text: `select e.received_ms as "receivedMs", e.event_type as "eventType", e.timestamp_text as "timestampText",
               floor(extract(epoch from e.occurred_at) * 1000)::float8 as "occurredMs", e.clock_suspect as "clockSuspect",
               e.event_id as "eventId", e.seq::float8 as sequence, b.install_id as "installId", e.payload, e.metadata
             from (
               select received_at, id, install_id, events from event_blocks
               where player_id = $1 and received_at >= $2 and received_at < $3 and ($4::bigint[] is null or id = any($4))
               offset 0
             ) b
             cross join lateral (
               select r.*, floor(extract(epoch from coalesce(r.received_at, b.received_at)) * 1000)::float8 as received_ms
               from event_rows(b.events) r
             ) e
             where e.received_ms >= $5 and e.received_ms <= $6
               and ($7::text[] is null or e.event_type = any($7)) and e.event_type <> all($8::text[])
             order by e.received_ms desc, b.install_id desc, b.id desc, e.place desc
             limit $9`,
    },
    [
      playerId,
      new Date(blocks.fromMs),
      endOf(blocks.toMs),
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

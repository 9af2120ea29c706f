import type { Call } from '../../../platform/db/pool.js';
import { isoTime } from '../../../platform/lib/iso-time.js';
import type { EventRecord } from '../intake/event-record.js';

/** The new events of one player that were received together. */
type Block = {
  playerId: string;
  gameId: number;
  receivedAtMs: number;
  installId: string | null;
  count: number;
  firstAtMs: number;
  lastAtMs: number;
  /** The events as JSON texts. */
  events: string;
};

/** Stores new events, those of a player that were received together as one row. */
export function insertBlocks(records: readonly EventRecord[]): Call {
  return { statement: INSERT_BLOCKS, values: [blocksJson(records)] };
}

const INSERT_BLOCKS = {
  name: 'insert_blocks',
  text: `insert into event_blocks (player_id, received_at, game_id, event_count, first_at, last_at, install_id, events)
         select player, received, game, count, to_timestamp("first" / 1000.0), to_timestamp("last" / 1000.0), install, events
         from jsonb_to_recordset($1::jsonb) as b(
           player bigint, received timestamptz, game integer, count integer, "first" float8, "last" float8, install text,
           events jsonb
         )`,
};

function blocksJson(records: readonly EventRecord[]): string {
  let json = '[';
  for (const block of blocksOf(records)) {
    const { playerId, gameId, receivedAtMs, installId, count, firstAtMs, lastAtMs, events } = block;
    const install = installId === null ? '' : `,"install":${JSON.stringify(installId)}`;
    json += `${json.length === 1 ? '' : ','}{"player":${playerId},"game":${gameId},"received":"${isoTime(receivedAtMs)}","count":${count},"first":${firstAtMs},"last":${lastAtMs}${install},"events":[${events}]}`;
  }
  return `${json}]`;
}

function blocksOf(records: readonly EventRecord[]): Iterable<Block> {
  const blocks = new Map<string, Block>();
  for (const record of records) {
    const { playerId, gameId, receivedAtMs, installId, occurredAtMs } = record;
    const key = `${playerId} ${receivedAtMs} ${installId}`;
    let block = blocks.get(key);
    if (block === undefined) {
      const none = { count: 0, firstAtMs: occurredAtMs, lastAtMs: occurredAtMs, events: '' };
      block = { playerId, gameId, receivedAtMs, installId, ...none };
      blocks.set(key, block);
    }
    block.events += block.count === 0 ? eventJson(record) : `,${eventJson(record)}`;
    block.count++;
    if (occurredAtMs < block.firstAtMs) block.firstAtMs = occurredAtMs;
    if (occurredAtMs > block.lastAtMs) block.lastAtMs = occurredAtMs;
  }
  return blocks.values();
}

/**
 * `[type, time, payload, metadata, seq, eventId, more]`, without what is null at the end; see `event_blocks` in the schema.
 * Payload and metadata are JSON text already and are spliced in as they are.
 */
function eventJson(record: EventRecord): string {
  const { sequence, eventId, timestampText, clockSuspect, ordinal, sale } = record;
  const json = `[${JSON.stringify(record.eventType)},"${record.occurredAt}",${record.payloadJson},${record.metadataJson}`;
  if (timestampText !== null || clockSuspect || ordinal !== 0 || sale !== undefined) {
    const more = {
      ...(timestampText === null ? {} : { text: timestampText }),
      ...(clockSuspect ? { suspect: true } : {}),
      ...(ordinal === 0 ? {} : { ordinal }),
      ...(sale === undefined ? {} : { sale }),
    };
    return `${json},${sequence},${JSON.stringify(eventId)},${JSON.stringify(more)}]`;
  }
  if (eventId !== null) return `${json},${sequence},${JSON.stringify(eventId)}]`;
  return sequence === null ? `${json}]` : `${json},${sequence}]`;
}

import type { CountedEvent, TransactionFact } from '../../core/events/intake/event-record.js';
import type { Client } from '../../platform/db/pool.js';
import { canonicalJson } from '../../platform/lib/canonical-json.js';
import { eventIdentity, namedIdentity, numberedIdentity } from '../../platform/lib/event-identity.js';
import { parseEventTimestamp } from '../../platform/lib/iso-time.js';
import { readAhead } from '../../platform/lib/read-ahead.js';
import type { RebuiltPlayer, Span } from './rebuilt-player.js';
import { countedEvent, type StoredEvent } from './stored-event.js';

/** An event as it was folded, with what own attributes are computed from. */
export type RebuiltEvent = CountedEvent & Pick<StoredEvent, 'payload' | 'metadata'>;

type BlockRow = { playerId: string; receivedAtMs: number; installId: string | null; eventsJson: string };

/** See `event_blocks.events` in the schema of the database. */
type StoredTuple = [
  eventType: string,
  occurredAt: string,
  payload: Record<string, unknown>,
  metadata: Record<string, unknown>,
  sequence?: number | null,
  eventId?: string | null,
  more?: {
    text?: string;
    suspect?: boolean;
    ordinal?: number;
    received?: number;
    sale?: TransactionFact | null;
  },
];

/** A block is at most as large as a request. Most blocks of closed days hold a few hundred events. */
const FETCH_FEW = 'fetch 50 from stored_blocks';
/** For small blocks. If large blocks follow, two hundred of the largest have 200 MB. */
const FETCH_MANY = 'fetch 200 from stored_blocks';
/** Characters of JSON: a few dozen events. */
const SMALL_BLOCK = 8_192;
/** Each fold has a fixed cost of about ten milliseconds. */
const EVENTS_AT_ONCE = 5_000;

/**
 * Opens a cursor on the blocks of players that were received in a span, in any order: the fold gives the same rows in each. The cursor
 * keeps reading the real table after a temporary table has taken its name, and keeps all but the next few blocks out of memory.
 */
export async function openStoredBlocks(
  client: Client,
  players: readonly RebuiltPlayer[],
  { afterMs, atMs }: Span,
): Promise<void> {
  await client.query(
    `declare stored_blocks no scroll cursor for
     select player_id as "playerId", floor(extract(epoch from received_at) * 1000)::float8 as "receivedAtMs",
       install_id as "installId", events::text as "eventsJson"
     from event_blocks
     where player_id = any($1::bigint[]) and received_at <= $2 and received_at > coalesce($3, '-infinity'::timestamptz)`,
    [
      players.map(({ playerId }) => playerId),
      new Date(atMs),
      afterMs === undefined ? null : new Date(afterMs),
    ],
  );
}

/**
 * The events of the blocks, a few thousand at a time. PostgreSQL reads the next blocks while events are folded. A larger block also holds
 * events that were received up to a day after it: those after the instant are put into `later`.
 */
export async function* readStoredBlocks(
  client: Client,
  players: readonly RebuiltPlayer[],
  { atMs }: Span,
  later?: RebuiltEvent[],
): AsyncGenerator<RebuiltEvent[]> {
  const playerOf = new Map(players.map((player) => [player.playerId, player]));
  let events: RebuiltEvent[] = [];
  for await (const rows of readAhead(fetchBlocks(client))) {
    for (const row of rows) {
      const player = playerOf.get(row.playerId);
      if (player === undefined) continue;
      for (const event of eventsOf(row, player)) {
        if (event.receivedAtMs <= atMs) events.push(event);
        else later?.push(event);
      }
    }
    if (events.length < EVENTS_AT_ONCE) continue;
    yield events;
    events = [];
  }
  if (events.length > 0) yield events;
}

async function* fetchBlocks(client: Client): AsyncGenerator<BlockRow[]> {
  for (let fetch = FETCH_FEW; ; ) {
    const { rows } = await client.query<BlockRow>(fetch);
    if (rows.length === 0) return;
    yield rows;
    const areSmall = rows.every(({ eventsJson }) => eventsJson.length < SMALL_BLOCK);
    fetch = areSmall ? FETCH_MANY : FETCH_FEW;
  }
}

function eventsOf({ receivedAtMs, installId, eventsJson }: BlockRow, player: RebuiltPlayer): RebuiltEvent[] {
  const tuples = JSON.parse(eventsJson) as StoredTuple[];
  return tuples.map((tuple) => {
    const [eventType, occurredAt, payload, metadata, , , more] = tuple;
    const occurredAtMs = Date.parse(occurredAt);
    const counted = countedEvent(
      {
        identity: eventType === 'Purchase' ? identityOf(tuple, player.userId, installId) : null,
        eventType,
        occurredAt,
        // Only a time before year 1 cannot be parsed. Its clock is suspect, so the time of receipt counts.
        occurredAtMs: Number.isNaN(occurredAtMs) ? 0 : occurredAtMs,
        receivedAtMs: more?.received ?? receivedAtMs,
        clockSuspect: more?.suspect ?? false,
        payload,
        metadata,
        sale: more?.sale,
      },
      player,
    );
    return Object.assign(counted, { payload, metadata });
  });
}

/** Only purchases need their identity. It is the one that `check-events.ts` computes. */
function identityOf(
  [eventType, occurredAt, payload, metadata, sequence, eventId, more]: StoredTuple,
  userId: string,
  installId: string | null,
): string {
  if (typeof sequence === 'number' && installId !== null)
    return numberedIdentity(userId, installId, sequence);
  if (typeof eventId === 'string') return namedIdentity(userId, eventId);
  const time = parseEventTimestamp(more?.text ?? occurredAt);
  return eventIdentity({
    playerId: userId,
    eventType,
    epochMs: time?.epochMs ?? 0,
    nanos: time?.nanos ?? 0,
    payloadJson: canonicalJson(payload),
    metadataJson: canonicalJson(metadata),
    ordinal: more?.ordinal ?? 0,
  });
}

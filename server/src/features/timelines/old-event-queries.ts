import { isStatementTimeout } from '../../db/own-connection.js';
import { type Client, query } from '../../db/pool.js';
import { ON_ACTIVE_DAYS } from '../explanations/old-stored-events.js';
import type { ScannedEvent } from './block-queries.js';
import type { EventScan } from './scan-events.js';

/** A page must not take longer. Events that are not found by then are shown once they have been moved into blocks. */
const TIMEOUT = '1s';

/**
 * The newest events of a player in the former layout, as far as they can be found in a second: that layout keeps events by
 * their time, so each day on which the player was active has to be searched as a whole. These are the last statements of a
 * transaction.
 */
export async function scanOldEvents(
  client: Client,
  { playerId, toMs, types, wanted }: EventScan,
): Promise<ScannedEvent[]> {
  await client.query('savepoint before_old_events');
  await client.query(`set local statement_timeout = '${TIMEOUT}'`);
  try {
    return await query<ScannedEvent>(client, LIST_OLD_TIMELINE_EVENTS, [
      playerId,
      new Date(toMs + 1),
      types.only,
      types.except,
      wanted,
    ]);
  } catch (error) {
    if (!isStatementTimeout(error)) throw error;
    await client.query('rollback to savepoint before_old_events');
    return [];
  }
}

const LIST_OLD_TIMELINE_EVENTS = {
  name: 'list_old_timeline_events',
  text: `select floor(extract(epoch from e.received_at) * 1000)::float8 as "receivedMs", e.event_type as "eventType",
           e.timestamp_text as "timestampText", floor(extract(epoch from e.occurred_at) * 1000)::float8 as "occurredMs",
           e.clock_suspect as "clockSuspect", e.event_id as "eventId", null::float8 as sequence, null::text as "installId",
           e.payload, e.metadata
         ${ON_ACTIVE_DAYS} and e.received_at < $2
           and ($3::text[] is null or e.event_type = any($3)) and e.event_type <> all($4::text[])
         order by e.received_at desc, e.occurred_at desc, e.identity
         limit $5`,
};

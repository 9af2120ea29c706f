import type { OwnConnection } from '../../db/own-connection.js';
import type { Pool } from '../../db/pool.js';
import { momentOfMicros, type Span } from './export-span.js';

/** The place of an event in the order of an export: its time to the microsecond, its player, its identity. */
export type ExportKey = { at: string; playerId: string; identity: string };

export type ExportedEvent = {
  userId: string;
  eventId: string | null;
  eventType: string;
  /** As it was sent. */
  timestamp: string;
  receivedAt: string;
  clockSuspect: boolean;
  /** Both are JSON text. */
  payload: string;
  metadata: string;
};

export type ExportPage = { events: ExportedEvent[]; lastKey: ExportKey | undefined };

/** Before every event at or after that moment: players are numbered from 1. */
export function keyBefore(at: string): ExportKey {
  return { at, playerId: '0', identity: '00000000-0000-0000-0000-000000000000' };
}

type Row = [
  micros: string,
  playerId: string,
  identity: string,
  userId: string,
  eventId: string | null,
  eventType: string,
  timestampText: string | null,
  receivedMs: string,
  clockSuspect: boolean,
  payload: string,
  metadata: string,
];

/** The next events behind a key. Every page is a statement of its own: nothing is held open while it is written. */
export async function listEventsAfter(
  connection: OwnConnection,
  gameId: number,
  span: Span,
  after: ExportKey,
  limit: number,
): Promise<ExportPage> {
  const { rows } = await connection.query<Row>({
    rowMode: 'array',
    // The subquery makes a look-up of each player; for a join PostgreSQL may read all players for every page.
    text: `select (extract(epoch from occurred_at) * 1000000)::bigint, player_id, identity,
             (select user_id from players p where p.id = e.player_id), event_id, event_type, timestamp_text,
             (extract(epoch from received_at) * 1000)::bigint, clock_suspect, payload::text, metadata::text
           from events e
           where game_id = $1 and occurred_at >= $2 and occurred_at < $3
             and (occurred_at, player_id, identity) > ($2::timestamptz, $4::bigint, $5::uuid)
           order by occurred_at, player_id, identity
           limit $6`,
    values: [gameId, after.at, span.to, after.playerId, after.identity, limit],
  });
  const last = rows.at(-1);
  return {
    events: rows.map(toEvent),
    lastKey: last && { at: momentOfMicros(BigInt(last[0])), playerId: last[1], identity: last[2] },
  };
}

function toEvent(row: Row): ExportedEvent {
  const [micros, , , userId, eventId, eventType, timestampText, receivedMs, clockSuspect, payload, metadata] =
    row;
  return {
    userId,
    eventId,
    eventType,
    // Without a text of its own it was in the normal form, whose microseconds are three zeros.
    timestamp: timestampText ?? new Date(Number(micros.slice(0, -3))).toISOString(),
    receivedAt: new Date(Number(receivedMs)).toISOString(),
    clockSuspect,
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

/** The day before which the game's events have been deleted. */
export async function findDeletedBefore(pool: Pool, gameId: number): Promise<string | null> {
  const { rows } = await pool.query<{ day: string | null }>(
    'select events_deleted_before::text as day from games where id = $1',
    [gameId],
  );
  return rows[0]?.day ?? null;
}

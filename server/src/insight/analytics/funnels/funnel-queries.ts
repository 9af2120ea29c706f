import type { REPORTED_BY_DAY } from '../../../core/events/intake/player-profile.js';
import type { DedicatedConnection } from '../../../platform/db/dedicated-connection.js';

/** What a funnel can be split by: the columns of `player_days` that hold a report. */
export type FunnelDimension = (typeof REPORTED_BY_DAY)[number][0];

/** The next players of a game, in the order of their ids. `active` are those who may have an event in the span. */
export type PlayerChunk = { lastId: string | null; players: number; active: string[] };

/**
 * Players without an active day in the span are left out. `active_days` holds the 180 days before a player's last one, so nobody is
 * left out of a span that begins earlier.
 */
export async function listActivePlayers(
  connection: DedicatedConnection,
  gameId: number,
  afterId: string,
  { from, to }: { from: string; to: string },
  limit: number,
): Promise<PlayerChunk> {
  const { rows } = await connection.query<PlayerChunk>(
    `select max(id) as "lastId", count(*)::int as players,
       coalesce(array_agg(id order by id) filter (
         where first_day <= $4::date
           and (active_days && daterange($3::date, $4::date, '[]') or upper(active_days) - 180 > $3::date)
       ), '{}') as active
     from (
       select id, first_day, active_days from players where game_id = $1 and id > $2::bigint order by id limit $5
     ) next_players`,
    [gameId, afterId, from, to, limit],
  );
  return rows[0] ?? { lastId: null, players: 0, active: [] };
}

export type FunnelEvents = Readonly<{
  playerIds: readonly string[];
  eventTypes: readonly string[];
  /** Half-open, as days or times. */
  from: string;
  until: string;
}>;

/**
 * Opens a cursor on the events of players, each at the time for which it counts, in the order of players and times. PostgreSQL sorts
 * them, on disk if need be. No event counts before it was received, so blocks that were received before the span have nothing for it.
 */
export async function openFunnelEvents(
  connection: DedicatedConnection,
  { playerIds, eventTypes, from, until }: FunnelEvents,
): Promise<void> {
  await connection.query(
    `declare funnel_events no scroll cursor for
     select player_id, event_type, (extract(epoch from at) * 1000000)::float8
     from (
       select b.player_id, e.event_type,
         case when e.clock_suspect or coalesce(e.received_at, b.received_at) < e.occurred_at
           then coalesce(e.received_at, b.received_at) else e.occurred_at end as at
       from event_blocks b
       cross join lateral event_rows(b.events) e
       where b.player_id = any($1::bigint[]) and b.received_at >= $3::timestamptz
         -- an event whose clock is not believed counts at its receipt, which is on the day of the block's
         and (b.last_at >= $3::timestamptz - interval '1 millisecond' and b.first_at < $4::timestamptz
           or b.received_at < $4::timestamptz + interval '1 day')
         and e.event_type = any($2::text[])
       offset 0
     ) e
     where at >= $3::timestamptz and at < $4::timestamptz
     order by player_id, at`,
    [playerIds, eventTypes, from, until],
  );
}

export type FunnelEvent = [playerId: string, eventType: string, atUs: number];

/** The next events; none at the end. */
export async function fetchFunnelEvents(
  connection: DedicatedConnection,
  limit: number,
): Promise<FunnelEvent[]> {
  const { rows } = await connection.query<FunnelEvent>({
    rowMode: 'array',
    text: `fetch ${limit} from funnel_events`,
  });
  return rows;
}

const REPORT = `case $3::text when 'country' then d.country when 'platform' then d.platform when 'build' then d.build end`;

/** What was known of each player at the end of a day: the last report up to it, or an empty text. */
export async function listReportedValues(
  connection: DedicatedConnection,
  dimension: FunnelDimension,
  players: readonly { playerId: string; day: string }[],
): Promise<Map<string, string>> {
  const { rows } = await connection.query<{ playerId: string; value: string }>(
    `select p.id as "playerId", coalesce((
       select ${REPORT} from player_days d
       where d.player_id = p.id and d.day <= p.day and ${REPORT} is not null
       order by d.day desc
       limit 1
     ), '') as value
     from unnest($1::bigint[], $2::date[]) p(id, day)`,
    [players.map(({ playerId }) => playerId), players.map(({ day }) => day), dimension],
  );
  return new Map(rows.map(({ playerId, value }) => [playerId, value]));
}

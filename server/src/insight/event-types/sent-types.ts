import { BUILT_IN_TYPES, isBuiltInType } from '../../core/events/intake/built-in-event-types.js';
import type { Pool } from '../../platform/db/pool.js';
import { DAY_MS, utcDay } from '../../platform/lib/day.js';
import { editDistance } from '../../platform/lib/nearest-name.js';

/** How far back types are looked for. */
export const SENT_DAYS = 28;

/** An event type as the studio sees it: what was sent of it, and whether it has a schema. */
export type SentType = Readonly<{
  eventType: string;
  /** In the last `SENT_DAYS` days, today included. */
  events: number;
  /** The last day of an event, by the event's own time; null if there was none in those days. */
  lastDay: string | null;
  /** Events on each of those days, the oldest first. */
  volumes: readonly number[];
  /** Of its schema; null where there is none, or a retired one. */
  registeredVersion: number | null;
  /** A built-in type has its effects, and is never held, whether it has a schema or not. */
  isBuiltIn: boolean;
  /** A built-in type that this name nearly is: a typo such as `purchase` would make no player a payer. */
  looksLike: string | null;
}>;

export type SentTypePage = Readonly<{
  /** A client may invent any number of types. */
  limit: number;
  /** The last type of the page before. */
  after?: Pick<SentType, 'events' | 'eventType'> | undefined;
}>;

/**
 * The types that were sent lately, most frequent first, then those that are registered and were not sent. Reads the roll-ups, not
 * the events.
 */
export async function listSentTypes(
  pool: Pool,
  gameId: number,
  nowMs: number,
  page: SentTypePage,
): Promise<SentType[]> {
  const days = Array.from({ length: SENT_DAYS }, (_, n) => utcDay(nowMs - (SENT_DAYS - 1 - n) * DAY_MS));
  const found = await sumSentTypes(pool, gameId, days[0] ?? '', page);
  return found.map(({ byDay, ...type }) => ({
    ...type,
    volumes: days.map((day) => byDay[day] ?? 0),
    isBuiltIn: isBuiltInType(type.eventType),
    // A registered type is intended, so it is not reported as a probable mistake.
    looksLike: type.registeredVersion === null ? (nearBuiltInType(type.eventType) ?? null) : null,
  }));
}

type SentCount = Pick<SentType, 'eventType' | 'events' | 'lastDay' | 'registeredVersion'> & {
  byDay: Record<string, number>;
};

async function sumSentTypes(
  pool: Pool,
  gameId: number,
  since: string,
  { limit, after }: SentTypePage,
): Promise<SentCount[]> {
  const { rows } = await pool.query<SentCount>(
    `with sent as (
       select event_type, sum(events)::float8 as events, max(day)::text as last_day,
         jsonb_object_agg(day, events) as by_day
       from (
         select event_type, day, sum(events) as events
         from game_event_types
         where game_id = $1 and day >= $2::date
         group by event_type, day
       ) d
       group by event_type
     ),
     registered as (
       select event_type, version
       from (
         select distinct on (event_type) event_type, version, retired_at
         from event_types
         where game_id = $1
         order by event_type, version desc
       ) newest
       where retired_at is null
     ),
     known as (
       select event_type, coalesce(s.events, 0) as events, s.last_day, coalesce(s.by_day, '{}') as by_day, r.version
       from sent s full join registered r using (event_type)
     )
     select event_type as "eventType", events, last_day as "lastDay", by_day as "byDay", version as "registeredVersion"
     from known
     where $3::float8 is null or (-events, event_type) > (-$3, $4)
     order by events desc, event_type
     limit $5`,
    [gameId, since, after?.events ?? null, after?.eventType ?? null, limit],
  );
  return rows;
}

/** The built-in type that a name differs from in case, separators or a letter or two. */
export function nearBuiltInType(eventType: string): string | undefined {
  if (BUILT_IN_TYPES.has(eventType)) return undefined;
  const letters = lettersOf(eventType);
  return [...BUILT_IN_TYPES].find((type) => {
    const wanted = lettersOf(type);
    // One letter in six: Level_Start is no Level_Fail.
    const limit = Math.max(1, Math.floor(wanted.length / 6)) + 1;
    return Math.abs(wanted.length - letters.length) < limit && editDistance(letters, wanted, limit) < limit;
  });
}

function lettersOf(eventType: string): string {
  return eventType.toLowerCase().replace(/[^a-z0-9]/g, '');
}

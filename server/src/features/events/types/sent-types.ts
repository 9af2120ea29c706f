import type { Pool } from '../../../db/pool.js';
import { DAY_MS, utcDay } from '../../../lib/day.js';
import { editDistance } from '../../../lib/nearest-name.js';
import { BUILT_IN_TYPES, isBuiltInType } from '../built-in-event-types.js';
import { type ListedEventType, listEventTypes } from './event-type-queries.js';

/** How far back types are looked for. */
export const SENT_DAYS = 28;
/** A client may invent any number of types. */
const MAX_TYPES = 1_000;

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

/** The types that were sent lately, most frequent first, and those that are registered. Reads the roll-ups, not the events. */
export async function listSentTypes(pool: Pool, gameId: number, nowMs: number): Promise<SentType[]> {
  const days = Array.from({ length: SENT_DAYS }, (_, n) => utcDay(nowMs - (SENT_DAYS - 1 - n) * DAY_MS));
  const [sent, registered] = await Promise.all([
    sumSentTypes(pool, gameId, days[0] ?? ''),
    listEventTypes(pool, gameId),
  ]);
  const versions = new Map(registered.filter(isActive).map(({ eventType, version }) => [eventType, version]));
  const wereSent = new Set(sent.map(({ eventType }) => eventType));
  const unsent = [...versions.keys()].filter((type) => !wereSent.has(type));
  const unsentTypes = unsent.map((eventType) => ({ eventType, events: 0, lastDay: null, byDay: {} }));
  return [...sent, ...unsentTypes].map(({ byDay, ...type }: SentCount) => {
    const registeredVersion = versions.get(type.eventType) ?? null;
    // A registered type is intended, so it is not reported as a probable mistake.
    const looksLike = registeredVersion === null ? nearBuiltInType(type.eventType) : undefined;
    const volumes = days.map((day) => byDay[day] ?? 0);
    const isBuiltIn = isBuiltInType(type.eventType);
    return { ...type, volumes, registeredVersion, isBuiltIn, looksLike: looksLike ?? null };
  });
}

function isActive({ retiredAt }: ListedEventType): boolean {
  return retiredAt === null;
}

type SentCount = {
  eventType: string;
  events: number;
  lastDay: string | null;
  byDay: Record<string, number>;
};

async function sumSentTypes(pool: Pool, gameId: number, since: string): Promise<SentCount[]> {
  const { rows } = await pool.query<SentCount>(
    `select event_type as "eventType", sum(events)::float8 as events, max(day)::text as "lastDay",
       jsonb_object_agg(day, events) as "byDay"
     from (
       select event_type, day, sum(events) as events
       from game_event_types
       where game_id = $1 and day >= $2::date
       group by event_type, day
     ) d
     group by event_type
     order by sum(events) desc, event_type
     limit $3`,
    [gameId, since, MAX_TYPES],
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

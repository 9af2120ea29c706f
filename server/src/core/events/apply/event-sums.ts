import { DAY_MS } from '../../../platform/lib/day.js';
import { isoTime } from '../../../platform/lib/iso-time.js';
import type { CountedEvent, Profile } from '../intake/event-record.js';
import {
  addReport,
  countingZone,
  earlierSource,
  SOURCE_MEMBER,
  type TimedProfile,
  type TimedValue,
  timesOf,
  ZONE_MEMBER,
} from '../intake/player-profile.js';

/**
 * What new events add to a player and to one of the player's days. One row covers both where all events are of one day, as
 * they nearly always are; otherwise there is one row for the player and one for each day. Members that add nothing are left
 * out: PostgreSQL parses one row for each player of each group.
 */
export type SumRow = {
  playerId: string;
  gameId: number;
  /** The first one, where the row is only about the player. */
  day: string;
  onlyAbout?: 'day' | 'player';
  events: number;
  /** Their type, or the counts of their types and those once more as a list. */
  eventType?: string;
  counts?: Record<string, number>;
  eventTypes?: string[];
  sessions?: number;
  adImpressions?: number;
  storeViews?: number;
  playMs?: number;
  firstAt?: string;
  /** Should it be another than the first. */
  lastAt?: string;
  /** All days, as PostgreSQL writes a set of them, should there be several. */
  severalDays?: string;
  /** Of the player; of the day, where the row is only about the day. */
  profile?: TimedProfile;
  /** The latest time in the profile, and the earliest, should it be another. */
  profileUntil?: string;
  profileSince?: string;
  /** The source of the player's earliest event that has one, and the time of that event. */
  source?: string;
  sourceAt?: string;
  /** The time zone of the player that counts, of those that these events report. */
  zone?: TimedValue;
  /** The own attributes of the player as JSON, and the version of their set, where they change. */
  own?: string;
  ownVersion?: number;
};

/** What they add to a game's day. */
export type TypeSum = { gameId: number; day: string; eventType: string; events: number };

export type EventSums = { playerIds: string[]; rows: SumRow[]; types: TypeSum[] };

type Counts = Map<string, number>;
type DayTally = { events: number; playMs: number; counts: Counts; profile: TimedProfile | null };
type PlayerTally = {
  playerId: string;
  gameId: number;
  first: CountedEvent;
  last: CountedEvent;
  source: TimedValue | null;
  zone: TimedValue | null;
  /** By days since 1970. */
  days: Map<number, DayTally>;
};

/**
 * Adds up new events, each at its effective time. All sums are commutative, so the rows are the same in whatever order and
 * groups the events came.
 */
export function sumEvents(records: readonly CountedEvent[]): EventSums {
  const tallies = new Map<string, PlayerTally>();
  for (const record of records) {
    const { playerId, gameId } = record;
    let tally = tallies.get(playerId);
    if (tally === undefined) {
      tally = { playerId, gameId, first: record, last: record, source: null, zone: null, days: new Map() };
      tallies.set(playerId, tally);
    }
    addEvent(tally, record);
  }
  const players = [...tallies.values()];
  return { playerIds: [...tallies.keys()], rows: players.flatMap(sumRows), types: typeSums(players) };
}

function addEvent(tally: PlayerTally, record: CountedEvent): void {
  if (isBefore(record, tally.first)) tally.first = record;
  if (isBefore(tally.last, record)) tally.last = record;
  const number = dayOf(record);
  let day = tally.days.get(number);
  if (day === undefined) {
    day = { events: 0, playMs: 0, counts: new Map(), profile: null };
    tally.days.set(number, day);
  }
  day.events++;
  day.playMs += record.playMs;
  addCount(day.counts, record.eventType, 1);
  if (record.profile !== null) addReports(tally, day, record.profile, record.effectiveAtMs);
}

function addReports(tally: PlayerTally, day: DayTally, profile: Profile, atMs: number): void {
  for (const name in profile) {
    const value = profile[name] as string;
    if (name === SOURCE_MEMBER) tally.source = earlierSource(tally.source, value, atMs);
    else if (name === ZONE_MEMBER) tally.zone = countingZone(tally.zone, value, atMs);
    else {
      day.profile ??= {};
      addReport(day.profile, name, value, atMs);
    }
  }
}

function addCount(counts: Counts, eventType: string, n: number): void {
  counts.set(eventType, (counts.get(eventType) ?? 0) + n);
}

/** By effective time, to the microsecond. */
function isBefore(a: CountedEvent, b: CountedEvent): boolean {
  if (a.effectiveAtMs !== b.effectiveAtMs) return a.effectiveAtMs < b.effectiveAtMs;
  // Nearly always told apart by now, or of one moment.
  if (a.occurredAt === b.occurredAt && a.receivedAtMs === b.receivedAtMs) return false;
  return micros(effectiveAt(a)) < micros(effectiveAt(b));
}

/** The fraction of a second in PostgreSQL's or the normal text form. */
function micros(time: string): string {
  return (/\.(\d+)/.exec(time)?.[1] ?? '').padEnd(6, '0');
}

function effectiveAt({ effectiveAtMs, receivedAtMs, occurredAt }: CountedEvent): string {
  return effectiveAtMs === receivedAtMs ? isoTime(receivedAtMs) : occurredAt;
}

function sumRows(tally: PlayerTally): SumRow[] {
  const { playerId, gameId, first } = tally;
  const days = [...tally.days].map(([number, day]) => dayRow(tally, number, day));
  const [only] = days;
  if (days.length === 1 && only !== undefined)
    return [Object.assign(only, timesPart(tally), profilePart(only.profile), sourcePart(tally))];

  const counts: Counts = new Map();
  for (const day of tally.days.values()) {
    for (const [eventType, n] of day.counts) addCount(counts, eventType, n);
  }
  const player: SumRow = {
    playerId,
    gameId,
    day: dayText(dayOf(first)),
    onlyAbout: 'player',
    events: days.reduce((sum, { events }) => sum + events, 0),
    severalDays: `{${days.map(({ day }) => `[${day},${day}]`).join(',')}}`,
    ...countsPart(counts),
    ...timesPart(tally),
    ...profilePart(joinedProfile(tally)),
    ...sourcePart(tally),
  };
  return [player, ...days.map((day): SumRow => ({ ...day, onlyAbout: 'day' }))];
}

/** From the first day to the last, because what a later day reported is later. */
function joinedProfile({ days }: PlayerTally): TimedProfile | undefined {
  let joined: TimedProfile | undefined;
  for (const [, { profile }] of [...days].sort(([a], [b]) => a - b)) {
    if (profile !== null) joined = { ...joined, ...profile };
  }
  return joined;
}

function dayRow(
  { playerId, gameId }: PlayerTally,
  number: number,
  { events, playMs, counts, profile }: DayTally,
): SumRow {
  const row: SumRow = { playerId, gameId, day: dayText(number), events, ...countsPart(counts) };
  const sessions = counts.get('Session_Start');
  const adImpressions = counts.get('Ad_Impression');
  const storeViews = counts.get('Store_View');
  if (sessions !== undefined) row.sessions = sessions;
  if (adImpressions !== undefined) row.adImpressions = adImpressions;
  if (storeViews !== undefined) row.storeViews = storeViews;
  if (playMs > 0) row.playMs = playMs;
  if (profile !== null) row.profile = profile;
  return row;
}

function countsPart(counts: Counts): Pick<SumRow, 'eventType' | 'counts' | 'eventTypes'> {
  const types = [...counts.keys()];
  const [only] = types;
  if (types.length === 1 && only !== undefined) return { eventType: only };
  // Not by assignment: a type may be called __proto__.
  return { counts: Object.fromEntries(counts), eventTypes: types };
}

function timesPart({ first, last }: PlayerTally): Pick<SumRow, 'firstAt' | 'lastAt'> {
  const firstAt = effectiveAt(first);
  return last === first ? { firstAt } : { firstAt, lastAt: effectiveAt(last) };
}

function profilePart(profile: TimedProfile | undefined): Partial<SumRow> {
  if (profile === undefined) return {};
  const { since, until } = timesOf(profile);
  const part = { profile, profileUntil: isoTime(until) };
  return since === until ? part : { ...part, profileSince: isoTime(since) };
}

function sourcePart({ source, zone }: PlayerTally): Pick<SumRow, 'source' | 'sourceAt' | 'zone'> {
  return {
    ...(source === null ? {} : { source: source.v, sourceAt: isoTime(source.t) }),
    ...(zone === null ? {} : { zone }),
  };
}

function typeSums(players: readonly PlayerTally[]): TypeSum[] {
  const sums = new Map<string, TypeSum>();
  for (const { gameId, days } of players) {
    for (const [number, { counts }] of days) {
      for (const [eventType, n] of counts) {
        const key = `${gameId} ${number} ${eventType}`;
        const sum = sums.get(key);
        if (sum !== undefined) sum.events += n;
        else sums.set(key, { gameId, day: dayText(number), eventType, events: n });
      }
    }
  }
  return [...sums.values()];
}

/** In days since 1970. */
function dayOf({ effectiveAtMs }: CountedEvent): number {
  return Math.floor(effectiveAtMs / DAY_MS);
}

let lastDay = { number: 0, text: '1970-01-01' };

/** Nearly always today, and formatting a date costs more than adding an event up. */
function dayText(number: number): string {
  if (number !== lastDay.number)
    lastDay = { number, text: new Date(number * DAY_MS).toISOString().slice(0, 10) };
  return lastDay.text;
}

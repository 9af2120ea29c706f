import { DAY_MS } from '../../lib/day.js';
import { isoTime } from '../../lib/iso-time.js';
import type { CountedEvent } from './event-record.js';
import { addProfile, type TimedProfile, timesOf } from './player-profile.js';

/**
 * What new events add to a player and to one of the player's days. One row speaks for both where all events are of one day,
 * as they nearly always are; else there is one for the player and one for each day. Names are short, and what adds nothing
 * is left out: PostgreSQL parses one of these for each player of each group. `FOLD_EVENTS` gives them their full names.
 */
export type SumRow = {
  /** Player and game. */
  p: string;
  g: number;
  /** The day; the first one, where the row is only about the player. */
  d: string;
  /** The row is about this only. */
  x?: 'day' | 'player';
  /** How many events. */
  n: number;
  /** Their type, or the counts of their types and those once more as a list. */
  t?: string;
  c?: Record<string, number>;
  o?: string[];
  /** Sessions, ad impressions, store views, milliseconds of play. */
  s?: number;
  a?: number;
  v?: number;
  m?: number;
  /** The time of the first and of the last event, should it be another. */
  f?: string;
  l?: string;
  /** All days, as PostgreSQL writes a set of them, should there be several. */
  y?: string;
  /** The profile, and the latest and the earliest time in it, should it be another. */
  r?: TimedProfile;
  u?: string;
  w?: string;
};

/** What they add to a game's day: its game, day, type and how many. */
export type TypeSum = { g: number; d: string; t: string; n: number };

export type EventSums = { playerIds: string[]; rows: SumRow[]; types: TypeSum[] };

type Counts = Map<string, number>;
type DayTally = { events: number; playMs: number; counts: Counts };
type PlayerTally = {
  playerId: string;
  gameId: number;
  first: CountedEvent;
  last: CountedEvent;
  profile: TimedProfile | null;
  /** By days since 1970. */
  days: Map<number, DayTally>;
};

/**
 * Adds up what new events say, each at its effective time. All sums are commutative, so the rows come out the same in whatever
 * order and groups the events came.
 */
export function sumEvents(records: readonly CountedEvent[]): EventSums {
  const tallies = new Map<string, PlayerTally>();
  for (const record of records) {
    const { playerId, gameId } = record;
    let tally = tallies.get(playerId);
    if (tally === undefined) {
      tally = { playerId, gameId, first: record, last: record, profile: null, days: new Map() };
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
  if (record.profile !== null) {
    tally.profile ??= {};
    addProfile(tally.profile, record.profile, record.effectiveAtMs);
  }
  const number = dayOf(record);
  let day = tally.days.get(number);
  if (day === undefined) {
    day = { events: 0, playMs: 0, counts: new Map() };
    tally.days.set(number, day);
  }
  day.events++;
  day.playMs += record.playMs;
  addCount(day.counts, record.eventType, 1);
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
  if (days.length === 1 && only !== undefined) return [Object.assign(only, playerPart(tally))];

  const counts: Counts = new Map();
  for (const day of tally.days.values()) {
    for (const [eventType, n] of day.counts) addCount(counts, eventType, n);
  }
  const player: SumRow = {
    p: playerId,
    g: gameId,
    d: dayText(dayOf(first)),
    x: 'player',
    n: days.reduce((sum, { n }) => sum + n, 0),
    y: `{${days.map(({ d }) => `[${d},${d}]`).join(',')}}`,
    ...countsPart(counts),
    ...playerPart(tally),
  };
  return [player, ...days.map((day): SumRow => ({ ...day, x: 'day' }))];
}

function dayRow(
  { playerId, gameId }: PlayerTally,
  number: number,
  { events, playMs, counts }: DayTally,
): SumRow {
  const row: SumRow = { p: playerId, g: gameId, d: dayText(number), n: events, ...countsPart(counts) };
  const sessions = counts.get('Session_Start');
  const adImpressions = counts.get('Ad_Impression');
  const storeViews = counts.get('Store_View');
  if (sessions !== undefined) row.s = sessions;
  if (adImpressions !== undefined) row.a = adImpressions;
  if (storeViews !== undefined) row.v = storeViews;
  if (playMs > 0) row.m = playMs;
  return row;
}

function countsPart(counts: Counts): Pick<SumRow, 't' | 'c' | 'o'> {
  const types = [...counts.keys()];
  const [only] = types;
  if (types.length === 1 && only !== undefined) return { t: only };
  // Not by assignment: a type may be called __proto__.
  return { c: Object.fromEntries(counts), o: types };
}

function playerPart({ first, last, profile }: PlayerTally): Partial<SumRow> {
  const part: Partial<SumRow> = { f: effectiveAt(first) };
  if (last !== first) part.l = effectiveAt(last);
  if (profile !== null) {
    const { since, until } = timesOf(profile);
    part.r = profile;
    part.u = isoTime(until);
    if (since !== until) part.w = isoTime(since);
  }
  return part;
}

function typeSums(players: readonly PlayerTally[]): TypeSum[] {
  const sums = new Map<string, TypeSum>();
  for (const { gameId, days } of players) {
    for (const [number, { counts }] of days) {
      for (const [eventType, n] of counts) {
        const key = `${gameId} ${number} ${eventType}`;
        const sum = sums.get(key);
        if (sum !== undefined) sum.n += n;
        else sums.set(key, { g: gameId, d: dayText(number), t: eventType, n });
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

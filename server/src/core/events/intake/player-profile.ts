import { isTimeZone } from '../../../decide/schedules/zone-time.js';
import { DAY_MS } from '../../../platform/lib/day.js';
import type { Profile, TransactionFact } from './event-record.js';

/** The members of an event's metadata that say something lasting about the player's device, place and money. */
export const PROFILE_MEMBERS = [
  'country',
  'locale',
  'osName',
  'osVersion',
  'deviceType',
  'clientBuild',
  'currency',
] as const;
/** What is also kept of each day of a player (columns of `player_days`), and the member of the profile that it comes from. */
export const REPORTED_BY_DAY = [
  ['country', 'country'],
  ['platform', 'osName'],
  ['build', 'clientBuild'],
] as const;
/** Where the player came from. Unlike the rest of a profile, the first value counts and not the last. */
export const SOURCE_MEMBER = 'source';
/** The player's time zone. The first value of the last UTC day with one counts: it changes at most once a day. */
export const ZONE_MEMBER = 'timeZone';
/** Longer than any real country, locale or version. */
const MAX_PROFILE_LENGTH = 64;

const REPORTED_MEMBERS = [...PROFILE_MEMBERS, SOURCE_MEMBER, ZONE_MEMBER] as const;

export function readProfile(
  metadata: Record<string, unknown>,
  transaction: TransactionFact | null,
): Profile | null {
  let profile: Profile | null = null;
  for (const name of REPORTED_MEMBERS) {
    const value = metadata[name];
    if (typeof value !== 'string' || value === '' || isLong(value)) continue;
    if (name === ZONE_MEMBER && !isTimeZone(value)) continue;
    profile ??= {};
    // Rules compare it with `country == "DE"`: clients send either case.
    profile[name] = name === 'country' ? value.toUpperCase() : value;
  }
  if (transaction?.kind === 'purchase' && transaction.currency !== null) {
    profile ??= {};
    profile.paidCurrency = transaction.currency;
  }
  return profile;
}

/** In characters, as PostgreSQL counts them. */
function isLong(value: string): boolean {
  return value.length > MAX_PROFILE_LENGTH && [...value].length > MAX_PROFILE_LENGTH;
}

/** A value with the time at which it was reported. */
export type TimedValue = { v: string; t: number };
export type TimedProfile = Record<string, TimedValue>;

/** Takes over a value that is later than the known one. Equal times are decided by the value, as `merge_profiles` does. */
export function addReport(latest: TimedProfile, name: string, value: string, atMs: number): void {
  const known = latest[name];
  const isLater = known === undefined || atMs > known.t || (atMs === known.t && isBehind(value, known.v));
  if (isLater) latest[name] = { v: value, t: atMs };
}

/** The earlier of two sources; of equal times the lesser text, as in the fold. */
export function earlierSource(known: TimedValue | null, value: string, atMs: number): TimedValue {
  const isEarlier =
    known === null || atMs < known.t || (atMs === known.t && value !== known.v && !isBehind(value, known.v));
  return isEarlier ? { v: value, t: atMs } : known;
}

/** Of two reports of a time zone the one that counts, as `counting_zone` in the schema decides. */
export function countingZone(known: TimedValue | null, value: string, atMs: number): TimedValue {
  if (known === null) return { v: value, t: atMs };
  const days = Math.floor(atMs / DAY_MS) - Math.floor(known.t / DAY_MS);
  if (days !== 0) return days > 0 ? { v: value, t: atMs } : known;
  return earlierSource(known, value, atMs);
}

/** In the order of their bytes, which is not that of their UTF-16 units. */
function isBehind(value: string, known: string): boolean {
  return value !== known && Buffer.compare(Buffer.from(value), Buffer.from(known)) > 0;
}

/** The earliest and the latest time in a profile. */
export function timesOf(profile: TimedProfile): { since: number; until: number } {
  let since = Number.POSITIVE_INFINITY;
  let until = Number.NEGATIVE_INFINITY;
  for (const name in profile) {
    const { t } = profile[name] as TimedValue;
    if (t < since) since = t;
    if (t > until) until = t;
  }
  return { since, until };
}

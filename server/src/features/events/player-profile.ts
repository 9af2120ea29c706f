import type { EventRecord } from './event-record.js';

/** The members of an event's metadata that say something lasting about the player's device, place and money. */
export const PROFILE_MEMBERS = [
  'country',
  'locale',
  'osName',
  'osVersion',
  'deviceType',
  'currency',
] as const;
/** Longer than any real country, locale or version. */
export const MAX_PROFILE_LENGTH = 64;

/** Last known values: name → value. */
export type Profile = Record<string, string>;

export function readProfile(metadata: Record<string, unknown>): Profile | null {
  let profile: Profile | null = null;
  for (const name of PROFILE_MEMBERS) {
    const value = metadata[name];
    if (typeof value !== 'string' || value === '' || isLong(value)) continue;
    profile ??= {};
    profile[name] = value;
  }
  return profile;
}

/** In characters, as PostgreSQL counts them. */
function isLong(value: string): boolean {
  return value.length > MAX_PROFILE_LENGTH && [...value].length > MAX_PROFILE_LENGTH;
}

type TimedProfile = Record<string, { v: string; t: number }>;
/** `since` and `until`: the earliest and the latest time in the profile. */
type LatestProfile = { p: string; profile: TimedProfile; since: string; until: string };

/**
 * Per player the latest value of each member, with its time; only for groups in which every event turns out to be new.
 * Equal times are decided by the value, as `merge_profiles` does.
 */
export function latestProfiles(records: readonly EventRecord[]): LatestProfile[] {
  const byPlayer = new Map<string, TimedProfile>();
  for (const { playerId, profile, effectiveAtMs } of records) {
    if (profile === null) continue;
    const latest = byPlayer.get(playerId) ?? {};
    byPlayer.set(playerId, latest);
    for (const [name, value] of Object.entries(profile)) {
      const known = latest[name];
      const isLater =
        known === undefined || effectiveAtMs > known.t || (effectiveAtMs === known.t && value > known.v);
      if (isLater) latest[name] = { v: value, t: effectiveAtMs };
    }
  }
  return [...byPlayer].map(([p, profile]) => {
    const times = Object.values(profile).map(({ t }) => t);
    const [since, until] = [Math.min(...times), Math.max(...times)].map((t) => new Date(t).toISOString());
    return { p, profile, since: since ?? '', until: until ?? '' };
  });
}

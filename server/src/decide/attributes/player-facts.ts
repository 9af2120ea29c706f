import { DAY_MS } from '../../platform/lib/day.js';
import type { OwnFacts } from '../own-attributes/own-facts.js';
import type { RecentDay } from '../predict/prediction-facts.js';

/**
 * All that is known of a player when something is decided for them: the columns of their row and their last 28 days.
 * Times are epoch milliseconds. Decisions are pure functions of this, a published document and the clock.
 */
export type PlayerFacts = Readonly<{
  /** Buckets are derived from this id. */
  userId: string;
  createdAt: number;
  lastEventAt: number | null;
  eventCount: number;
  /** Event type → how many, over all time. */
  eventCounts: Readonly<Record<string, number>>;
  purchaseCount: number;
  lastPurchaseAt: number | null;
  /** Currency → total, refunds taken off. */
  spend: Readonly<Record<string, number>>;
  profile: PlayerProfile;
  /** At least the days of the last 28 that have a row, in any order; older ones are ignored. */
  days: readonly PlayerDay[];
  /** Promotion id → purchases with it that were not refunded. */
  promoPurchases: Readonly<Record<string, number>>;
  overrides: readonly FlagOverride[];
  pins: readonly PlayerPin[];
  /** When an override or a pin was last set or cleared; null if never. */
  overridesAt: number | null;
  /** Segments with two thresholds that the player is inside of. */
  stays: readonly SegmentStay[];
  /** The arms of experiments that the player was told first. */
  exposures: readonly ExperimentExposure[];
  /** As the studio's server says; null: it has not said. */
  ageGroup: AgeGroup | null;
  /** When it was last set to another one; null if never. */
  ageGroupAt: number | null;
  history: PlayerHistory;
  /** What the game defines itself. */
  own: OwnFacts;
}>;

/** The arm of the first response that depended on an experiment. Another seed is another draw. */
export type ExperimentExposure = Readonly<{
  experimentId: string;
  seed: string;
  variantId: string;
  exposedAt: number;
}>;

export type AgeGroup = 'child' | 'teen' | 'adult';

/** A player was above the upper threshold of a segment, and has not been below the lower one since. */
export type SegmentStay = Readonly<{
  segmentId: string;
  /** Which thresholds that were: those of `thresholdsKey`. */
  thresholds: string;
  enteredAt: number;
  /** The prediction with which the player entered. */
  value: number;
}>;

/**
 * The facts that only predictions use. Sets of days are as PostgreSQL writes them: they are parsed when a rule asks for a
 * prediction.
 */
export type PlayerHistory = Readonly<{
  /** Of the first event, in days since 1970; null without one. */
  firstDay: number | null;
  /** `{[2026-11-01,2026-11-03),[2026-11-05,2026-11-06)}`: days with an event, and days with a purchase that was not refunded. */
  activeDays: string;
  purchaseDays: string;
  firstPurchaseDay: number | null;
  /** Days with a purchase before those of `purchaseDays`; null where there are none. */
  earlierPurchaseDays: number | null;
  /** Currency → what was spent after the first day of purchase. */
  repeatSpend: Readonly<Record<string, number>>;
  /** The last days, where `days` of the facts cannot be used because one of them stands for many. */
  recentDays?: readonly RecentDay[];
}>;

export type ProfileMember =
  | 'country'
  | 'locale'
  | 'osName'
  | 'osVersion'
  | 'deviceType'
  | 'clientBuild'
  /** The first that was reported on the last day with a report, so that it changes at most once a day. */
  | 'timeZone'
  | 'currency'
  /** Of the last purchase. */
  | 'paidCurrency';

/** Last known values as `players.profile` holds them. */
export type PlayerProfile = Readonly<Partial<Record<ProfileMember, Readonly<{ v: string; t: number }>>>>;

/** A row of `player_days`. */
export type PlayerDay = Readonly<{
  /** Whole days since 1970-01-01, UTC. */
  epochDay: number;
  events: number;
  sessions: number;
  adImpressions: number;
  storeViews: number;
  playMs: number;
  eventCounts: Readonly<Record<string, number>>;
  purchases: number;
  revenue: Readonly<Record<string, number>>;
}>;

/** An override: the value that a studio has set for one flag of one player, whatever the rule says. */
export type FlagOverride = Readonly<{
  flagId: string;
  value: boolean;
  setAt: number;
  /** From then on the rule decides again; null: never. */
  until: number | null;
}>;

/** A typed value, or the variant of an experiment. */
export type PinKind = 'value' | 'variant';

/** What a studio has pinned for one player, whatever the rules say: mostly for test devices. */
export type PlayerPin = Readonly<{
  kind: PinKind;
  /** The key of the value, or the id of the experiment. */
  target: string;
  /** The value, or the id of the variant. Its type may have changed since it was pinned. */
  value: unknown;
  reason: string;
  author: string;
  setAt: number;
  /** From then on the rules decide again; null: never. */
  until: number | null;
}>;

export function epochDay(epochMs: number): number {
  return Math.floor(epochMs / DAY_MS);
}

/** A member of a record of numbers, 0 if absent. Inherited members, such as `constructor`, are not members. */
export function numberIn(record: Readonly<Record<string, number>>, key: string): number {
  return Object.hasOwn(record, key) ? (record[key] ?? 0) : 0;
}

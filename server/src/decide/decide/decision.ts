import type { AttributeValue } from '../attributes/player-attributes.js';
import type { SegmentMembership, ValueOutcome } from '../compile/compiled-document.js';
import type { PriceBasis } from '../compile/price-basis.js';
import type { AssetEntry } from '../document/member-schemas.js';
import type { Guardrail } from '../document/prices.js';

/** Everything a player is told at one moment, and until when it holds. */
export type Decision = Readonly<{
  /** The version of the document it follows from. */
  version: number;
  flags: Readonly<Record<string, FlagState>>;
  /** Those the player is in, by priority. */
  segments: readonly SegmentMembership[];
  store: StoreDecision;
  /** In the order of the document, also those that clients are not told. */
  values: readonly DecidedValue[];
  /** Gets the untargeted store whatever the offers say. */
  heldOut: boolean;
  /**
   * The next moment, in epoch milliseconds, at which any of this can change with time alone: nothing does before it
   * unless the player's facts or the document change. Infinity if nothing ever will.
   */
  validUntil: number;
  /** Stays in segments with two thresholds that begin or end with this decision: to be stored by who tells the player. */
  stayChanges: readonly StayChange[];
  /** The arms of experiments that this depends on: to be stored by who tells the player, where they are not. */
  arms: readonly DecidedArm[];
  /** The hold-outs of offers that would apply to the player: to be stored in the same way. Nobody is told them. */
  holdouts: readonly DecidedArm[];
  trace: Trace | null;
}>;

export type DecidedArm = Readonly<{
  experimentId: string;
  seed: string;
  variantId: string;
  /** By an earlier response. */
  isStored: boolean;
  /** The studio has pinned it for a test device, which is no player to be counted. */
  isPinned: boolean;
}>;

export type StayChange = Readonly<{
  segmentId: string;
  thresholds: string;
  isInside: boolean;
  /** The prediction that it follows from. */
  value: number;
}>;

export type FlagState = Readonly<{
  value: boolean;
  defaultValue: boolean;
  /** When the value is the default again, or has become so, ISO 8601 UTC; null if no such moment is known. */
  expiredAt: string | null;
}>;

/** The outcome of a value for a player. */
export type DecidedValue = Readonly<{ key: string; isForClients: boolean; outcome: ValueOutcome }>;

export type StoreDecision = Readonly<{
  activeSkus: readonly RenderedSku[];
  /**
   * The last change that this player can see, in epoch milliseconds: the latest passed moment of
   * - the publication of the document,
   * - the beginning or end of an active SKU, or of a window of its schedule,
   * - the beginning or end of an offer of the player's share, or of a window of its schedule,
   * - the last reported locale and currency, where the catalogue has several,
   * - for what the running offers of the player's share depend on: the player's last event, the last midnight and full days
   *   since where time alone moves it, the last change of an override, the end of one or of isPayer, a window of a flag's schedule, and, for predictions,
   *   the last change of the models in force.
   * It may name a moment at which the player saw nothing change, but a store that changes moves it, and until the next
   * publication it does not go back. Only an event that comes late counts at its own time: it can change a store without
   * moving this, or take it back where days are counted since it. The ETag follows what is sent in any case.
   */
  lastUpdatedTimestamp: number;
  /** Of the promotions of the SKUs in this store, that of the first offer in order. */
  userSpecificPromoId: string | null;
  /** The untargeted store, if the studio sends it. */
  fallback: FallbackStore | null;
}>;

export type FallbackStore = Readonly<{
  version: number;
  activeSkus: readonly RenderedSku[];
  /** Of the catalogue itself, whoever looks at it. */
  lastUpdatedTimestamp: number;
}>;

/** A SKU as this player sees it. Prices have exactly the decimals of the currency. */
export type RenderedSku = Readonly<{
  skuId: string;
  name: string;
  description: string;
  actualPrice: string;
  offerPrice: string;
  currency: string;
  assets: readonly AssetEntry[];
  /** The promotion that a purchase of it belongs to; undefined where none applies. */
  promoId?: string;
  /** Where the game tells them: what the price follows from, and the notice of the player's country. */
  priceBasis?: PriceBasis;
  priceNotice?: string;
  /** The lowest price of the 30 days before the reduction, where the country is told. */
  lowestPrice30d?: string;
  /** All of it as it is sent. */
  json: string;
}>;

/** Why a decision came out as it did. Made by the very code that decides, while it does. */
export type Trace = {
  flags: FlagTrace[];
  segments: SegmentTrace[];
  offers: OfferTrace[];
  skus: SkuTrace[];
  values: ValueTrace[];
  experiments: ArmTrace[];
};

export type RuleTrace = Readonly<{
  expression: string;
  result: boolean;
  /** Why it could not be evaluated: a flag then has its default, segments and offers do not match. */
  error: string | null;
  /** What it read: `{"purchases.total": 3}`. Null for what is not worked out for the player yet. */
  values: Readonly<Record<string, AttributeValue | null>>;
}>;

export type FlagTrace = Readonly<{
  flagId: string;
  value: boolean;
  /** `closed`: its schedule is, so it has its default. */
  because: 'override' | 'purchase' | 'purchase_expired' | 'rule' | 'closed' | 'default';
  schedule: ScheduleTrace | null;
  rule: RuleTrace | null;
}>;

export type SegmentTrace = Readonly<{
  segmentId: string;
  member: boolean;
  /** With two thresholds: that of who enters, or of who stays, for a player who was inside before. */
  rule: RuleTrace;
  /** Of a player who was inside before: since when, and the prediction with which they entered. */
  stay: Readonly<{ enteredAt: string; value: number }> | null;
}>;

export type OfferOutcome =
  | 'applies'
  | 'held_out'
  | 'held_out_of_offer'
  | 'not_for_children'
  | 'outside_share'
  | 'limit_reached'
  | 'not_started'
  | 'closed'
  | 'ended'
  | 'rule_false';

export type OfferTrace = Readonly<{
  offerId: string;
  outcome: OfferOutcome;
  sharePercent: number;
  /** The player's bucket in percent, 0 up to 100, if it was needed: below the share is inside. */
  place: number | null;
  /** Of an offer with a hold-out that would apply to the player. The place in percent, 0 up to 100: below the percent is held out. */
  holdout?: Readonly<{ percent: number; place: number }>;
  /** Purchases with the promotion id, where there is a limit. */
  purchases: number | null;
  /** Null without a schedule, or if the outcome was clear before. */
  schedule: ScheduleTrace | null;
  /** Null without a rule, or if the outcome was clear before. */
  rule: RuleTrace | null;
}>;

/** Whether a window was open, since when and until when that is so; null: for ever. */
export type ScheduleTrace = Readonly<{
  zone: string;
  isOpen: boolean;
  since: string | null;
  until: string | null;
}>;

export type SkuTrace = Readonly<{
  skuId: string;
  isShown: boolean;
  /** Why it is not available at all, before any offer. */
  absent: 'inactive' | 'not_started' | 'closed' | 'ended' | null;
  /** Null without a schedule, or if it was absent before. */
  schedule: ScheduleTrace | null;
  /** Kept out of the untargeted store. */
  hidden: boolean;
  locale: string | null;
  currency: string | null;
  actualPrice: string | null;
  /** What the catalogue asks for, and what the player is asked for. */
  cataloguePrice: string | null;
  offerPrice: string | null;
  /** What the price follows from; null where there is none. */
  priceBasis: PriceBasis | null;
  /** Sent with it. */
  priceNotice: string | null;
  /** The lowest price of the 30 days before the reduction; null where it is not told. */
  lowestPrice30d: string | null;
  /** The promotion that a purchase of it belongs to; null where none applies. */
  promoId: string | null;
  /** The offers that apply to the player and are about this SKU, in order. */
  steps: readonly SkuStep[];
}>;

export type SkuStep = Readonly<{
  offerId: string;
  /** False: another offer had won the SKU before. */
  applied: boolean;
  visibility: 'show' | 'hide' | null;
  /** Of the offer. */
  promoId: string | null;
  /** The price the offer asked for, null if none. */
  wantedPrice: string | null;
  /** What kept it from that price. */
  rails: readonly Guardrail[];
  /** The price after this step. */
  price: string;
}>;

export type ValueTrace = Readonly<{
  key: string;
  value: unknown;
  because: 'pin' | 'rule' | 'default';
  /** The player's bucket in percent, 0 up to 100, if it was needed. */
  place: number | null;
  /** The pin in force, also one that is ignored. */
  pin: PinTrace | null;
  /** Those that were tried, in order: the last one decides if it applies. */
  rules: readonly ValueRuleTrace[];
}>;

/** What a studio has pinned for the player. */
export type PinTrace = Readonly<{
  author: string;
  reason: string;
  setAt: string;
  until: string | null;
  /** Why it is ignored, in words that follow the name of the value: its type has changed since. Null: it is in force. */
  problem: string | null;
}>;

export type ArmTrace = Readonly<{
  experimentId: string;
  seed: string;
  /** Empty: the player is not in it. */
  variantId: string;
  /** `stored`: by the first exposure. `bucket`: drawn now. All but these, `pin` and `winner` give none. */
  because:
    | 'pin'
    | 'stored'
    | 'bucket'
    | 'winner'
    | 'planned'
    | 'stopped'
    | 'child'
    | 'outside_slot'
    | 'not_covered'
    | 'rule_false';
  /** The player's bucket in percent, 0 up to 100, if it was needed. */
  place: number | null;
  /** Of a stored arm. */
  exposedAt: string | null;
  /** Of a pinned arm. */
  pin: PinTrace | null;
  /** Null without one, or if the outcome was clear before. */
  rule: RuleTrace | null;
}>;

export type ValueRuleTrace = Readonly<{
  sharePercent: number;
  outcome: 'applies' | 'outside_share' | 'closed' | 'rule_false';
  /** Null without a schedule, or for a player outside of the share. */
  schedule: ScheduleTrace | null;
  /** Null without a rule, for a player outside of the share, or outside of its windows. */
  rule: RuleTrace | null;
}>;

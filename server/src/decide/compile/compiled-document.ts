import type { AttributeRegistry } from '../attributes/attribute-registry.js';
import type { TimeBasis } from '../attributes/time-basis.js';
import type { AssetEntry } from '../document/member-schemas.js';
import type { ExperimentState } from '../document/parts/experiments.js';
import type { SkuPrice } from '../document/prices.js';
import type { ValueCheck } from '../document/value-types.js';
import type { PredictionName } from '../predict/artefact.js';
import type { Dependence } from '../rules/dependence.js';
import type { CompiledRule } from '../rules/rules.js';
import type { CompiledSchedule } from '../schedules/windows.js';
import type { Range } from './arms.js';
import type { Salt } from './bucket.js';
import type { CompiledPricing, LowestPriceBefore, PriceNote, VariesBy } from './price-basis.js';

/** A published document, with everything computed that does not depend on a player. Made by `compileDocument`. */
export type CompiledDocument = Readonly<{
  version: number;
  publishedAt: number;
  /** What its rules may ask about a player. */
  attributes: AttributeRegistry;
  /** Flags and segments, each after those its rule refers to. */
  flagsAndSegments: readonly (CompiledFlag | CompiledSegment)[];
  /** The order in which segments are listed: by priority. */
  segments: readonly CompiledSegment[];
  /** Those that first exposures to experiments are stored with; null: without any. */
  exposureSegments: ReadonlySet<string> | null;
  /** How long a payer stays one after the last purchase; null: for ever. */
  payerForDays: number | null;
  /** When one of their rules can change its result with time alone. */
  flagsAndSegmentsBasis: TimeBasis;
  /** Some rule asks for a prediction: decisions then also follow from the models in force. */
  usesPredictions: boolean;
  /** The predictions that clients are told, and those that are switched off and therefore averages. */
  visiblePredictions: ReadonlySet<PredictionName>;
  predictionsOff: ReadonlySet<PredictionName>;
  /** Active SKUs, in the studio's order. */
  skus: readonly CompiledSku[];
  inactiveSkuIds: readonly string[];
  /** All instants at which one of them appears or disappears, in order. */
  skuBoundaries: readonly number[];
  /** The different schedules of SKUs. */
  skuSchedules: readonly CompiledSchedule[];
  /** The locales, normalized, that any text is translated to. */
  locales: ReadonlySet<string>;
  /** Some SKU has prices in several currencies. */
  hasCurrencies: boolean;
  offers: readonly CompiledOffer[];
  /** The flags that decide about offers, directly or through segments. */
  offerFlags: ReadonlySet<string>;
  /** The different schedules of these flags. */
  offerFlagSchedules: readonly CompiledSchedule[];
  /** The SKUs, and those of each offer: what a decision about the store goes through. */
  storeSize: number;
  /** In the order of the document. */
  values: readonly CompiledValue[];
  /** By id, in the order of the document. */
  experiments: ReadonlyMap<string, CompiledExperiment>;
  holdoutPercent: number;
  sendFallback: boolean;
  /** For schedules of players whose zone is not known. */
  studioZone: string;
  /** Null: players are not told what prices follow from. */
  pricing: CompiledPricing | null;
  /** Null: players of no country are told, or the history is not known. */
  lowestPriceBefore: LowestPriceBefore | null;
}>;

export type CompiledFlag = Readonly<{
  kind: 'flag';
  flagId: string;
  defaultValue: boolean;
  rule: CompiledRule | null;
  /** Null: its rule decides all the time. */
  schedule: CompiledSchedule | null;
  /** Decided by purchases and not by a rule. */
  isPayer: boolean;
}>;

export type CompiledSegment = Readonly<{
  kind: 'segment';
  /** With thresholds: who enters. */
  rule: CompiledRule;
  thresholds: CompiledThresholds | null;
  listed: SegmentMembership;
}>;

export type CompiledThresholds = Readonly<{
  /** What stays belong to. */
  key: string;
  prediction: PredictionName;
  /** Who stays; reads and refers to the same as the rule of who enters. */
  stay: CompiledRule;
}>;

export type SegmentMembership = Readonly<{
  segmentId: string;
  name: string;
  /** Goes up with every publication that changes its rule or name. */
  version: number;
  visibleToClients: boolean;
}>;

export type CompiledSku = Readonly<{
  skuId: string;
  hidden: boolean;
  /** Epoch milliseconds; minus Infinity and Infinity where open. */
  from: number;
  until: number;
  /** Null: sold all the time between the two. */
  schedule: CompiledSchedule | null;
  assets: readonly AssetEntry[];
  /** Of the assets, without the brackets. */
  assetsJson: string;
  defaultText: SkuText;
  /** By normalized locale. */
  texts: ReadonlyMap<string, SkuText>;
  defaultSkuPrice: CompiledSkuPrice;
  skuPrices: ReadonlyMap<string, CompiledSkuPrice>;
}>;

export type SkuText = Readonly<{
  /** Null for the default. */
  locale: string | null;
  name: string;
  description: string;
  /** The beginning of the SKU's JSON. */
  headJson: string;
}>;

export type CompiledSkuPrice = SkuPrice &
  Readonly<{
    actualText: string;
    offerText: string;
    /** The rest of the SKU's JSON in the untargeted store. */
    tailJson: string;
    /** What is said about it there. */
    note: PriceNote | null;
  }>;

/** Of an offer. Its arms are stored as those of an experiment. */
export type CompiledHoldout = Readonly<{
  percent: number;
  salt: Salt;
  experimentId: string;
  seed: string;
}>;

export type CompiledOffer = Readonly<{
  offerId: string;
  /** The name that the buckets of players are drawn by. */
  salt: Salt;
  sharePercent: number;
  /** Who is held out of it; null: nobody. */
  holdout: CompiledHoldout | null;
  from: number;
  until: number;
  /** Null: open all the time between the two. */
  schedule: CompiledSchedule | null;
  rule: CompiledRule | null;
  /** What besides its schedule can change whether it applies, with everything that its rule refers to. */
  dependence: Dependence;
  /** How far two players can differ whom it treats differently at one time. */
  variesBy: VariesBy;
  /** Indexes of SKUs. */
  skus: readonly number[];
  combine: boolean;
  visibility: 'show' | 'hide' | null;
  /** Minor units by currency. */
  setTo: ReadonlyMap<string, bigint> | null;
  /** Basis points. */
  discount: bigint | null;
  badges: readonly AssetEntry[];
  badgesJson: string;
  promoId: string | null;
  /** The member of a SKU that names it; empty without one. */
  promoJson: string;
  limitPerPlayer: number | null;
}>;

export type CompiledValue = Readonly<{
  key: string;
  /** False: only the studio's own servers are told. */
  isForClients: boolean;
  /** The name that the buckets of players are drawn by. */
  salt: Salt;
  check: ValueCheck;
  defaultOutcome: ValueOutcome;
  rules: readonly CompiledValueRule[];
}>;

export type CompiledExperiment = Readonly<{
  experimentId: string;
  seed: string;
  state: ExperimentState;
  /** Who may enter; null: everybody. */
  rule: CompiledRule | null;
  variantIds: readonly string[];
  /** The name that the buckets of players are drawn by. */
  salt: Salt;
  /** The buckets that belong to it. */
  slot: Range;
  coveragePercent: number;
  /** Those of each arm, as far as they are covered. */
  ranges: readonly Range[];
  /** Of a decided experiment. */
  winner: string | null;
  /** Whether offers depend on it: children are left out then. */
  isAboutOffers: boolean;
}>;

export type CompiledValueRule = Readonly<{
  /** Null: everybody of the share. */
  rule: CompiledRule | null;
  /** Null: all the time. */
  schedule: CompiledSchedule | null;
  sharePercent: number;
  outcome: ValueOutcome;
}>;

/** One of the values that a key can have. */
export type ValueOutcome = Readonly<{
  value: unknown;
  /** `jump_height = 3`: tells the outcomes of all values apart. */
  name: string;
  /** `"jump_height":3` */
  memberJson: string;
}>;

import { compileOffer, pricesOf } from '../../decide/compile/compile-catalogue.js';
import type { CompiledOffer } from '../../decide/compile/compiled-document.js';
import type { ConfigDocument } from '../../decide/document/document.js';
import { DEFAULT_STUDIO_ZONE } from '../../decide/document/parts/calendar.js';
import type { SkuEntry } from '../../decide/document/parts/catalogue.js';
import { type SkuPrice, toBasisPoints } from '../../decide/document/prices.js';
import { scheduleCompiler } from '../../decide/schedules/schedule-compiler.js';
import type { CompiledSchedule } from '../../decide/schedules/windows.js';
import type { Steps } from '../../platform/lib/steps.js';
import { type Audience, audienceReader } from './offer-audience.js';

/** An offer that runs now or later. */
export type PricingOffer = Readonly<{
  offer: CompiledOffer;
  position: number;
  audience: Audience;
  /** Those it is about, as far as they are sold. */
  skuIds: ReadonlySet<string>;
}>;

export type PricedSku = Readonly<{
  hidden: boolean;
  /** By currency. */
  skuPrices: ReadonlyMap<string, SkuPrice>;
}>;

/** What decides about the prices of a document. */
export type PricedDocument = Readonly<{
  holdoutPercent: number;
  studioZone: string;
  /** Undefined for a SKU that is not sold. */
  skuOf: (skuId: string) => PricedSku | undefined;
  offers: readonly PricingOffer[];
}>;

/** In steps, one for each offer. A whole document is not compiled: few of its rules and SKUs matter here. */
export function* pricedDocumentSteps(document: ConfigDocument, now: number): Steps<PricedDocument> {
  const { catalogue, store, calendar } = document;
  const studioZone = calendar?.studioZone ?? DEFAULT_STUDIO_ZONE;
  const compileSchedule = scheduleCompiler(studioZone);
  const audienceOf = audienceReader(document);
  const sold = new Map(catalogue.filter(({ active }) => active).map((entry) => [entry.skuId, entry]));
  const all = new Set(sold.keys());
  const offers: PricingOffer[] = [];
  for (const [position, entry] of document.offers.entries()) {
    const offer = orNull(() => compileOffer(entry, null, 0, 'player', NO_INDEXES, compileSchedule));
    if (offer === null || offer.until <= now || offer.sharePercent === 0) continue;
    const skuIds = entry.skus === 'all' ? all : new Set(entry.skus.filter((skuId) => sold.has(skuId)));
    offers.push({ offer, position, audience: audienceOf(entry), skuIds });
    yield;
  }
  const skuOf = skuReader(sold, toBasisPoints(store.largestDiscountPercent));
  return { holdoutPercent: store.holdoutPercent, studioZone, skuOf, offers };
}

const NO_INDEXES: ReadonlyMap<string, number> = new Map();

/** The prices of each are read when they are asked for, once. */
function skuReader(entries: ReadonlyMap<string, SkuEntry>, largestDiscount: bigint): PricedDocument['skuOf'] {
  const read = new Map<string, PricedSku | null>();
  return (skuId) => {
    const known = read.get(skuId);
    if (known !== undefined) return known ?? undefined;
    const entry = entries.get(skuId);
    const skuPrices = entry === undefined ? null : orNull(() => pricesOf(entry, largestDiscount));
    const sku = skuPrices === null ? null : { hidden: entry?.hidden === true, skuPrices };
    read.set(skuId, sku);
    return sku ?? undefined;
  };
}

/** Null for an entry that cannot be used: it was checked by an older version of this service, and players do not see it. */
function orNull<T>(compile: () => T): T | null {
  try {
    return compile();
  } catch {
    return null;
  }
}

/** The offers that run at an instant, by their ids. Windows in the player's zone are those of the studio's zone. */
export function offersAt(
  { offers, studioZone }: PricedDocument,
  atMs: number,
): ReadonlyMap<string, PricingOffer> {
  return runningAt(offers, atMs, ({ zone, stateAt }) => stateAt(atMs, zone ?? studioZone).window !== null);
}

/** Those of which somebody may see prices at an instant: a window in the player's zone may be open for somebody at any time. */
export function offersSeenAt({ offers }: PricedDocument, atMs: number): ReadonlyMap<string, PricingOffer> {
  return runningAt(offers, atMs, ({ zone, stateAt }) => zone === null || stateAt(atMs, zone).window !== null);
}

function runningAt(
  offers: readonly PricingOffer[],
  atMs: number,
  isOpen: (schedule: CompiledSchedule) => boolean,
): ReadonlyMap<string, PricingOffer> {
  const running = offers.filter(
    ({ offer: { from, until, schedule } }) =>
      from <= atMs && atMs < until && (schedule === null || isOpen(schedule)),
  );
  return new Map(running.map((each) => [each.offer.offerId, each]));
}

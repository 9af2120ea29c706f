import type { Steps } from '../../platform/lib/steps.js';
import { isChild } from '../attributes/children.js';
import type { PlayerFacts } from '../attributes/player-facts.js';
import { bucketOf, HOLDOUT_SALT, isInShare, userIdBytes } from '../compile/bucket.js';
import type { CompiledDocument, CompiledOffer } from '../compile/compiled-document.js';
import { isPersonal, noteOf } from '../compile/price-basis.js';
import { type AvailableSku, countryOf, findAvailableSkus } from './available-skus.js';
import { OfferEvaluator } from './decide-offers.js';
import type { RenderedSku, StoreDecision } from './decision.js';
import type { DecisionContext } from './decision-context.js';
import { lastAgeGroupChange, lastFactChange, lastProfileChange, lastScheduleChange } from './last-change.js';
import { lowestPrices } from './lowest-price.js';
import { renderTargeted, renderUntargeted, withLowestPrice } from './render-sku.js';
import { applyOffer, promotionOf, type SkuChange } from './sku-change.js';
import { traceHeldOut, traceSkus } from './trace-store.js';

/** What one step goes through at most, unless a single offer has more SKUs. */
const SKUS_PER_STEP = 100;

/** Children are not compared: what everybody gets must not depend on a lot for them. */
export function isHeldOut(
  { holdoutPercent }: CompiledDocument,
  facts: Pick<PlayerFacts, 'userId' | 'ageGroup'>,
): boolean {
  if (holdoutPercent <= 0 || isChild(facts)) return false;
  return isInShare(bucketOf(HOLDOUT_SALT, userIdBytes(facts.userId)), holdoutPercent);
}

/** If anything goes wrong with the offers, it is reported and the player gets the untargeted store. */
export function* decideStore(context: DecisionContext, heldOut: boolean): Steps<StoreDecision> {
  const { document, facts, now } = context;
  const availableSkus = findAvailableSkus(document, facts, now);
  const ofCatalogue = Math.max(document.publishedAt, lastSkuChange(context));
  const lastUpdatedTimestamp = Math.max(
    ofCatalogue,
    lastProfileChange(context),
    document.holdoutPercent > 0 ? lastAgeGroupChange(context) : Number.NEGATIVE_INFINITY,
  );
  const fallback = document.sendFallback
    ? {
        version: document.version,
        activeSkus: yield* renderAll(context, availableSkus, []),
        lastUpdatedTimestamp: ofCatalogue,
      }
    : null;

  if (!heldOut && document.offers.length > 0) {
    try {
      return { ...(yield* targeted(context, availableSkus, lastUpdatedTimestamp)), fallback };
    } catch (error) {
      context.report('store', error);
      // Nobody sees what these arms would have changed.
      context.holdouts.length = 0;
      // What fails now may work a moment later.
      context.noteBoundary(now + 1);
    }
  }
  if (heldOut) traceHeldOut(context);
  yield* traceSkus(context, availableSkus, []);
  const activeSkus = fallback?.activeSkus ?? (yield* renderAll(context, availableSkus, []));
  return { activeSkus, lastUpdatedTimestamp, userSpecificPromoId: null, fallback };
}

type Targeted = Omit<StoreDecision, 'fallback'>;

function* targeted(
  context: DecisionContext,
  availableSkus: readonly (AvailableSku | null)[],
  lastChange: number,
): Steps<Targeted> {
  const { document, facts, trace } = context;
  // Who is held out is drawn by lot, so what the others get is not for everybody.
  const isComparable = !isChild(facts);
  const isDrawn = document.holdoutPercent > 0;
  const evaluator = new OfferEvaluator(context);
  const changes: (SkuChange | undefined)[] = [];
  for (const offer of document.offers) {
    if (!evaluator.applies(offer)) continue;
    const isByLot = isComparable && (isDrawn || offer.holdout !== null);
    const basis = isPersonal(offer) || isByLot ? 'personal' : 'scheduled';
    for (const index of offer.skus) {
      const item = availableSkus[index];
      if (item != null) changes[index] = applyOffer(offer, item, changes[index], trace !== null, basis);
    }
    if (offer.skus.length >= SKUS_PER_STEP) yield;
  }
  yield* traceSkus(context, availableSkus, changes);
  return {
    activeSkus: yield* renderAll(context, availableSkus, changes),
    lastUpdatedTimestamp: Math.max(
      lastChange,
      evaluator.lastBoundary,
      lastFactChange(context, evaluator.dependence),
      evaluator.isPersonal ? lastAgeGroupChange(context) : Number.NEGATIVE_INFINITY,
    ),
    userSpecificPromoId: firstPromotion(document.offers, changes),
  };
}

function* renderAll(
  context: DecisionContext,
  availableSkus: readonly (AvailableSku | null)[],
  changes: readonly (SkuChange | undefined)[],
): Steps<readonly RenderedSku[]> {
  const { pricing } = context.document;
  const country = countryOf(context.facts);
  const lowestOf = lowestPrices(context);
  const rendered: RenderedSku[] = [];
  for (let index = 0; index < availableSkus.length; index++) {
    if (index % SKUS_PER_STEP === SKUS_PER_STEP - 1) yield;
    const item = availableSkus[index];
    if (item == null) continue;
    const change = changes[index];
    if (!(change?.isVisible ?? !item.sku.hidden)) continue;
    const sku =
      change === undefined
        ? renderUntargeted(item)
        : renderTargeted(item, change, noteOf(pricing, change.basis, country));
    rendered.push(lowestOf === undefined ? sku : withLowestPrice(sku, yield* lowestOf(item, change)));
  }
  return rendered;
}

/** Of the promotions of the SKUs in the store, that of the first offer in order. */
function firstPromotion(
  offers: readonly CompiledOffer[],
  changes: readonly (SkuChange | undefined)[],
): string | null {
  const promoted = new Set<CompiledOffer>();
  for (const change of changes) {
    const offer = change?.isVisible ? promotionOf(change) : null;
    if (offer !== null) promoted.add(offer);
  }
  return (promoted.size === 0 ? undefined : offers.find((offer) => promoted.has(offer)))?.promoId ?? null;
}

/** The last instant at which a SKU appeared or disappeared; the next one is noted. */
function lastSkuChange(context: DecisionContext): number {
  const { skuBoundaries, skuSchedules } = context.document;
  let low = 0;
  let high = skuBoundaries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((skuBoundaries[middle] ?? 0) <= context.now) low = middle + 1;
    else high = middle;
  }
  context.noteBoundary(skuBoundaries[low] ?? Number.POSITIVE_INFINITY);
  let last = skuBoundaries[low - 1] ?? Number.NEGATIVE_INFINITY;
  for (const schedule of skuSchedules) last = Math.max(last, lastScheduleChange(context, schedule));
  return last;
}

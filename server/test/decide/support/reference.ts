import type { PlayerFacts } from '../../../src/decide/attributes/player-facts.js';
import { bucketOf, experimentSalt, userIdBytes } from '../../../src/decide/compile/bucket.js';
import type { ConfigDocument } from '../../../src/decide/document/document.js';
import type { SkuEntry } from '../../../src/decide/document/parts/catalogue.js';
import type { OfferEntry } from '../../../src/decide/document/parts/offers.js';
import type { PairedRule, World } from '../rules/rule-arbitrary.js';
import type { PairedDocument } from './document-arbitrary.js';
import { DAY_MS, PUBLISHED_AT } from './fixtures.js';

/**
 * The decision, written for reading and not for speed: nothing is compiled, nothing is kept, every question is answered
 * from the document and the facts each time it is asked.
 */
export function referenceDecision(paired: PairedDocument, facts: PlayerFacts, now: number) {
  const { document } = paired;
  const world: World = {
    facts,
    now,
    isMember: (id) => isTrue(paired.segmentRules.get(id), world),
    flag: (id) => flagOf(paired, world, id).value,
  };
  const flagIds = ['isPayer', ...document.flags.custom.map(({ flagId }) => flagId)];
  const heldOut = placeOf('holdout', facts) < document.store.holdoutPercent;
  const availableSkus = document.catalogue.filter((sku) => sku.active && isRunning(sku, now));
  const untargeted = availableSkus
    .filter((sku) => sku.hidden !== true)
    .map((sku) => rendered(sku, facts, []));
  const untargetedChange = latest(
    [PUBLISHED_AT, ...document.catalogue.filter((sku) => sku.active).flatMap(boundaries)],
    now,
    PUBLISHED_AT,
  );
  const fallback = document.store.sendFallback
    ? { version: 7, activeSkus: untargeted, lastUpdatedTimestamp: untargetedChange }
    : null;

  const eligible = document.offers.filter((offer) => !heldOut && isEligible(offer, paired, world));
  const running = eligible.filter((offer) => isRunning(offer, now));
  const applied = new Map(availableSkus.map((sku) => [sku, offersFor(sku, running)]));
  const visible = availableSkus.filter((sku) => isVisible(sku, applied.get(sku) ?? []));
  const promotions = visible.flatMap((sku) => promotionOf(sku, facts, applied.get(sku) ?? []) ?? []);
  const promoted = running.find((offer) => promotions.includes(offer));
  const ofShare = document.offers.filter((offer) => !heldOut && isInShare(offer, facts));
  const behind = ofShare.filter((offer) => isRunning(offer, now)).map((offer) => reached(paired, offer));
  const noticed = [
    ...languageAndCurrencyMoments(document, facts, now),
    ...ofShare.flatMap(boundaries),
    ...behind.flatMap((each) => factMoments(each, facts, now)),
    ...(behind.some(({ flags }) => flags.size > 0) ? flagMoments(paired, facts, now, behind) : []),
  ];

  return {
    flags: Object.fromEntries(flagIds.map((id) => [id, flagOf(paired, world, id)])),
    segments: [...document.segments]
      .sort((a, b) => b.priority - a.priority)
      .filter(({ segmentId }) => world.isMember(segmentId))
      .map(({ segmentId }) => segmentId),
    heldOut,
    store: {
      activeSkus: visible.map((sku) =>
        rendered(sku, facts, applied.get(sku) ?? [], document.store.largestDiscountPercent),
      ),
      userSpecificPromoId: promoted?.effect.promoId ?? null,
      lastUpdatedTimestamp: latest(noticed, now, untargetedChange),
      fallback,
    },
  };
}

function isTrue(rule: PairedRule | undefined, world: World): boolean {
  return rule?.outcome(world) === true;
}

function placeOf(experiment: string, { userId }: PlayerFacts): number {
  return bucketOf(experimentSalt(experiment), userIdBytes(userId)) * 100;
}

type Scheduled = { from: string | null; until: string | null };

function isRunning({ from, until }: Scheduled, now: number): boolean {
  return (from === null || Date.parse(from) <= now) && (until === null || now < Date.parse(until));
}

function boundaries({ from, until }: Scheduled): number[] {
  return [from, until].flatMap((text) => (text === null ? [] : [Date.parse(text)]));
}

function latest(all: readonly number[], now: number, atLeast: number): number {
  return Math.max(atLeast, ...all.filter((instant) => instant <= now));
}

// --- Flags --------------------------------------------------------------------------------------------------------

function flagOf({ document, flagRules }: PairedDocument, world: World, flagId: string) {
  const { facts, now } = world;
  const defaultValue = document.flags.custom.find((flag) => flag.flagId === flagId)?.defaultValue ?? false;
  let value = defaultValue;
  let end: number | null = null;
  if (flagId === 'isPayer' && facts.purchaseCount > 0 && facts.lastPurchaseAt !== null) {
    const days = document.flags.isPayer.payerForDays;
    end = days === null ? null : facts.lastPurchaseAt + days * DAY_MS;
    value = end === null || now < end;
  }
  const outcome = flagRules.get(flagId)?.outcome(world);
  if (typeof outcome === 'boolean') value = outcome;

  const override = facts.overrides
    .filter(
      (each) => each.flagId === flagId && each.setAt <= now && (each.until === null || now < each.until),
    )
    .sort((a, b) => a.setAt - b.setAt)
    .at(-1);
  if (override !== undefined) {
    if (override.value === defaultValue || override.until === null) end = null;
    else if (value === defaultValue) end = override.until;
    else if (end !== null) end = Math.max(end, override.until);
    value = override.value;
  }
  return { value, defaultValue, expiredAt: end === null ? null : new Date(end).toISOString() };
}

// --- The last change ----------------------------------------------------------------------------------------------

type Reached = { text: string; flags: Set<string>; hasLimit: boolean };

/** The rule of an offer and those of all segments and flags that can be reached from it. */
function reached(paired: PairedDocument, { offerId, limitPerPlayer }: OfferEntry): Reached {
  const flags = new Set<string>();
  const texts: string[] = [];
  const read = (cel: string): void => {
    texts.push(cel);
    for (const [, id = ''] of cel.matchAll(/flags\.(\w+)/g)) {
      flags.add(id);
      read(paired.flagRules.get(id)?.cel ?? '');
    }
    for (const [id, rule] of paired.segmentRules) if (cel.includes(`"${id}"`)) read(rule.cel);
  };
  read(paired.offerRules.get(offerId)?.cel ?? '');
  return { text: texts.join(' '), flags, hasLimit: limitPerPlayer !== null };
}

/** Of another node's clock that is ahead, only what has passed here. */
const passed = (moments: readonly (number | null | undefined)[], now: number) =>
  moments.flatMap((instant) => (instant == null ? [] : [Math.min(instant, now)]));

const EVENT_ATTRIBUTE =
  /daysSinceLast|purchases|sessions\.|adImpressions|storeViews|eventCount|playMinutes|activeDays|events\[|spend\[|country|locale/;

function dependsOnEvents({ text, flags, hasLimit }: Reached): boolean {
  return hasLimit || flags.has('isPayer') || EVENT_ATTRIBUTE.test(text);
}

function factMoments({ text, flags, hasLimit }: Reached, facts: PlayerFacts, now: number): number[] {
  const { createdAt, lastEventAt, lastPurchaseAt, history } = facts;
  const firstDayMs = (history.firstDay ?? Number.POSITIVE_INFINITY) * DAY_MS;
  const acts = [lastEventAt, lastPurchaseAt];
  const moments: number[] = [];
  if (dependsOnEvents({ text, flags, hasLimit })) moments.push(...passed(acts, now));
  if (/last7d|last28d/.test(text)) {
    const lastDays = acts.flatMap((act) => (act === null ? [] : [Math.floor(act / DAY_MS) + 28]));
    if (lastDays.length > 0) {
      moments.push(Math.min(Math.floor(now / DAY_MS), Math.max(...lastDays)) * DAY_MS);
    }
  }
  const since = (instant: number | null) => {
    for (let n = 1; instant !== null && instant + n * DAY_MS <= now; n++) moments.push(instant + n * DAY_MS);
  };
  if (text.includes('daysSinceFirstSeen')) since(firstDayMs + DAY_MS <= createdAt ? firstDayMs : createdAt);
  if (text.includes('daysSinceLastEvent')) since(lastEventAt ?? createdAt);
  if (text.includes('daysSinceLastPurchase')) since(lastPurchaseAt);
  return moments;
}

/** For the flags that any offer can reach; isPayer only if what the player does counts for one that runs. */
function flagMoments(
  paired: PairedDocument,
  facts: PlayerFacts,
  now: number,
  behind: readonly Reached[],
): number[] {
  const { offers, flags } = paired.document;
  const ids = new Set(offers.flatMap((offer) => [...reached(paired, offer).flags]));
  if (!behind.some(dependsOnEvents)) ids.delete('isPayer');
  const moments = facts.overrides
    .filter(({ flagId }) => ids.has(flagId))
    .flatMap(({ setAt, until }) => (until === null ? [setAt] : [setAt, until]));
  const { payerForDays } = flags.isPayer;
  if (ids.has('isPayer') && facts.lastPurchaseAt !== null) {
    moments.push(facts.lastPurchaseAt);
    if (payerForDays !== null) moments.push(facts.lastPurchaseAt + payerForDays * DAY_MS);
  }
  return [...moments, ...passed([facts.overridesAt], now)];
}

function languageAndCurrencyMoments(
  { catalogue }: ConfigDocument,
  facts: PlayerFacts,
  now: number,
): number[] {
  const { locale, currency, paidCurrency } = facts.profile;
  const active = catalogue.filter((sku) => sku.active);
  const isTranslated = active.some(({ name, description }) =>
    [name, description].some(({ locales }) => Object.keys(locales).length > 0),
  );
  const hasCurrencies = active.some(({ prices }) => Object.keys(prices).length > 1);
  return [
    ...(isTranslated ? passed([locale?.t], now) : []),
    ...(hasCurrencies ? passed([currency?.t, paidCurrency?.t], now) : []),
  ];
}

// --- The store ----------------------------------------------------------------------------------------------------

function isInShare({ offerId, sharePercent }: OfferEntry, facts: PlayerFacts): boolean {
  return placeOf(`offer:${offerId}`, facts) < sharePercent;
}

/** Whether an offer applies to the player but for its schedule. */
function isEligible(offer: OfferEntry, { offerRules }: PairedDocument, world: World): boolean {
  const { promoId } = offer.effect;
  const bought = promoId === undefined ? 0 : (world.facts.promoPurchases[promoId] ?? 0);
  return (
    isInShare(offer, world.facts) &&
    placeOf(`offer-holdout:${offer.offerId}`, world.facts) >= (offer.holdoutPercent ?? 0) &&
    (offer.limitPerPlayer === null || bought < offer.limitPerPlayer) &&
    (offer.when === null || isTrue(offerRules.get(offer.offerId), world))
  );
}

/** Of those that do not combine only the first; all of those that do. */
function offersFor({ skuId }: SkuEntry, running: readonly OfferEntry[]): OfferEntry[] {
  const about = running.filter(({ skus }) => skus === 'all' || skus.includes(skuId));
  const winner = about.find(({ combine }) => !combine);
  return about.filter((offer) => offer.combine || offer === winner);
}

function isVisible(sku: SkuEntry, offers: readonly OfferEntry[]): boolean {
  const said = offers.map(({ effect }) => effect.visibility).filter((visibility) => visibility !== undefined);
  return said.length === 0 ? sku.hidden !== true : said.at(-1) === 'show';
}

/** The offers that make up the price: the last that sets it and the discounts after it, or else all discounts. */
function pricing(currency: string, offers: readonly OfferEntry[]): OfferEntry[] {
  const priced = offers.filter(({ effect: { price } }) =>
    price === undefined ? false : !('setTo' in price) || price.setTo[currency] !== undefined,
  );
  const last = priced.findLastIndex(({ effect: { price } }) => price !== undefined && 'setTo' in price);
  return priced.slice(Math.max(last, 0));
}

function promotionOf(
  sku: SkuEntry,
  facts: PlayerFacts,
  offers: readonly OfferEntry[],
): OfferEntry | undefined {
  const isPromotion = ({ effect }: OfferEntry) => effect.promoId !== undefined;
  return pricing(currencyOf(sku, facts), offers).find(isPromotion) ?? offers.find(isPromotion);
}

function currencyOf(sku: SkuEntry, facts: PlayerFacts): string {
  const wish = facts.profile.currency?.v ?? facts.profile.paidCurrency?.v ?? '';
  return Object.keys(sku.prices).includes(wish) ? wish : sku.defaultCurrency;
}

const DECIMALS: Record<string, number> = { JPY: 0 };

/** Exact, in hundredths of a percent of minor units. */
function rendered(sku: SkuEntry, facts: PlayerFacts, offers: readonly OfferEntry[], largestDiscount = '100') {
  const currency = currencyOf(sku, facts);
  const promoId = promotionOf(sku, facts, offers)?.effect.promoId;
  const decimals = DECIMALS[currency] ?? 2;
  const minor = (text: string) => BigInt(Math.round(Number(text) * 10 ** decimals));
  const entry = sku.prices[currency] ?? { actualPrice: '0', offerPrice: '0' };
  const [actual, floor] = [minor(entry.actualPrice), minor(entry.floorPrice ?? '0')];
  const kept = (percent: string) => 10_000n - BigInt(Math.round(Number(percent) * 100));

  let price = minor(entry.offerPrice);
  for (const { effect } of offers) {
    if (effect.price === undefined) continue;
    let wanted = price;
    if ('discountPercent' in effect.price) wanted = (price * kept(effect.price.discountPercent)) / 10_000n;
    else if (effect.price.setTo[currency] !== undefined) wanted = minor(effect.price.setTo[currency]);
    else continue;
    // Up, one by one, until no rail forbids it.
    while (wanted < floor || wanted * 10_000n < actual * kept(largestDiscount)) wanted++;
    if (wanted > actual) wanted = actual;
    price = wanted;
  }
  const text = (amount: bigint) => (Number(amount) / 10 ** decimals).toFixed(decimals);
  return {
    skuId: sku.skuId,
    name: translated(sku.name, facts),
    description: translated(sku.description, facts),
    actualPrice: text(actual),
    offerPrice: text(price),
    currency,
    assets: [...sku.assets, ...offers.flatMap(({ effect }) => effect.badges ?? [])],
    ...(promoId === undefined ? {} : { promoId }),
  };
}

function translated({ default: fallback, locales }: SkuEntry['name'], { profile }: PlayerFacts): string {
  const canonical = (locale: string) => locale.toLowerCase().split(/[-_]/);
  const wish = canonical(profile.locale?.v ?? '');
  for (let length = wish.length; length > 0; length--) {
    const match = Object.entries(locales).find(
      ([locale]) => canonical(locale).join() === wish.slice(0, length).join(),
    );
    if (match !== undefined) return match[1];
  }
  return fallback;
}

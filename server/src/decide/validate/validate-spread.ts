import type { Steps } from '../../platform/lib/steps.js';
import { blankFacts } from '../attributes/blank-facts.js';
import { PlayerAttributes } from '../attributes/player-attributes.js';
import { compilationSteps } from '../compile/compile-document.js';
import type {
  CompiledDocument,
  CompiledOffer,
  CompiledSku,
  CompiledSkuPrice,
} from '../compile/compiled-document.js';
import type { ConfigDocument } from '../document/document.js';
import { formatMinorUnits } from '../document/prices.js';
import type { CompiledRule } from '../rules/rules.js';
import type { ProblemList } from './document-problems.js';
import { type PriceRange, reachablePrices } from './reachable-prices.js';

/** Steps of one offer on one price. More of them take seconds. */
const MAX_WORK = 2_000_000;
const BASIS_POINTS = 10_000n;

/** An offer, and whether all players of a country get it while it runs (or only some). */
export type RunningOffer = Readonly<{ offer: CompiledOffer; isCertain: boolean }>;

/**
 * Two players of one country cannot see prices of a SKU that lie further apart than the game allows. Which offers run together is known
 * from their times, and which countries get them from their rules. Which of the other rules exclude each other is not known: any of them
 * may be true for a player.
 */
export function* validateSpread(
  document: ConfigDocument,
  largestSpread: bigint,
  problems: ProblemList,
): Steps<void> {
  const compiled = yield* compilationSteps(document, { version: 0, publishedAt: 0 });
  const countries = yield* countryAudiences(compiled, document);
  const pointers = new Map(document.catalogue.map(({ skuId }, index) => [skuId, `/catalogue/${index}`]));
  let work = 0;
  const bySku = offersBySku(compiled);
  for (const [index, sku] of compiled.skus.entries()) {
    const offers = bySku[index] ?? [];
    const pointer = pointers.get(sku.skuId) ?? '';
    const isTold = new Set<string>();
    for (const running of runningTogether(sku, offers, countries)) {
      for (const [currency, skuPrice] of sku.skuPrices) {
        work += running.length + 1;
        if (work > MAX_WORK) {
          problems.add(
            '/pricing/largestSpreadPercent',
            'The largest spread cannot be checked: too many offers with different times and countries are about the same SKUs.',
          );
          return;
        }
        const range = reachablePrices(running, skuPrice, compiled.holdoutPercent > 0);
        if (isTold.has(currency) || !isWider(range, largestSpread)) continue;
        isTold.add(currency);
        problems.add(pointer, tooWide(range, skuPrice, running, largestSpread));
      }
      yield;
    }
    if (problems.isFull) return;
  }
}

function offersBySku({ skus, offers }: CompiledDocument): readonly CompiledOffer[][] {
  const bySku: CompiledOffer[][] = skus.map(() => []);
  for (const offer of offers) for (const index of offer.skus) bySku[index]?.push(offer);
  return bySku;
}

function isWider({ low, high }: PriceRange, largestSpread: bigint): boolean {
  return (high - low) * BASIS_POINTS > high * largestSpread;
}

function tooWide(
  { low, high }: PriceRange,
  { currency, decimals }: CompiledSkuPrice,
  running: readonly RunningOffer[],
  largestSpread: bigint,
): string {
  const [cheap, dear] = [low, high].map((price) => `${formatMinorUnits(price, decimals)} ${currency}`);
  const by = running.filter(({ isCertain }) => !isCertain).map(({ offer }) => offer.offerId);
  const offers = by.length === 0 ? 'players who are held out do not get the offers' : `by ${by.join(', ')}`;
  return `Two players of one country may see it for ${cheap} and for ${dear} at the same time (${offers}): the largest spread is ${formatMinorUnits(largestSpread, 2)}%.`;
}

/** For each group of countries that get the same offers: the offers that vary by country and that it gets. */
type CountryAudience = ReadonlySet<CompiledOffer>;

function* countryAudiences(
  compiled: CompiledDocument,
  document: ConfigDocument,
): Steps<readonly CountryAudience[]> {
  const offers = compiled.offers.filter(({ variesBy }) => variesBy === 'country');
  const audiences = new Map<string, CountryAudience>();
  for (const country of countriesIn(document)) {
    const facts = { ...blankFacts('', 0), profile: { country: { v: country, t: 0 } } };
    const attributes = new PlayerAttributes(facts, 0);
    for (const node of compiled.flagsAndSegments) {
      if (node.kind === 'segment' && isTrue(node.rule, attributes))
        attributes.segments.add(node.listed.segmentId);
    }
    const got = offers.filter(({ rule }) => rule !== null && isTrue(rule, attributes));
    audiences.set(got.map(({ offerId }) => offerId).join(' '), new Set(got));
    yield;
  }
  return [...audiences.values()];
}

/** A rule that fails is not true. */
function isTrue(rule: CompiledRule, attributes: PlayerAttributes): boolean {
  try {
    return rule.test(attributes);
  } catch {
    return false;
  }
}

/** Those that rules name, and two that none names. */
function countriesIn({ segments, offers }: ConfigDocument): ReadonlySet<string> {
  const rules = [...segments.map(({ rule }) => rule), ...offers.map(({ when }) => when ?? '')];
  const named = rules.flatMap((rule) =>
    [...rule.matchAll(/["']([A-Z]{2})["']/g)].map(([, name = '']) => name),
  );
  return new Set([...named, '', 'ZZ']);
}

/** The different sets of offers about a SKU that run together in one country at one time. */
function runningTogether(
  sku: CompiledSku,
  offers: readonly CompiledOffer[],
  countries: readonly CountryAudience[],
): readonly (readonly RunningOffer[])[] {
  const instants = offers.flatMap(({ from, until }) => [from, until]);
  const sets = new Map<string, readonly RunningOffer[]>();
  for (const now of new Set([sku.from, ...instants])) {
    if (now < sku.from || now >= sku.until) continue;
    const running = offers.filter(({ from, until }) => from <= now && now < until);
    // Windows of schedules are open together, or closed.
    const unscheduled = running.filter(({ schedule }) => schedule === null);
    for (const [audience, open] of countries.flatMap((each) => [
      [each, running] as const,
      [each, unscheduled] as const,
    ])) {
      const got = open.filter((offer) => offer.variesBy !== 'country' || audience.has(offer));
      sets.set(
        got.map(({ offerId }) => offerId).join(' '),
        got.map((offer) => ({
          offer,
          isCertain: offer.holdout === null && (offer.variesBy === 'nothing' || offer.variesBy === 'country'),
        })),
      );
    }
  }
  return [...sets.values()];
}

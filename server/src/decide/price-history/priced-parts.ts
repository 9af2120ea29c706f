import { ATTRIBUTE_REGISTRY } from '../attributes/attributes.js';
import { blankFacts } from '../attributes/blank-facts.js';
import { PlayerAttributes } from '../attributes/player-attributes.js';
import { compileOffer, compileSku } from '../compile/compile-catalogue.js';
import type { CompiledOffer, CompiledSku } from '../compile/compiled-document.js';
import { variesBy } from '../compile/price-basis.js';
import type { ConfigDocument } from '../document/document.js';
import { hasHoldout } from '../document/offer-holdouts.js';
import { DEFAULT_STUDIO_ZONE } from '../document/parts/calendar.js';
import type { SkuEntry } from '../document/parts/catalogue.js';
import type { OfferEntry } from '../document/parts/offers.js';
import { toBasisPoints } from '../document/prices.js';
import type { KnownExperiments } from '../rules/rule-paths.js';
import { type CompiledRule, compileRule } from '../rules/rules.js';
import { scheduleCompiler } from '../schedules/schedule-compiler.js';

/** An offer of a former version, and who could have got it. */
export type PricedOffer = Readonly<{
  offer: CompiledOffer;
  /** For everybody of a country, for some platforms there, or for single players. */
  reach: 'country' | 'platform' | 'player';
  /** By country, and the same everywhere if it does not read the country. */
  appliesIn: (country: string) => boolean;
  readsCountry: boolean;
}>;

/** What decides about the price of a SKU in one version. */
export type PricedSku = Readonly<{
  sku: CompiledSku;
  offers: readonly PricedOffer[];
  /** Whether it differs by the country, or by the zone, of players. */
  readsCountry: boolean;
  readsZone: boolean;
}>;

export function pricedSku(sku: CompiledSku, offers: readonly PricedOffer[]): PricedSku {
  const timed = [sku, ...offers.map(({ offer }) => offer)];
  return {
    sku,
    offers,
    readsCountry: offers.some(({ readsCountry }) => readsCountry),
    readsZone: timed.some(({ schedule }) => schedule !== null && schedule.zone === null),
  };
}

/**
 * Compiles what decides about prices. Versions that follow each other are mostly the same, so equal entries are compiled once, and are the
 * same objects. What two versions in a row do not have is forgotten.
 */
export class PricedParts {
  readonly #skus = new Map<string, CompiledSku | null>();
  readonly #offers = new Map<string, PricedOffer | null>();
  #skusBefore: ReadonlyMap<string, CompiledSku | null> = new Map();
  #offersBefore: ReadonlyMap<string, PricedOffer | null> = new Map();

  constructor(before: PricedParts | null = null) {
    if (before === null) return;
    this.#skusBefore = before.#skus;
    this.#offersBefore = before.#offers;
  }

  forgetBefore(): void {
    this.#skusBefore = new Map();
    this.#offersBefore = new Map();
  }

  /** Null for a SKU that cannot be sold. */
  sku(entry: SkuEntry, document: ConfigDocument): CompiledSku | null {
    const zone = studioZoneOf(document);
    const { largestDiscountPercent } = document.store;
    const { name: _, description: __, assets: ___, ...priced } = entry;
    return known(this.#skus, this.#skusBefore, JSON.stringify([priced, largestDiscountPercent, zone]), () =>
      compileSku(entry, toBasisPoints(largestDiscountPercent), null, scheduleCompiler(zone)),
    );
  }

  /** Null for an offer that changes no price. */
  offer(entry: OfferEntry, document: ConfigDocument): PricedOffer | null {
    const zone = studioZoneOf(document);
    const { skus: _, name: __, ...priced } = entry;
    return known(this.#offers, this.#offersBefore, JSON.stringify([priced, zone]), () => {
      const { price, visibility } = entry.effect;
      if ((price === undefined && visibility === undefined) || entry.sharePercent === 0) return null;
      const rule = entry.when === null ? null : ownRule(entry.when);
      const reads = rule === null ? [] : rule.reads.map(({ name }) => name);
      // The local time of the player is known when the history is read.
      const { sharePercent, limitPerPlayer } = entry;
      const isOpaque = entry.when !== null && rule === null;
      // A lot decides who is held out.
      const isByPlayer = isOpaque || hasHoldout(entry);
      const varies = isByPlayer ? 'player' : variesBy({ sharePercent, limitPerPlayer }, new Set(reads));
      const offer = compileOffer(entry, rule, 0, varies, NO_SKUS, scheduleCompiler(zone));
      if (varies === 'player' || varies === 'platform')
        return { offer, reach: varies, appliesIn: () => true, readsCountry: false };
      return { offer, reach: 'country', appliesIn: countryTest(rule), readsCountry: rule !== null };
    });
  }
}

function known<T>(
  cache: Map<string, T | null>,
  before: ReadonlyMap<string, T | null>,
  key: string,
  make: () => T | null,
): T | null {
  const found = cache.has(key) ? cache.get(key) : before.get(key);
  if (found !== undefined) {
    cache.set(key, found);
    return found;
  }
  let made: T | null = null;
  try {
    made = make();
  } catch {
    // What cannot be compiled was left out when it was in force.
  }
  cache.set(key, made);
  return made;
}

/** There are about 250. */
const MAX_COUNTRIES = 300;
const NO_SKUS: ReadonlyMap<string, number> = new Map();
const NO_NAMES: ReadonlySet<string> = new Set();
const NO_EXPERIMENTS: KnownExperiments = new Map();

/** Null for a rule that refers to segments, flags or experiments, or fails: only single players can tell whether it holds. */
function ownRule(expression: string): CompiledRule | null {
  const scope = {
    attributes: ATTRIBUTE_REGISTRY,
    segments: NO_NAMES,
    flags: NO_NAMES,
    experiments: NO_EXPERIMENTS,
  };
  const compiled = compileRule(expression, scope);
  return compiled.ok ? compiled.rule : null;
}

/** Of a rule that reads nothing but the country. Timelines ask for the same countries again and again. */
function countryTest(rule: CompiledRule | null): (country: string) => boolean {
  if (rule === null) return () => true;
  const answers = new Map<string, boolean>();
  return (country) => {
    const answer = answers.get(country) ?? holdsIn(rule, country);
    if (answers.size < MAX_COUNTRIES) answers.set(country, answer);
    return answer;
  };
}

function holdsIn(rule: CompiledRule, country: string): boolean {
  const facts = { ...blankFacts('', 0), profile: { country: { v: country, t: 0 } } };
  try {
    return rule.test(new PlayerAttributes(facts, 0));
  } catch {
    return false;
  }
}

function studioZoneOf({ calendar }: ConfigDocument): string {
  return calendar?.studioZone ?? DEFAULT_STUDIO_ZONE;
}

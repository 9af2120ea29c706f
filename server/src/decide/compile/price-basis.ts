import type { Steps } from '../../platform/lib/steps.js';
import type { AttributePath } from '../attributes/attribute.js';
import { OTHER_COUNTRIES, type PricingSettings } from '../document/parts/pricing.js';

/**
 * What a price follows from: `list` is that of the catalogue, `scheduled` depends on the time, the country and the platform
 * only, `personal` depends on anything else about the player.
 */
export type PriceBasis = 'list' | 'scheduled' | 'personal';

/** What a rule, or a flag or segment behind it, reads. */
export type Reading = Readonly<{
  reads: readonly AttributePath[];
  /** The flags, segments and experiments that it refers to, as `nodeNames` writes them. */
  needs: readonly string[];
  /** Attributes that it stands for besides. */
  also?: readonly string[];
}>;

/** Nothing: at one time, all players get it. */
export type VariesBy = 'nothing' | 'country' | 'platform' | 'player';

/**
 * The names of the attributes that decide about a rule, also through segments and flags. A segment is only its rule, so it is
 * not listed itself, and neither is an experiment that is decided. A flag is listed: an override may set it for one player.
 */
export function attributesBehind(reading: Reading, nodes: ReadonlyMap<string, Reading>): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { reads, also = [] } of readingsBehind(reading, nodes).values()) {
    for (const name of also) names.add(name);
    for (const { name } of reads) if (name !== 'segments' && name !== 'experiments') names.add(name);
  }
  return names;
}

/** The ids of the experiments that decide about a rule, also through segments and flags. */
export function experimentsBehind(reading: Reading, nodes: ReadonlyMap<string, Reading>): string[] {
  return [...readingsBehind(reading, nodes).keys()]
    .filter((name) => name.startsWith(EXPERIMENT))
    .map((name) => name.slice(EXPERIMENT.length));
}

const EXPERIMENT = 'experiment:';

/** A reading, and those of all that it refers to, by name. */
function readingsBehind(reading: Reading, nodes: ReadonlyMap<string, Reading>): Map<string, Reading> {
  const found = new Map([['', reading]]);
  const visit = ({ needs }: Reading): void => {
    for (const need of needs) {
      const node = nodes.get(need);
      if (node === undefined || found.has(need)) continue;
      found.set(need, node);
      visit(node);
    }
  };
  visit(reading);
  return found;
}

type Audience = Readonly<{
  sharePercent: number;
  limitPerPlayer: number | null;
  schedule?: Readonly<{ zone: string }> | undefined;
}>;

/** Of an offer whose rule follows from these attributes. A share is drawn from the player's id, and a limit counts the player's purchases. */
export function variesBy(
  { sharePercent, limitPerPlayer, schedule }: Audience,
  attributes: ReadonlySet<string>,
): VariesBy {
  if (sharePercent < 100 || limitPerPlayer !== null) return 'player';
  if ([...attributes].some((name) => name !== 'country' && name !== 'os')) return 'player';
  // The local time of the player is a time: it may differ within a country, as platforms do.
  if (attributes.has('os') || schedule?.zone === 'player') return 'platform';
  return attributes.has('country') ? 'country' : 'nothing';
}

/** Whether an offer can apply to one player and not to another of the same country and platform. */
export function isPersonal({ variesBy }: Readonly<{ variesBy: VariesBy }>): boolean {
  return variesBy === 'player';
}

/** What a response says about a price, and the same as it is sent. */
export type PriceNote = Readonly<{
  members: Readonly<{ priceBasis: PriceBasis; priceNotice?: string }>;
  json: string;
}>;

/** Which price a player is shown, and where. */
export type PriceQuestion = Readonly<{
  skuId: string;
  currency: string;
  country: string;
  /** That of the player. */
  zone: string;
  /** What the player is asked for now, and whether it follows from anything besides time, country and platform. */
  price: bigint;
  isPersonal: boolean;
  now: number;
}>;

/** The lowest price of the 30 days before the present reduction began; null: there is none, or it is not known. In short steps. */
export type LowestPriceBefore = (question: PriceQuestion) => Steps<bigint | null>;

export type CompiledPricing = Readonly<{
  list: PriceNote;
  scheduled: PriceNote;
  /** By country. */
  personal: ReadonlyMap<string, PriceNote>;
  /** For players of all other countries. */
  personalElsewhere: PriceNote;
  /** Whose players are told the lowest price before a reduction. */
  lowestPriceCountries: ReadonlySet<string>;
}>;

export function compilePricing({ notices, lowestPriceCountries = [] }: PricingSettings): CompiledPricing {
  const { [OTHER_COUNTRIES]: elsewhere, ...countries } = notices;
  return {
    list: priceNote('list'),
    scheduled: priceNote('scheduled'),
    personal: new Map(
      Object.entries(countries).map(([country, notice]) => [country, priceNote('personal', notice)]),
    ),
    personalElsewhere: priceNote('personal', elsewhere),
    lowestPriceCountries: new Set(lowestPriceCountries),
  };
}

export function tellsLowestPrice({ lowestPriceCountries }: CompiledPricing, country: string): boolean {
  return lowestPriceCountries.has(country) || lowestPriceCountries.has(OTHER_COUNTRIES);
}

/** Null where the game says nothing about its prices. */
export function noteOf(
  pricing: CompiledPricing | null,
  basis: PriceBasis,
  country: string,
): PriceNote | null {
  if (pricing === null) return null;
  return basis === 'personal' ? (pricing.personal.get(country) ?? pricing.personalElsewhere) : pricing[basis];
}

function priceNote(priceBasis: PriceBasis, priceNotice?: string): PriceNote {
  const members = priceNotice === undefined ? { priceBasis } : { priceBasis, priceNotice };
  return { members, json: `,${JSON.stringify(members).slice(1, -1)}` };
}

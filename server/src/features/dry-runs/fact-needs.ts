import type { AttributePath } from '../../personalisation/attributes/attributes.js';
import type { PlayerProfile } from '../../personalisation/attributes/player-facts.js';
import type { CompiledDocument } from '../../personalisation/compile/compiled-document.js';

export type ProfileMember = keyof PlayerProfile;

/** What is added up over days. */
export type DaySource =
  | 'events'
  | 'sessions'
  | 'adImpressions'
  | 'storeViews'
  | 'playMs'
  | 'purchases'
  | 'eventCounts'
  | 'revenue';

export type WindowNeed = { source: DaySource; key: string | null; last7d: boolean; last28d: boolean };

/**
 * What the rules of some documents ask about a player. A game has millions of players: what no rule asks is not read, and
 * what is read decides how long a dry run takes. What flags and shares of players need is read in any case.
 */
export type FactNeeds = Readonly<{
  createdAt: boolean;
  lastEventAt: boolean;
  eventCount: boolean;
  /** Event types that are asked for over all time. */
  eventTypes: ReadonlySet<string>;
  profile: ReadonlySet<ProfileMember>;
  windows: readonly Readonly<WindowNeed>[];
  /** Promotions of offers with a limit per player. */
  promoIds: ReadonlySet<string>;
}>;

export function factNeeds(documents: readonly CompiledDocument[]): FactNeeds {
  const needs = new Needs();
  for (const { standing, offers } of documents) {
    for (const { rule } of [...standing, ...offers]) {
      for (const path of rule?.reads ?? []) needs.add(path);
    }
    for (const { limitPerPlayer, promoId } of offers) {
      if (limitPerPlayer !== null && promoId !== null) needs.promoIds.add(promoId);
    }
  }
  return { ...needs, windows: [...needs.windows.values()] };
}

const PROFILE: ReadonlyMap<string, ProfileMember> = new Map<string, ProfileMember>([
  ['country', 'country'],
  ['locale', 'locale'],
  ['os', 'osName'],
  ['osVersion', 'osVersion'],
  ['deviceType', 'deviceType'],
]);

const DAY_SOURCES: ReadonlyMap<string, DaySource> = new Map<string, DaySource>([
  ['purchases', 'purchases'],
  ['sessions', 'sessions'],
  ['adImpressions', 'adImpressions'],
  ['storeViews', 'storeViews'],
  ['playMinutes', 'playMs'],
  // Both come from the events of a day: how many, and whether there were any.
  ['eventCount', 'events'],
  ['activeDays', 'events'],
  ['events', 'eventCounts'],
  ['spend', 'revenue'],
]);

/** What is a total of its own, and not a column, is counted by its type. */
const TYPE_OF_TOTAL: ReadonlyMap<string, string> = new Map([
  ['sessions', 'Session_Start'],
  ['adImpressions', 'Ad_Impression'],
  ['storeViews', 'Store_View'],
]);

class Needs {
  createdAt = false;
  lastEventAt = false;
  eventCount = false;
  readonly eventTypes = new Set<string>();
  readonly profile = new Set<ProfileMember>();
  readonly windows = new Map<string, WindowNeed>();
  readonly promoIds = new Set<string>();

  add(path: AttributePath): void {
    const profile = PROFILE.get(path.name);
    if (profile !== undefined) this.profile.add(profile);
    else if (path.field === 'last7d' || path.field === 'last28d') this.#addWindow(path, path.field);
    else this.#addTotal(path);
  }

  #addTotal({ name, key }: AttributePath): void {
    const eventType = name === 'events' ? key : TYPE_OF_TOTAL.get(name);
    if (eventType != null) this.eventTypes.add(eventType);
    else if (name === 'eventCount') this.eventCount = true;
    else if (name === 'daysSinceFirstSeen') this.createdAt = true;
    else if (name === 'daysSinceLastEvent') {
      this.lastEventAt = true;
      // Whoever sent none was last seen at the first login.
      this.createdAt = true;
    } else if (!ALWAYS_READ.has(name)) throw new Error(`a dry run cannot read the attribute ${name}`);
  }

  #addWindow({ name, key }: AttributePath, field: 'last7d' | 'last28d'): void {
    const source = DAY_SOURCES.get(name);
    if (source === undefined) throw new Error(`a dry run cannot read the attribute ${name}`);
    const id = `${source}:${key ?? ''}`;
    const need = this.windows.get(id) ?? { source, key, last7d: false, last28d: false };
    need[field] = true;
    this.windows.set(id, need);
  }
}

/** Purchases and spend also say who pays; flags and segments are worked out. */
const ALWAYS_READ: ReadonlySet<string> = new Set([
  'purchases',
  'daysSinceLastPurchase',
  'spend',
  'flags',
  'segments',
]);

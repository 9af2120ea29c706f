import type { DaySource, FactSource, PlayerFact } from '../../decide/attributes/fact-source.js';
import type { ProfileMember } from '../../decide/attributes/player-facts.js';
import type { CompiledDocument } from '../../decide/compile/compiled-document.js';

export type WindowNeed = { source: DaySource; key: string | null; last7d: boolean; last28d: boolean };

/**
 * The facts about a player that the rules of some documents use. Only these facts are read, because a game may have millions of
 * players, and reading facts takes most of the time of a dry run. The facts for flags and shares of players are always read.
 */
export type FactNeeds = Readonly<Record<PlayerFact, boolean>> &
  Readonly<{
    /** Event types whose counts over all time are used. */
    eventTypes: ReadonlySet<string>;
    profile: ReadonlySet<ProfileMember>;
    windows: readonly Readonly<WindowNeed>[];
    /** Promotion ids of offers with a limit per player. */
    promoIds: ReadonlySet<string>;
    /** The facts that predictions are computed from. */
    history: boolean;
    /** The keys of own attributes. */
    own: ReadonlySet<string>;
    /** Stays in segments with two thresholds. */
    stays: boolean;
    /** Arms of experiments that players have been told. */
    exposures: boolean;
  }>;

export function factNeeds(documents: readonly CompiledDocument[]): FactNeeds {
  const needs = new Needs();
  for (const { attributes, flagsAndSegments, offers, values, experiments, skuSchedules } of documents) {
    const ofValues = values.flatMap(({ rules }) => rules);
    for (const { rule } of [...flagsAndSegments, ...offers, ...ofValues, ...experiments.values()]) {
      for (const path of rule?.reads ?? []) {
        for (const source of attributes.valueAt(path).factsOf(path.key ?? '')) needs.add(source);
      }
    }
    if (flagsAndSegments.some((node) => node.kind === 'segment' && node.thresholds !== null)) {
      needs.stays = true;
    }
    if ([...experiments.values()].some(({ state }) => state === 'running')) needs.exposures = true;
    const flags = flagsAndSegments.filter((node) => node.kind === 'flag');
    const schedules = [
      ...skuSchedules,
      ...[...flags, ...offers, ...ofValues].map(({ schedule }) => schedule),
    ];
    if (schedules.some((schedule) => schedule?.zone === null)) needs.profile.add('timeZone');
    for (const { limitPerPlayer, promoId } of offers) {
      if (limitPerPlayer !== null && promoId !== null) needs.promoIds.add(promoId);
    }
  }
  return { ...needs, windows: [...needs.windows.values()] };
}

class Needs {
  createdAt = false;
  firstDay = false;
  lastEventAt = false;
  eventCount = false;
  // The report also needs these: they say who pays, and how much.
  purchaseCount = true;
  lastPurchaseAt = true;
  spend = true;
  readonly eventTypes = new Set<string>();
  readonly profile = new Set<ProfileMember>();
  readonly windows = new Map<string, WindowNeed>();
  readonly promoIds = new Set<string>();
  history = false;
  readonly own = new Set<string>();
  stays = false;
  exposures = false;

  add(source: FactSource): void {
    switch (source.of) {
      case 'player':
        this[source.fact] = true;
        break;
      case 'profile':
        this.profile.add(source.member);
        break;
      case 'eventType':
        this.eventTypes.add(source.eventType);
        break;
      case 'days':
        this.#addWindow(source);
        break;
      case 'own':
        this.own.add(source.key);
        break;
      case 'history':
        this.history = true;
    }
  }

  #addWindow({ source, key, window }: Extract<FactSource, { of: 'days' }>): void {
    const id = `${source}:${key ?? ''}`;
    const need = this.windows.get(id) ?? { source, key, last7d: false, last28d: false };
    need[window] = true;
    this.windows.set(id, need);
  }
}

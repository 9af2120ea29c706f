import { type AttributePath, NEVER_DAYS } from './attributes.js';
import { Amounts, Counts, type Days, LazyMap, WindowCounts } from './day-windows.js';
import { epochDay, numberIn, type PlayerFacts } from './player-facts.js';
import { daysSince, lastSeenAt } from './time-basis.js';

/**
 * The attributes of one player at one moment: what rules are evaluated on. Nothing is worked out before a rule asks for
 * it, and nothing twice. The getters are those that `ATTRIBUTES` lists.
 */
export class PlayerAttributes {
  /** Filled in dependency order while deciding: a rule finds there whatever it may refer to. */
  readonly segments = new Map<string, boolean>();
  readonly flags = new Map<string, boolean>();
  readonly #facts: PlayerFacts;
  readonly #now: number;
  readonly #days: Days;
  #purchases: Counts | undefined;
  #sessions: Counts | undefined;
  #adImpressions: Counts | undefined;
  #storeViews: Counts | undefined;
  #eventCount: Counts | undefined;
  #playMinutes: WindowCounts | undefined;
  #activeDays: WindowCounts | undefined;
  #events: LazyMap<Counts> | undefined;
  #spend: LazyMap<Amounts> | undefined;

  constructor(facts: PlayerFacts, now: number) {
    this.#facts = facts;
    this.#now = now;
    this.#days = { rows: facts.days, today: epochDay(now) };
  }

  get daysSinceFirstSeen(): bigint {
    return BigInt(daysSince(this.#facts.createdAt, this.#now));
  }

  get daysSinceLastEvent(): bigint {
    return BigInt(daysSince(lastSeenAt(this.#facts), this.#now));
  }

  get daysSinceLastPurchase(): bigint {
    const { lastPurchaseAt } = this.#facts;
    return BigInt(lastPurchaseAt === null ? NEVER_DAYS : daysSince(lastPurchaseAt, this.#now));
  }

  get purchases(): Counts {
    this.#purchases ??= new Counts(this.#facts.purchaseCount, this.#days, (day) => day.purchases);
    return this.#purchases;
  }

  get sessions(): Counts {
    this.#sessions ??= new Counts(this.#totalOf('Session_Start'), this.#days, (day) => day.sessions);
    return this.#sessions;
  }

  get adImpressions(): Counts {
    const total = this.#totalOf('Ad_Impression');
    this.#adImpressions ??= new Counts(total, this.#days, (day) => day.adImpressions);
    return this.#adImpressions;
  }

  get storeViews(): Counts {
    this.#storeViews ??= new Counts(this.#totalOf('Store_View'), this.#days, (day) => day.storeViews);
    return this.#storeViews;
  }

  get eventCount(): Counts {
    this.#eventCount ??= new Counts(this.#facts.eventCount, this.#days, (day) => day.events);
    return this.#eventCount;
  }

  get playMinutes(): WindowCounts {
    this.#playMinutes ??= new WindowCounts(this.#days, (day) => day.playMs, 60_000);
    return this.#playMinutes;
  }

  get activeDays(): WindowCounts {
    this.#activeDays ??= new WindowCounts(this.#days, (day) => (day.events > 0 ? 1 : 0), 1);
    return this.#activeDays;
  }

  get events(): Map<string, Counts> {
    this.#events ??= new LazyMap(
      (type) =>
        new Counts(this.#totalOf(type), this.#days, (day, key) => numberIn(day.eventCounts, key), type),
    );
    return this.#events;
  }

  get spend(): Map<string, Amounts> {
    this.#spend ??= new LazyMap((currency) => {
      const total = numberIn(this.#facts.spend, currency);
      return new Amounts(total, this.#days, (day, key) => numberIn(day.revenue, key), currency);
    });
    return this.#spend;
  }

  get country(): string {
    return this.#facts.profile.country?.v ?? '';
  }

  get locale(): string {
    return this.#facts.profile.locale?.v ?? '';
  }

  get os(): string {
    return this.#facts.profile.osName?.v ?? '';
  }

  get osVersion(): string {
    return this.#facts.profile.osVersion?.v ?? '';
  }

  get deviceType(): string {
    return this.#facts.profile.deviceType?.v ?? '';
  }

  #totalOf(eventType: string): number {
    return numberIn(this.#facts.eventCounts, eventType);
  }
}

/** The value a rule finds at a path, as JSON has it. */
export function readPath(attributes: PlayerAttributes, path: AttributePath): string | number | boolean {
  let found: unknown = (attributes as unknown as Record<string, unknown>)[path.name];
  if (path.key !== null) found = (found as Map<string, unknown>).get(path.key) ?? false;
  if (path.field !== null) found = (found as Record<string, unknown>)[path.field];
  return typeof found === 'bigint' ? Number(found) : (found as string | number | boolean);
}

import { epochDay, type PlayerDay, type PlayerFacts } from './player-facts.js';

/**
 * The attributes of one player at one moment: what rules are evaluated on. Nothing is worked out before a rule asks for
 * it, and no sum over days twice. `attributes.ts` defines what rules can ask for.
 */
export class PlayerAttributes {
  readonly facts: PlayerFacts;
  readonly now: number;
  /** Filled in dependency order while deciding: a rule finds there whatever it may refer to. */
  readonly segments = new Set<string>();
  readonly flags = new Map<string, boolean>();
  readonly #sums = new Map<string, DaySums>();

  constructor(facts: PlayerFacts, now: number) {
    this.facts = facts;
    this.now = now;
  }

  sums(sum: DaySum): DaySums {
    let sums = this.#sums.get(sum.id);
    if (sums === undefined) {
      sums = new DaySums(this, sum);
      this.#sums.set(sum.id, sums);
    }
    return sums;
  }
}

export type AttributeValue = string | number | boolean;
export type AttributeReader = (attributes: PlayerAttributes) => AttributeValue;

/** Something that is counted or added up day by day. */
export type DaySum = Readonly<{
  /** Equal sums have equal ids. */
  id: string;
  ofDay: (day: PlayerDay) => number;
  /** What a sum over days becomes. */
  finish: (sum: number) => number;
}>;

class DaySums {
  readonly #attributes: PlayerAttributes;
  readonly #sum: DaySum;
  #last7d: number | undefined;
  #last28d: number | undefined;

  constructor(attributes: PlayerAttributes, sum: DaySum) {
    this.#attributes = attributes;
    this.#sum = sum;
  }

  get last7d(): number {
    this.#last7d ??= this.#over(7);
    return this.#last7d;
  }

  get last28d(): number {
    this.#last28d ??= this.#over(28);
    return this.#last28d;
  }

  /** Over today and the days before it. */
  #over(days: number): number {
    const { facts, now } = this.#attributes;
    const today = epochDay(now);
    let sum = 0;
    for (const day of facts.days) {
      if (day.epochDay <= today && day.epochDay > today - days) sum += this.#sum.ofDay(day);
    }
    return this.#sum.finish(sum);
  }
}

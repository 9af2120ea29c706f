import type { NotWorkedOut } from '../own-attributes/own-facts.js';
import type { PredictionName } from '../predict/artefact.js';
import { type ModelsInForce, UNTRAINED_MODELS } from '../predict/models-in-force.js';
import { type Predictions, score, switchOff } from '../predict/score.js';
import { epochDay, type PlayerDay, type PlayerFacts } from './player-facts.js';
import { predictionFacts } from './player-history.js';

/**
 * The attributes of one player at one instant: what rules are evaluated on. Nothing is computed before a rule asks for it,
 * and each sum over days is computed once; predictions are computed once, all of them together. `attributes.ts` defines what
 * rules can ask for.
 */
export class PlayerAttributes {
  readonly facts: PlayerFacts;
  readonly now: number;
  /** Filled in dependency order while deciding: a rule finds everything there that it may refer to. */
  readonly segments = new Set<string>();
  readonly flags = new Map<string, boolean>();
  /** The arms of experiments: those of a decision, which decides each when it is asked for. */
  arms: Arms = NO_ARMS;
  /** Flags, segments and experiments that could not be decided, because they follow from an own attribute that is not worked out yet. */
  readonly #undecided = new Map<string, NotWorkedOut>();
  readonly #models: ModelsInForce;
  readonly #off: ReadonlySet<PredictionName>;
  readonly #sums = new Map<string, DaySums>();
  #predictions: Predictions | undefined;

  /** Without models, predictions are the averages that every game begins with. */
  constructor(
    facts: PlayerFacts,
    now: number,
    models: ModelsInForce = UNTRAINED_MODELS,
    off: ReadonlySet<PredictionName> = NONE_OFF,
  ) {
    this.facts = facts;
    this.now = now;
    this.#models = models;
    this.#off = off;
  }

  noteUndecided(kind: string, id: string, reason: NotWorkedOut): void {
    this.#undecided.set(`${kind}:${id}`, reason);
  }

  /** An override decides whatever the rule says. */
  noteDecided(kind: string, id: string): void {
    this.#undecided.delete(`${kind}:${id}`);
  }

  /** A rule that refers to an undecided flag, segment or experiment cannot be decided either. */
  requireDecided(kind: 'flag' | 'segment' | 'experiment', id: string): void {
    if (this.#undecided.size === 0) return;
    const reason = this.#undecided.get(`${kind}:${id}`);
    if (reason !== undefined) throw reason;
  }

  get predictions(): Predictions {
    this.#predictions ??= this.#score();
    return this.#predictions;
  }

  #score(): Predictions {
    const { artefact, distrusted } = this.#models;
    const scored = score(predictionFacts(this.facts), artefact, epochDay(this.now), distrusted);
    return switchOff(scored, this.#off);
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

/** The variant of a player in an experiment; an empty text for who is not in it. */
export type Arms = Readonly<{ variantOf(experimentId: string): string }>;

const NO_ARMS: Arms = { variantOf: () => '' };

const NONE_OFF: ReadonlySet<PredictionName> = new Set();

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

import { writePath } from '../attributes/attribute.js';
import { predictionsOffFor } from '../attributes/children.js';
import {
  type AttributeReader,
  type AttributeValue,
  PlayerAttributes,
} from '../attributes/player-attributes.js';
import type { PlayerFacts } from '../attributes/player-facts.js';
import type { TimeBasis } from '../attributes/time-basis.js';
import type { CompiledDocument } from '../compile/compiled-document.js';
import { NotWorkedOut } from '../own-attributes/own-facts.js';
import { type ModelsInForce, UNTRAINED_MODELS } from '../predict/models-in-force.js';
import type { CompiledRule } from '../rules/rules.js';
import type { CompiledSchedule, ScheduleState } from '../schedules/windows.js';
import { isTimeZone } from '../schedules/zone-time.js';
import { PlayerArms } from './decide-arm.js';
import type { DecidedArm, RuleTrace, StayChange, Trace } from './decision.js';

/** What went wrong while deciding: `segment:whales`, `offer:winter`, or `store` for the whole of it. */
export type OnDecisionError = (part: string, error: unknown) => void;

/** What a rule belongs to. */
type RuleOwner = 'flag' | 'segment' | 'offer' | 'value' | 'experiment';

/** The player's zone, or that of the studio where it is not known. */
export function zoneOf({ studioZone }: CompiledDocument, { profile }: PlayerFacts): string {
  const zone = profile.timeZone?.v;
  return zone !== undefined && isTimeZone(zone) ? zone : studioZone;
}

/** One decision in the making. */
export class DecisionContext {
  readonly document: CompiledDocument;
  readonly facts: PlayerFacts;
  readonly now: number;
  readonly models: ModelsInForce;
  readonly attributes: PlayerAttributes;
  readonly arms: PlayerArms;
  readonly trace: Trace | null;
  /** All that the decision has turned out to depend on so far. */
  basis: TimeBasis;
  nextBoundary = Number.POSITIVE_INFINITY;
  readonly stayChanges: StayChange[] = [];
  readonly holdouts: DecidedArm[] = [];
  readonly #onError: OnDecisionError;
  #error: string | null = null;

  constructor(
    document: CompiledDocument,
    facts: PlayerFacts,
    now: number,
    isTraced: boolean,
    onError: OnDecisionError,
    models: ModelsInForce = UNTRAINED_MODELS,
  ) {
    this.document = document;
    this.facts = facts;
    this.now = now;
    this.models = models;
    this.attributes = new PlayerAttributes(facts, now, models, predictionsOffFor(facts, document));
    this.arms = new PlayerArms(this);
    this.attributes.arms = this.arms;
    this.basis = document.flagsAndSegmentsBasis;
    this.trace = isTraced
      ? { flags: [], segments: [], offers: [], skus: [], values: [], experiments: [] }
      : null;
    this.#onError = onError;
  }

  /** Notes a moment at which something changes. Says whether it has passed. */
  noteBoundary(boundary: number): boolean {
    if (boundary <= this.now) return true;
    if (boundary < this.nextBoundary) this.nextBoundary = boundary;
    return false;
  }

  /** The moment itself, or now for one that was noted by a node whose clock is ahead. */
  atMostNow(instant: number): number {
    if (instant <= this.now) return instant;
    this.noteBoundary(this.now + 1);
    return this.now;
  }

  get zone(): string {
    return zoneOf(this.document, this.facts);
  }

  /** What a schedule says now. Its next boundary is noted. */
  stateOf(schedule: CompiledSchedule): ScheduleState {
    const state = schedule.stateAt(this.now, schedule.zone ?? this.zone);
    this.noteBoundary(state.until);
    return state;
  }

  /** Undefined if the rule fails, which is reported, or if it needs what is not worked out for the player yet. */
  test(rule: CompiledRule, kind: RuleOwner, id: string): boolean | undefined {
    try {
      const result = rule.test(this.attributes);
      // The rule may have asked for an arm, which tests another rule.
      this.#error = null;
      return result;
    } catch (error) {
      this.#error = (error as Error).message;
      if (error instanceof NotWorkedOut) this.attributes.noteUndecided(kind, id, error);
      else this.report(`${kind}:${id}`, error);
      return undefined;
    }
  }

  /** Null for what is not worked out yet. */
  #read(read: AttributeReader): AttributeValue | null {
    try {
      return read(this.attributes);
    } catch {
      return null;
    }
  }

  report(part: string, error: unknown): void {
    this.#onError(part, error);
  }

  /** Of the rule that was tested last. */
  traceOf(rule: CompiledRule, result: boolean | undefined): RuleTrace {
    const { attributes } = this.document;
    const error = this.#error;
    const values = rule.reads.map((path) => [writePath(path), this.#read(attributes.readerOf(path))]);
    return {
      expression: rule.expression,
      result: result === true,
      error,
      values: Object.fromEntries(values),
    };
  }
}

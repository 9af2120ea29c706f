import { runSteps, type Steps } from '../../platform/lib/steps.js';
import type { PlayerFacts } from '../attributes/player-facts.js';
import { nextTimeChange } from '../attributes/time-basis.js';
import type { CompiledDocument } from '../compile/compiled-document.js';
import type { ModelsInForce } from '../predict/models-in-force.js';
import { decideFlagsAndSegments } from './decide-flags-and-segments.js';
import { decideStore, isHeldOut } from './decide-store.js';
import { decideValues } from './decide-values.js';
import type { Decision } from './decision.js';
import { DecisionContext, type OnDecisionError } from './decision-context.js';
import { notePinBoundaries } from './in-force.js';

export type DecideOptions = Readonly<{
  /** Needed where the document uses predictions. Without models, predictions are the averages that every game begins with. */
  models?: ModelsInForce | undefined;
  /** Records the reasons, for explanations. The outcome is the same. */
  trace?: boolean;
  /** Called for every rule that fails, and if personalising the store fails as a whole. */
  onError?: OnDecisionError;
}>;

const ignore: OnDecisionError = () => {};

/**
 * What a player is told at an instant: flags, segments, store and values. A pure function of the published document, the facts about
 * the player, the models in force and the clock. It never throws because of a rule.
 */
export function decide(
  document: CompiledDocument,
  facts: PlayerFacts,
  now: number,
  options?: DecideOptions,
): Decision {
  return runSteps(decisionSteps(document, facts, now, options));
}

/** The same in steps, more of them for a larger store. */
export function* decisionSteps(
  document: CompiledDocument,
  facts: PlayerFacts,
  now: number,
  options: DecideOptions = {},
): Steps<Decision> {
  const context = new DecisionContext(
    document,
    facts,
    now,
    options.trace === true,
    options.onError ?? ignore,
    options.models,
  );
  notePinBoundaries(context);
  const { flags, segments } = decideFlagsAndSegments(context);
  const heldOut = isHeldOut(document, facts);
  const store = yield* decideStore(context, heldOut);
  const values = decideValues(context);
  const validUntil = Math.min(context.nextBoundary, nextTimeChange(context.basis, facts, now));
  const { stayChanges, holdouts, trace } = context;
  const arms = context.arms.asked;
  trace?.experiments.push(...context.arms.trace());
  return {
    version: document.version,
    flags,
    segments,
    store,
    values,
    heldOut,
    validUntil,
    stayChanges,
    arms,
    holdouts,
    trace,
  };
}

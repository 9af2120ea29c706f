import type { PlayerAttributes } from '../../personalisation/attributes/player-attributes.js';
import type { PlayerFacts } from '../../personalisation/attributes/player-facts.js';
import type { CompiledDocument } from '../../personalisation/compile/compiled-document.js';
import { decideFlagsAndSegments } from '../../personalisation/decide/decide-flags-and-segments.js';
import { OfferEvaluator } from '../../personalisation/decide/decide-offers.js';
import { isHeldOut } from '../../personalisation/decide/decide-store.js';
import { DecisionContext, type OnDecisionError } from '../../personalisation/decide/decision-context.js';
import type { ModelsInForce } from '../../personalisation/predict/models-in-force.js';

/** What a document decides for one player, without the store. */
export type Evaluation = Readonly<{
  segments: ReadonlySet<string>;
  flags: ReadonlyMap<string, boolean>;
  /** The ids of the offers that apply. */
  offers: ReadonlySet<string>;
}>;

const NO_OFFERS: ReadonlySet<string> = new Set();

/** Evaluates the same parts in the same order as `decide`, so the results are equal. The store, which costs most, is left out. */
export function evaluatePlayer(
  document: CompiledDocument,
  facts: PlayerFacts,
  now: number,
  models: ModelsInForce,
  onError: OnDecisionError,
): Evaluation {
  return evaluateWithAttributes(document, facts, now, models, onError).evaluation;
}

/** Also returns the attributes of the player, for further rules. */
export function evaluateWithAttributes(
  document: CompiledDocument,
  facts: PlayerFacts,
  now: number,
  models: ModelsInForce,
  onError: OnDecisionError,
): { evaluation: Evaluation; attributes: PlayerAttributes } {
  const context = new DecisionContext(document, facts, now, false, onError, models);
  decideFlagsAndSegments(context);
  const { attributes } = context;
  const { segments, flags } = attributes;
  if (document.offers.length === 0 || isHeldOut(document, facts.userId)) {
    return { evaluation: { segments, flags, offers: NO_OFFERS }, attributes };
  }
  const evaluator = new OfferEvaluator(context);
  const offers = new Set<string>();
  for (const offer of document.offers) {
    if (evaluator.applies(offer)) offers.add(offer.offerId);
  }
  return { evaluation: { segments, flags, offers }, attributes };
}

import type { PlayerFacts } from '../../personalisation/attributes/player-facts.js';
import type { CompiledDocument } from '../../personalisation/compile/compiled-document.js';
import { decideFlagsAndSegments } from '../../personalisation/decide/decide-flags-and-segments.js';
import { OfferEvaluator } from '../../personalisation/decide/decide-offers.js';
import { isHeldOut } from '../../personalisation/decide/decide-store.js';
import { DecisionContext, type OnDecisionError } from '../../personalisation/decide/decision-context.js';
import type { ModelsInForce } from '../../personalisation/predict/models-in-force.js';

/** What a document means for one player, without the store that follows from it. */
export type Evaluation = Readonly<{
  segments: ReadonlySet<string>;
  flags: ReadonlyMap<string, boolean>;
  /** The ids of those that apply. */
  offers: ReadonlySet<string>;
}>;

const NO_OFFERS: ReadonlySet<string> = new Set();

/** The same parts in the same order as `decide` puts together, so it comes to the same; a store costs most, and is left out. */
export function evaluatePlayer(
  document: CompiledDocument,
  facts: PlayerFacts,
  now: number,
  models: ModelsInForce,
  onError: OnDecisionError,
): Evaluation {
  const context = new DecisionContext(document, facts, now, false, onError, models);
  decideFlagsAndSegments(context);
  const { segments, flags } = context.attributes;
  if (document.offers.length === 0 || isHeldOut(document, facts.userId)) {
    return { segments, flags, offers: NO_OFFERS };
  }
  const evaluator = new OfferEvaluator(context);
  const offers = new Set<string>();
  for (const offer of document.offers) {
    if (evaluator.applies(offer)) offers.add(offer.offerId);
  }
  return { segments, flags, offers };
}

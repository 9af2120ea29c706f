import type { PlayerAttributes } from '../../decide/attributes/player-attributes.js';
import type { PlayerFacts } from '../../decide/attributes/player-facts.js';
import type { CompiledDocument } from '../../decide/compile/compiled-document.js';
import { decideFlagsAndSegments } from '../../decide/decide/decide-flags-and-segments.js';
import { DecisionContext, type OnDecisionError } from '../../decide/decide/decision-context.js';
import { EVALUATED_PARTS, type EvaluatedPart } from '../../decide/decide/evaluated-parts.js';
import type { ModelsInForce } from '../../decide/predict/models-in-force.js';

type PartName = (typeof EVALUATED_PARTS)[number]['part']['name'];

/** What a document decides for one player, without the store: by part, the ids of the entries that are true. */
export type Evaluation = Readonly<Record<PartName, ReadonlySet<string>>>;

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
  parts: readonly EvaluatedPart[] = EVALUATED_PARTS,
): { evaluation: Evaluation; attributes: PlayerAttributes } {
  const context = new DecisionContext(document, facts, now, false, onError, models);
  decideFlagsAndSegments(context);
  const evaluation: Record<string, ReadonlySet<string>> = {};
  for (const { part, evaluate } of parts) evaluation[part.name] = evaluate(context);
  return { evaluation: evaluation as Evaluation, attributes: context.attributes };
}

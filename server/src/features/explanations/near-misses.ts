import type { PlayerFacts } from '../../personalisation/attributes/player-facts.js';
import { scopeOf } from '../../personalisation/compile/compile-flags-and-segments.js';
import type { CompiledDocument } from '../../personalisation/compile/compiled-document.js';
import { decideFlagsAndSegments } from '../../personalisation/decide/decide-flags-and-segments.js';
import { DecisionContext } from '../../personalisation/decide/decision-context.js';
import type { ConfigDocument } from '../../personalisation/document/document.js';
import type { ModelsInForce } from '../../personalisation/predict/models-in-force.js';
import { type NearMiss, nearMissOf } from '../../personalisation/rules/near-miss.js';

/** The segments that a player is not in because of one number, by id. */
export type NearMisses = ReadonlyMap<string, NearMiss>;

export function nearMissesOf(
  document: ConfigDocument,
  compiled: CompiledDocument,
  { facts, atMs, models }: { facts: PlayerFacts; atMs: number; models: ModelsInForce },
): NearMisses {
  const context = new DecisionContext(compiled, facts, atMs, false, () => {}, models);
  decideFlagsAndSegments(context);
  const { attributes } = context;
  const scope = scopeOf(document, compiled.attributes);
  const found = new Map<string, NearMiss>();
  for (const { segmentId, rule, thresholds } of document.segments) {
    // The rule of a segment with two thresholds does not alone decide who enters.
    if (thresholds !== undefined || attributes.segments.has(segmentId)) continue;
    const nearMiss = nearMissOf(rule, scope)(attributes);
    if (nearMiss !== null) found.set(segmentId, nearMiss);
  }
  return found;
}

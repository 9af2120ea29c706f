import type { PlayerFacts } from '../../decide/attributes/player-facts.js';
import { scopeOf } from '../../decide/compile/compile-flags-and-segments.js';
import type { CompiledDocument } from '../../decide/compile/compiled-document.js';
import { decideFlagsAndSegments } from '../../decide/decide/decide-flags-and-segments.js';
import { DecisionContext } from '../../decide/decide/decision-context.js';
import type { ConfigDocument } from '../../decide/document/document.js';
import type { ModelsInForce } from '../../decide/predict/models-in-force.js';
import { type NearMiss, nearMissOf } from '../../decide/rules/near-miss.js';

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

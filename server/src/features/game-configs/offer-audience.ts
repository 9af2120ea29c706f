import { createHash } from 'node:crypto';
import { TIME_BASIS } from '../../personalisation/attributes/time-basis.js';
import { type FlagOrSegment, nodeNames } from '../../personalisation/compile/compile-flags-and-segments.js';
import type { CompiledDocument, CompiledOffer } from '../../personalisation/compile/compiled-document.js';
import type { CompiledRule } from '../../personalisation/rules/rules.js';

/** The audience of an offer, as far as two documents tell whether it lost players. */
export type Audience = Readonly<{
  /** Digest of the offer's rule and of the rules it refers to. Equal digests mean the same players. Empty: all players. */
  rules: string;
  sharePercent: number;
  holdoutPercent: number;
  /** The offer ends for a player after this many purchases; Infinity for never. */
  limit: number;
  /** What is counted for the limit. */
  counted: string | null;
}>;

/** Finds the audiences of a document's offers. */
export function audienceReader(document: CompiledDocument): (offer: CompiledOffer) => Audience {
  const nodes = new Map(
    document.flagsAndSegments.map((node) => [
      node.kind === 'flag' ? `flag:${node.flagId}` : `segment:${node.listed.segmentId}`,
      node,
    ]),
  );
  return ({ rule, sharePercent, holdout, limitPerPlayer, promoId }) => ({
    rules: rule === null ? '' : digestOf(rulesBehind(rule, nodes, document)),
    sharePercent,
    holdoutPercent: holdout?.percent ?? 0,
    limit: limitPerPlayer ?? Number.POSITIVE_INFINITY,
    counted: limitPerPlayer === null ? null : promoId,
  });
}

/** Two hundred offers may each refer to all segments, by hundreds of kilobytes of rules. */
function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

/**
 * Whether a player in the old audience may be missing from the new one. Rules are compared as text, so a reworded rule counts
 * as a change.
 */
export function mayLose(before: Audience, after: Audience): boolean {
  return (
    (after.rules !== '' && after.rules !== before.rules) ||
    after.sharePercent < before.sharePercent ||
    after.holdoutPercent > before.holdoutPercent ||
    after.limit < before.limit ||
    (after.counted !== null && after.counted !== before.counted)
  );
}

/** What decides besides the rule. */
function otherwise(node: FlagOrSegment, payerForDays: number | null): unknown {
  if (node.kind === 'segment') return node.thresholds?.stay.expression ?? false;
  return node.isPayer ? payerForDays : node.defaultValue;
}

function rulesBehind(
  rule: CompiledRule,
  nodes: ReadonlyMap<string, FlagOrSegment>,
  { payerForDays, predictionsOff, experiments }: CompiledDocument,
): string {
  const told = new Map<string, unknown>();
  let basis = rule.basis;
  const tell = (of: CompiledRule): void => {
    for (const id of of.experiments) {
      const { rule: enters = null, salt, ...experiment } = experiments.get(id) ?? {};
      if (told.has(`experiment:${id}`)) continue;
      told.set(`experiment:${id}`, [enters?.expression ?? null, String(salt), experiment]);
      if (enters !== null) tell(enters);
    }
    for (const name of nodeNames(of)) {
      const node = nodes.get(name);
      if (node === undefined || told.has(name)) continue;
      told.set(name, [node.rule?.expression ?? null, otherwise(node, payerForDays)]);
      if (node.rule === null) continue;
      basis |= node.rule.basis;
      tell(node.rule);
    }
  };
  tell(rule);
  // A prediction that is off has another value for the same rule.
  const off = basis & TIME_BASIS.predictions ? [...predictionsOff].sort() : [];
  return JSON.stringify([rule.expression, [...told].sort(([a], [b]) => (a < b ? -1 : 1)), off]);
}

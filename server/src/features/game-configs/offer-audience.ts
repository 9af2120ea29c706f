import { TIME_BASIS } from '../../personalisation/attributes/time-basis.js';
import { nodeNames } from '../../personalisation/compile/compile-flags-and-segments.js';
import type { CompiledDocument, CompiledOffer } from '../../personalisation/compile/compiled-document.js';
import type { CompiledRule } from '../../personalisation/rules/rules.js';

/** Who gets an offer, as far as it can be told from two documents who of them does so no longer. */
export type Audience = Readonly<{
  /** All that the rule of the offer and those behind it say; the same players for the same text. Empty: everybody. */
  rules: string;
  sharePercent: number;
  /** After so many purchases it is over; Infinity for never. */
  limit: number;
  /** What is counted for the limit. */
  counted: string | null;
}>;

export function audienceOf(offer: CompiledOffer, document: CompiledDocument): Audience {
  const { rule, sharePercent, limitPerPlayer, promoId } = offer;
  return {
    rules: rule === null ? '' : rulesBehind(rule, document),
    sharePercent,
    limit: limitPerPlayer ?? Number.POSITIVE_INFINITY,
    counted: limitPerPlayer === null ? null : promoId,
  };
}

/** Whether somebody of the first may be missing in the second. Rules are not compared by meaning: other words may. */
export function mayLose(before: Audience, after: Audience): boolean {
  return (
    (after.rules !== '' && after.rules !== before.rules) ||
    after.sharePercent < before.sharePercent ||
    after.limit < before.limit ||
    (after.counted !== null && after.counted !== before.counted)
  );
}

function rulesBehind(
  rule: CompiledRule,
  { flagsAndSegments, payerForDays, predictionsOff }: CompiledDocument,
): string {
  const nodes = new Map(
    flagsAndSegments.map((node) => [
      node.kind === 'flag' ? `flag:${node.flagId}` : `segment:${node.listed.segmentId}`,
      node,
    ]),
  );
  const told = new Map<string, unknown>();
  let basis = rule.basis;
  const tell = (of: CompiledRule): void => {
    for (const name of nodeNames(of)) {
      const node = nodes.get(name);
      if (node === undefined || told.has(name)) continue;
      const otherwise = node.kind === 'segment' ? false : node.isPayer ? payerForDays : node.defaultValue;
      told.set(name, [node.rule?.expression ?? null, otherwise]);
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

import { createHash } from 'node:crypto';
import { ATTRIBUTE_REGISTRY } from '../../personalisation/attributes/attributes.js';
import { withOwnAttributes } from '../../personalisation/attributes/own-attribute.js';
import { TIME_BASIS } from '../../personalisation/attributes/time-basis.js';
import { compileExperiments } from '../../personalisation/compile/compile-experiments.js';
import {
  compileOrNever,
  compileSegment,
  nodeNames,
  scopeOf,
  usableRule,
} from '../../personalisation/compile/compile-flags-and-segments.js';
import type { CompiledExperiment } from '../../personalisation/compile/compiled-document.js';
import type { ConfigDocument } from '../../personalisation/document/document.js';
import type { OfferEntry } from '../../personalisation/document/parts/offers.js';
import { DEFAULT_PREDICTIONS } from '../../personalisation/document/parts/predictions.js';
import type { RuleScope } from '../../personalisation/rules/rule-paths.js';
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

/** Finds the audiences of a document's offers. Only what their rules refer to is compiled. */
export function audienceReader(document: ConfigDocument): (offer: OfferEntry) => Audience {
  const scope = scopeOf(document, withOwnAttributes(ATTRIBUTE_REGISTRY, document.attributes ?? []));
  const references = {
    nodeOf: nodeReader(document, scope),
    experiments: compileExperiments(document, scope, ignore),
    predictionsOff: [...(document.predictions ?? DEFAULT_PREDICTIONS).off].sort(),
  };
  return ({ offerId, when, sharePercent, holdoutPercent, limitPerPlayer, effect: { promoId } }) => ({
    rules:
      when === null
        ? ''
        : digestOf(rulesBehind(compileOrNever(when, scope, `offer:${offerId}`, ignore), references)),
    sharePercent,
    holdoutPercent: holdoutPercent ?? 0,
    limit: limitPerPlayer ?? Number.POSITIVE_INFINITY,
    counted: limitPerPlayer === null ? null : (promoId ?? null),
  });
}

/** Whoever serves the document reports what cannot be used. */
const ignore = (): void => {};

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

/** A flag or segment. */
type Node = Readonly<{
  rule: CompiledRule | null;
  /** What decides besides the rule. Any other schedule of a flag counts as a change, like any other text of a rule. */
  otherwise: unknown;
}>;
type NodeReader = (name: string) => Node | undefined;

/** By names as `nodeNames` writes them. Each is compiled when it is asked for, once. */
function nodeReader({ flags, segments }: ConfigDocument, scope: RuleScope): NodeReader {
  const compilers = new Map<string, () => Node>();
  compilers.set('flag:isPayer', () => ({ rule: null, otherwise: flags.isPayer.payerForDays }));
  for (const { flagId, rule, defaultValue, schedule } of flags.custom) {
    const name = `flag:${flagId}`;
    compilers.set(name, () => ({
      rule: rule === null ? null : usableRule(rule, scope, name, ignore),
      otherwise: [defaultValue, schedule ?? null],
    }));
  }
  for (const entry of segments) {
    const name = `segment:${entry.segmentId}`;
    compilers.set(name, () => {
      const { rule, thresholds } = compileSegment(entry, scope, name, ignore);
      return { rule, otherwise: thresholds?.stay.expression ?? false };
    });
  }
  const compiled = new Map<string, Node>();
  return (name) => {
    const node = compiled.get(name) ?? compilers.get(name)?.();
    if (node !== undefined) compiled.set(name, node);
    return node;
  };
}

type References = Readonly<{
  nodeOf: NodeReader;
  experiments: ReadonlyMap<string, CompiledExperiment>;
  predictionsOff: readonly string[];
}>;

function rulesBehind(rule: CompiledRule, { nodeOf, experiments, predictionsOff }: References): string {
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
      if (told.has(name)) continue;
      const node = nodeOf(name);
      if (node === undefined) continue;
      told.set(name, [node.rule?.expression ?? null, node.otherwise]);
      if (node.rule === null) continue;
      basis |= node.rule.basis;
      tell(node.rule);
    }
  };
  tell(rule);
  // A prediction that is off has another value for the same rule.
  const off = basis & TIME_BASIS.predictions ? predictionsOff : [];
  return JSON.stringify([rule.expression, [...told].sort(([a], [b]) => (a < b ? -1 : 1)), off]);
}

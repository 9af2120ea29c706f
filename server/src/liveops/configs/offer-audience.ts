import { createHash } from 'node:crypto';
import { ATTRIBUTE_REGISTRY } from '../../decide/attributes/attributes.js';
import { withOwnAttributes } from '../../decide/attributes/own-attribute.js';
import { TIME_BASIS } from '../../decide/attributes/time-basis.js';
import { compileExperiments } from '../../decide/compile/compile-experiments.js';
import {
  compileOrNever,
  compileSegment,
  nodeNames,
  scopeOf,
  usableRule,
} from '../../decide/compile/compile-flags-and-segments.js';
import type { CompiledExperiment } from '../../decide/compile/compiled-document.js';
import type { ConfigDocument } from '../../decide/document/document.js';
import type { OfferEntry } from '../../decide/document/parts/offers.js';
import { DEFAULT_PREDICTIONS } from '../../decide/document/parts/predictions.js';
import type { RuleScope } from '../../decide/rules/rule-paths.js';
import type { CompiledRule } from '../../decide/rules/rules.js';
import type { ReadExperiment } from './arm-moves.js';
import type { ArmRule, NodeReader, RuleNode } from './arm-rule-changes.js';

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
  /** Null: no experiment decides about the rule. */
  armRule: ArmRule | null;
}>;

/** Finds the audiences of a document's offers. Only what their rules refer to is compiled. */
export function audienceReader(document: ConfigDocument): (offer: OfferEntry) => Audience {
  const scope = scopeOf(document, withOwnAttributes(ATTRIBUTE_REGISTRY, document.attributes ?? []));
  const references = {
    nodeOf: nodeReader(document, scope),
    experiments: compileExperiments(document, scope, ignore),
    predictionsOff: [...(document.predictions ?? DEFAULT_PREDICTIONS).off].sort(),
  };
  return ({ offerId, when, sharePercent, holdoutPercent, limitPerPlayer, effect: { promoId } }) => {
    const rule = when === null ? null : compileOrNever(when, scope, `offer:${offerId}`, ignore);
    const behind = rule === null ? null : rulesBehind(rule, references);
    return {
      rules: behind === null ? '' : digestOf(behind.text),
      sharePercent,
      holdoutPercent: holdoutPercent ?? 0,
      limit: limitPerPlayer ?? Number.POSITIVE_INFINITY,
      counted: limitPerPlayer === null ? null : (promoId ?? null),
      armRule:
        rule === null || behind === null || behind.experiments.length === 0
          ? null
          : { rule, scope, ...readingOf(behind.experiments, document, references) },
    };
  };
}

function readingOf(
  ids: readonly string[],
  { experiments = [] }: ConfigDocument,
  references: References,
): Omit<ArmRule, 'rule' | 'scope'> {
  const read = new Map<string, ReadExperiment>();
  for (const entry of experiments) {
    if (!ids.includes(entry.experimentId)) continue;
    const enters = references.experiments.get(entry.experimentId)?.rule ?? null;
    const mayEnter = enters === null ? '' : digestOf(rulesBehind(enters, references).text);
    read.set(entry.experimentId, { entry, mayEnter });
  }
  return { nodeOf: references.nodeOf, predictionsOff: references.predictionsOff, experiments: read };
}

/** Whoever serves the document reports what cannot be used. */
const ignore = (): void => {};

/** Two hundred offers may each refer to all segments, by hundreds of kilobytes of rules. */
function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

/** By names as `nodeNames` writes them. Each is compiled when it is asked for, once. */
function nodeReader({ flags, segments }: ConfigDocument, scope: RuleScope): NodeReader {
  const compilers = new Map<string, () => RuleNode>();
  compilers.set('flag:isPayer', () => ({
    ...{ rule: null, otherwise: flags.isPayer.payerForDays, isItsRule: false },
  }));
  for (const { flagId, rule, defaultValue, schedule } of flags.custom) {
    const name = `flag:${flagId}`;
    compilers.set(name, () => ({
      rule: rule === null ? null : usableRule(rule, scope, name, ignore),
      otherwise: [defaultValue, schedule ?? null],
      isItsRule: false,
    }));
  }
  for (const entry of segments) {
    const name = `segment:${entry.segmentId}`;
    compilers.set(name, () => {
      const { rule, thresholds } = compileSegment(entry, scope, name, ignore);
      return { rule, otherwise: thresholds?.stay.expression ?? false, isItsRule: thresholds === null };
    });
  }
  const compiled = new Map<string, RuleNode>();
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

/** The rule and all that it refers to, as a text that is the same for the same players, and the experiments among them. */
function rulesBehind(
  rule: CompiledRule,
  { nodeOf, experiments, predictionsOff }: References,
): { text: string; experiments: string[] } {
  const told = new Map<string, unknown>();
  const read = new Set<string>();
  let basis = rule.basis;
  const tell = (of: CompiledRule): void => {
    for (const id of of.experiments) {
      const { rule: enters = null, salt, ...experiment } = experiments.get(id) ?? {};
      if (told.has(`experiment:${id}`)) continue;
      read.add(id);
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
  const text = JSON.stringify([rule.expression, [...told].sort(([a], [b]) => (a < b ? -1 : 1)), off]);
  return { text, experiments: [...read] };
}

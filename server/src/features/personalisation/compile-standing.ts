import type { CompiledFlag, CompiledSegment } from './compiled-document.js';
import type { ConfigDocument } from './document.js';
import { orderRules } from './rule-graph.js';
import type { RuleScope } from './rule-paths.js';
import { type CompiledRule, compileRule } from './rules.js';
import { TIME_BASIS, type TimeBasis } from './time-basis.js';

/** A part of a document that cannot be used, such as `offer:winter_sale`, and why. */
export type OnUnusable = (part: string, reason: string) => void;

/** The flags and segments of a document, in an order in which they can be evaluated. */
export type Standing = Readonly<{
  nodes: readonly StandingNode[];
  /** What is known of each by its name, such as `segment:payer`. */
  facts: ReadonlyMap<string, StandingFacts>;
}>;

export type StandingNode = CompiledFlag | CompiledSegment;

/** Of a flag or segment and all that it refers to. */
type StandingFacts = Readonly<{ basis: TimeBasis; flags: readonly string[] }>;

/** The segments and flags that rules of this document may refer to. */
export function scopeOf(document: ConfigDocument): RuleScope {
  return {
    segments: new Set(document.segments.map(({ segmentId }) => segmentId)),
    flags: new Set(['isPayer', ...document.flags.custom.map(({ flagId }) => flagId)]),
  };
}

/** How segments and flags are told apart where both are meant. */
export function nodeNames({ segments, flags }: Pick<CompiledRule, 'segments' | 'flags'>): string[] {
  return [...segments.map((id) => `segment:${id}`), ...flags.map((id) => `flag:${id}`)];
}

/** A rule that cannot be compiled is reported and never true. */
export function compileOrNever(
  expression: string,
  scope: RuleScope,
  part: string,
  onUnusable: OnUnusable,
): CompiledRule {
  const result = compileRule(expression, scope);
  if (result.ok) return result.rule;
  onUnusable(part, result.problems.map(({ message }) => message).join(' '));
  return neverTrue(expression);
}

export function compileStanding(
  document: ConfigDocument,
  scope: RuleScope,
  onUnusable: OnUnusable,
): Standing {
  const compiled = new Map<string, StandingNode>();
  compiled.set('flag:isPayer', {
    kind: 'flag',
    flagId: 'isPayer',
    defaultValue: false,
    rule: null,
    isPayer: true,
  });
  for (const { flagId, rule, defaultValue } of document.flags.custom) {
    const part = `flag:${flagId}`;
    const flagRule = rule === null ? null : compileOrNever(rule, scope, part, onUnusable);
    compiled.set(part, { kind: 'flag', flagId, defaultValue, rule: flagRule, isPayer: false });
  }
  for (const { segmentId, name, rule, visibleToClients } of document.segments) {
    const part = `segment:${segmentId}`;
    const listed = Object.freeze({ segmentId, name, visibleToClients });
    compiled.set(part, {
      kind: 'segment',
      rule: compileOrNever(rule, scope, part, onUnusable),
      listed,
    });
  }
  return inOrder(compiled, document.flags.isPayer.payerForDays, onUnusable);
}

function inOrder(
  compiled: Map<string, StandingNode>,
  payerForDays: number | null,
  onUnusable: OnUnusable,
): Standing {
  const { order, circles } = orderRules(
    [...compiled].map(([id, { rule }]) => ({ id, needs: needsOf(rule) })),
  );
  for (const circle of circles) {
    for (const id of circle.slice(1)) {
      const node = compiled.get(id);
      if (node === undefined || node.rule === null) continue;
      compiled.set(id, { ...node, rule: neverTrue(node.rule.expression) });
      onUnusable(id, `The rules refer to each other in a circle: ${circle.join(' → ')}.`);
    }
  }

  // The end of isPayer lies whole days after the last purchase.
  const expiry = payerForDays === null ? TIME_BASIS.never : TIME_BASIS.lastPurchase;
  const facts = new Map<string, StandingFacts>([['flag:isPayer', { basis: expiry, flags: ['isPayer'] }]]);
  const nodes: StandingNode[] = [];
  for (const id of order) {
    const node = compiled.get(id);
    if (node === undefined) continue;
    nodes.push(node);
    if (!facts.has(id)) facts.set(id, factsOf(node, facts));
  }
  return { nodes, facts };
}

function factsOf(node: StandingNode, known: ReadonlyMap<string, StandingFacts>): StandingFacts {
  const behind = needsOf(node.rule).flatMap((id) => known.get(id) ?? []);
  const own = node.kind === 'flag' ? [node.flagId] : [];
  return {
    basis: behind.reduce((union, { basis }) => union | basis, node.rule?.basis ?? 0),
    flags: [...new Set([...own, ...behind.flatMap(({ flags }) => flags)])],
  };
}

function needsOf(rule: CompiledRule | null): string[] {
  return rule === null ? [] : nodeNames(rule);
}

function neverTrue(expression: string): CompiledRule {
  return { expression, test: () => false, reads: [], segments: [], flags: [], basis: 0, cost: 0 };
}

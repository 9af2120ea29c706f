import type { Suggest } from '../../platform/lib/nearest-name.js';
import type { Steps } from '../../platform/lib/steps.js';
import type { AttributeRegistry } from '../attributes/attribute-registry.js';
import { nodeNames } from '../compile/compile-flags-and-segments.js';
import type { Reading } from '../compile/price-basis.js';
import { DOCUMENT_LIMITS } from '../document/document-limits.js';
import { entryName, idOf, type ListPart } from '../document/document-part.js';
import { costTogether } from '../rules/rule-analysis.js';
import { orderRules, type RuleNode } from '../rules/rule-graph.js';
import type { RuleScope } from '../rules/rule-paths.js';
import { type CompiledRule, compileRule } from '../rules/rules.js';
import type { DocumentEntries } from './document-entries.js';
import type { ProblemList } from './document-problems.js';

type PlacedRule = Readonly<{ rule: CompiledRule; pointer: string }>;
type PlacedNode = RuleNode & Reading & Readonly<{ pointer: string }>;

/**
 * Every rule compiles, no flags and segments refer to each other in a circle, and the cost of all rules together is bounded. Gives
 * what each entry with rules reads, by its name, such as `segment:payer`.
 */
export function* validateRules(
  entries: DocumentEntries,
  parts: readonly ListPart[],
  scope: RuleScope,
  suggest: Suggest,
  problems: ProblemList,
): Steps<ReadonlyMap<string, Reading>> {
  const rules: PlacedRule[] = [];
  const nodes: PlacedNode[] = [];
  const check = (expression: string, pointer: string): PlacedRule[] => {
    if (problems.isFull) return [];
    const result = compileRule(expression, scope, suggest);
    if (result.ok) return [{ rule: result.rule, pointer }];
    for (const problem of result.problems) problems.addRule(pointer, problem);
    return [];
  };

  for (const part of parts) {
    if (part.rulesOf === undefined) continue;
    for (const { entry, pointer } of entries.of(part)) {
      const placed = part
        .rulesOf(entry)
        .flatMap(({ member, expression }) => check(expression, `${pointer}/${member}`));
      const [first] = placed;
      if (first !== undefined) {
        const needs = placed.flatMap(({ rule }) => nodeNames(rule));
        const reads = placed.flatMap(({ rule }) => rule.reads);
        nodes.push({ id: entryName(part, idOf(part, entry)), needs, reads, pointer: first.pointer });
      }
      rules.push(...placed);
      yield;
    }
  }
  validateCircles(nodes, problems);
  validateCost(rules, scope.attributes, problems);
  return new Map(nodes.map((node) => [node.id, node]));
}

/** Longer circles are not shown in full: there can be many of them, and they overlap. */
const MAX_SHOWN = 10;

function validateCircles(nodes: readonly PlacedNode[], problems: ProblemList): void {
  const pointers = new Map(nodes.map(({ id, pointer }) => [id, pointer]));
  for (const circle of orderRules(nodes).circles) {
    if (problems.isFull) return;
    const [first = ''] = circle;
    const shown = circle.length > MAX_SHOWN ? [...circle.slice(0, MAX_SHOWN), '…', first] : circle;
    problems.add(
      pointers.get(first) ?? '',
      `The rules refer to each other in a circle: ${shown.join(' → ')}.`,
    );
  }
}

/** Each rule is bounded by itself, but a player waits for all of them. */
function validateCost(
  rules: readonly PlacedRule[],
  attributes: AttributeRegistry,
  problems: ProblemList,
): void {
  const cost = costTogether(
    rules.map(({ rule }) => rule),
    attributes,
  );
  if (cost <= DOCUMENT_LIMITS.ruleCost) return;
  const most = rules.reduce((a, b) => (b.rule.cost > a.rule.cost ? b : a));
  problems.add(
    most.pointer,
    `All rules together cost ${cost}, and can cost ${DOCUMENT_LIMITS.ruleCost} at most. This one costs most, ${most.rule.cost}: use fewer sums over days, less arithmetic and shorter loops.`,
  );
}

import type { Suggest } from '../../lib/nearest-name.js';
import type { Steps } from '../../lib/steps.js';
import type { AttributeRegistry } from '../attributes/attribute-registry.js';
import { nodeNames } from '../compile/compile-flags-and-segments.js';
import { DOCUMENT_LIMITS } from '../document/document-limits.js';
import type { CustomFlagEntry } from '../document/parts/flags.js';
import type { OfferEntry } from '../document/parts/offers.js';
import type { SegmentEntry } from '../document/parts/segments.js';
import { thresholdRules } from '../document/thresholds.js';
import { costTogether } from '../rules/rule-analysis.js';
import { orderRules, type RuleNode } from '../rules/rule-graph.js';
import type { RuleScope } from '../rules/rule-paths.js';
import { type CompiledRule, compileRule } from '../rules/rules.js';
import type { Entry, ProblemList } from './document-problems.js';

type RuledEntries = Readonly<{
  flags: readonly Entry<CustomFlagEntry>[];
  segments: readonly Entry<SegmentEntry>[];
  offers: readonly Entry<OfferEntry>[];
}>;

type PlacedRule = Readonly<{ rule: CompiledRule; pointer: string }>;
type PlacedNode = RuleNode & Readonly<{ pointer: string }>;

/**
 * Every rule compiles, no flags and segments refer to each other in a circle, and the cost of all rules together is bounded.
 */
export function* validateRules(
  { flags, segments, offers }: RuledEntries,
  scope: RuleScope,
  suggest: Suggest,
  problems: ProblemList,
): Steps<void> {
  const rules: PlacedRule[] = [];
  const nodes: PlacedNode[] = [];
  const check = (expression: string, pointer: string): CompiledRule | undefined => {
    if (problems.isFull) return undefined;
    const result = compileRule(expression, scope, suggest);
    if (result.ok) {
      rules.push({ rule: result.rule, pointer });
      return result.rule;
    }
    for (const problem of result.problems) problems.addRule(pointer, problem);
    return undefined;
  };
  const checkNode = (id: string, expression: string, pointer: string): void => {
    const rule = check(expression, pointer);
    if (rule !== undefined) nodes.push({ id, needs: nodeNames(rule), pointer });
  };

  for (const { entry, pointer } of flags) {
    if (entry.rule !== null) checkNode(`flag:${entry.flagId}`, entry.rule, `${pointer}/rule`);
    yield;
  }
  for (const { entry, pointer } of segments) {
    checkNode(`segment:${entry.segmentId}`, entry.rule, `${pointer}/rule`);
    // Only one of the two is asked of a player.
    if (entry.thresholds !== undefined)
      check(thresholdRules(entry.thresholds).enter, `${pointer}/thresholds`);
    yield;
  }
  for (const { entry, pointer } of offers) {
    if (entry.when !== null) check(entry.when, `${pointer}/when`);
    yield;
  }
  validateCircles(nodes, problems);
  validateCost(rules, scope.attributes, problems);
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

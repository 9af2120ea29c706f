import { nodeNames } from './compile-standing.js';
import type { CustomFlagEntry, OfferEntry, SegmentEntry } from './document.js';
import type { Entry, ProblemList } from './document-problems.js';
import { orderRules, type RuleNode } from './rule-graph.js';
import type { RuleScope } from './rule-paths.js';
import { type CompiledRule, compileRule } from './rules.js';

type RuledEntries = Readonly<{
  flags: readonly Entry<CustomFlagEntry>[];
  segments: readonly Entry<SegmentEntry>[];
  offers: readonly Entry<OfferEntry>[];
}>;

/** Every rule compiles, and no flags and segments refer to each other in a circle. */
export function validateRules(
  { flags, segments, offers }: RuledEntries,
  scope: RuleScope,
  problems: ProblemList,
): void {
  const nodes: (RuleNode & { pointer: string })[] = [];
  const check = (expression: string, pointer: string): CompiledRule | undefined => {
    const result = compileRule(expression, scope);
    if (result.ok) return result.rule;
    for (const problem of result.problems) problems.addRule(pointer, problem);
    return undefined;
  };
  const checkNode = (id: string, expression: string, pointer: string): void => {
    const rule = check(expression, pointer);
    if (rule !== undefined) nodes.push({ id, needs: nodeNames(rule), pointer });
  };

  for (const { entry, pointer } of flags) {
    if (entry.rule !== null) checkNode(`flag:${entry.flagId}`, entry.rule, `${pointer}/rule`);
  }
  for (const { entry, pointer } of segments) {
    checkNode(`segment:${entry.segmentId}`, entry.rule, `${pointer}/rule`);
  }
  for (const { entry, pointer } of offers) {
    if (entry.when !== null) check(entry.when, `${pointer}/when`);
  }

  for (const circle of orderRules(nodes).circles) {
    const pointer = nodes.find(({ id }) => id === circle[0])?.pointer ?? '';
    problems.add(pointer, `The rules refer to each other in a circle: ${circle.join(' → ')}.`);
  }
}

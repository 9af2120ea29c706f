import type { Steps } from '../../platform/lib/steps.js';
import { writePath } from '../attributes/attribute.js';
import type { AttributeRegistry } from '../attributes/attribute-registry.js';
import { numberIn } from '../attributes/player-facts.js';
import type { ConfigDocument } from '../document/document.js';
import type { ExperimentEntry } from '../document/parts/experiments.js';
import type { SegmentEntry } from '../document/parts/segments.js';
import { thresholdRules, thresholdsKey } from '../document/thresholds.js';
import { DEPENDENCE, type Dependence } from '../rules/dependence.js';
import { orderRules } from '../rules/rule-graph.js';
import type { KnownExperiments, RuleScope } from '../rules/rule-paths.js';
import { type CompiledRule, compileRule } from '../rules/rules.js';
import type { ScheduleCompiler } from '../schedules/schedule-compiler.js';
import type {
  CompiledExperiment,
  CompiledFlag,
  CompiledSegment,
  CompiledThresholds,
} from './compiled-document.js';

/** A part of a document that cannot be used, such as `offer:winter_sale`, and why. */
export type OnUnusable = (part: string, reason: string) => void;

/** Nothing for a part that cannot be used, which is reported. */
export function orReport<T>(part: string, onUnusable: OnUnusable, compile: () => T): T[] {
  try {
    return [compile()];
  } catch (error) {
    onUnusable(part, (error as Error).message);
    return [];
  }
}

/** The flags and segments of a document, in an order in which they can be evaluated. */
export type FlagsAndSegments = Readonly<{
  nodes: readonly FlagOrSegment[];
  /** The flags that each flag or segment depends on, itself included, by name, such as `segment:payer`. */
  flagsBehind: ReadonlyMap<string, readonly string[]>;
  /** What can change each of them, with everything that its rule refers to. */
  dependences: ReadonlyMap<string, Dependence>;
}>;

export type FlagOrSegment = CompiledFlag | CompiledSegment;

/** The attributes, segments and flags that rules of this document may refer to. */
export function scopeOf(document: ConfigDocument, attributes: AttributeRegistry): RuleScope {
  return {
    attributes,
    segments: new Set(document.segments.map(({ segmentId }) => segmentId)),
    flags: new Set(['isPayer', ...document.flags.custom.map(({ flagId }) => flagId)]),
    experiments: variantsOf(document.experiments ?? []),
  };
}

export function variantsOf(experiments: readonly ExperimentEntry[]): KnownExperiments {
  return new Map(
    experiments.map(({ experimentId, variants }) => [
      experimentId,
      variants.map(({ variantId }) => variantId),
    ]),
  );
}

/** Tells segments, flags and experiments apart where all are named. */
export function nodeNames({
  segments,
  flags,
  experiments,
}: Pick<CompiledRule, 'segments' | 'flags' | 'experiments'>): string[] {
  return [
    ...segments.map((id) => `segment:${id}`),
    ...flags.map((id) => `flag:${id}`),
    ...experiments.map((id) => `experiment:${id}`),
  ];
}

/** Null for a rule that cannot be compiled, which is reported. */
export function usableRule(
  expression: string,
  scope: RuleScope,
  part: string,
  onUnusable: OnUnusable,
): CompiledRule | null {
  const result = compileRule(expression, scope);
  if (result.ok) return result.rule;
  onUnusable(part, result.problems.map(({ message }) => message).join(' '));
  return null;
}

/** A rule that cannot be compiled is reported and never true. */
export function compileOrNever(
  expression: string,
  scope: RuleScope,
  part: string,
  onUnusable: OnUnusable,
): CompiledRule {
  return usableRule(expression, scope, part, onUnusable) ?? neverTrue(expression);
}

/** A segment whose rule is unusable has no members; such a flag, and one with an unusable schedule, has its default value. */
export function* compileFlagsAndSegments(
  document: ConfigDocument,
  segmentVersions: Readonly<Record<string, number>>,
  scope: RuleScope,
  {
    experiments,
    compileSchedule,
  }: { experiments: ReadonlyMap<string, CompiledExperiment>; compileSchedule: ScheduleCompiler },
  onUnusable: OnUnusable,
): Steps<FlagsAndSegments> {
  const compiled = new Map<string, FlagOrSegment>();
  compiled.set('flag:isPayer', {
    kind: 'flag',
    flagId: 'isPayer',
    defaultValue: false,
    rule: null,
    schedule: null,
    isPayer: true,
  });
  for (const { flagId, rule, defaultValue, schedule } of document.flags.custom) {
    const part = `flag:${flagId}`;
    const flagRule = rule === null ? null : usableRule(rule, scope, part, onUnusable);
    const flag = { kind: 'flag', flagId, defaultValue, isPayer: false } as const;
    try {
      compiled.set(part, { ...flag, rule: flagRule, schedule: compileSchedule(schedule) });
    } catch (error) {
      onUnusable(part, (error as Error).message);
      compiled.set(part, { ...flag, rule: null, schedule: null });
    }
    yield;
  }
  for (const entry of document.segments) {
    const { segmentId, name, visibleToClients } = entry;
    const part = `segment:${segmentId}`;
    const version = numberIn(segmentVersions, segmentId) || 1;
    const listed = Object.freeze({ segmentId, name, version, visibleToClients });
    compiled.set(part, { kind: 'segment', ...compileSegment(entry, scope, part, onUnusable), listed });
    yield;
  }
  return inOrder(compiled, experiments, onUnusable);
}

export function compileSegment(
  { rule: expression, thresholds }: SegmentEntry,
  scope: RuleScope,
  part: string,
  onUnusable: OnUnusable,
): Readonly<{ rule: CompiledRule; thresholds: CompiledThresholds | null }> {
  const rule = compileOrNever(expression, scope, part, onUnusable);
  if (thresholds === undefined) return { rule, thresholds: null };
  const { enter, stay } = thresholdRules(thresholds);
  const also = (threshold: string) => both(rule, compileOrNever(threshold, scope, part, onUnusable));
  return {
    rule: also(enter),
    thresholds: { key: thresholdsKey(thresholds), prediction: thresholds.prediction, stay: also(stay) },
  };
}

/** Two rules as one, written as it could have been written. */
function both(one: CompiledRule, other: CompiledRule): CompiledRule {
  const reads = new Map([...one.reads, ...other.reads].map((path) => [writePath(path), path]));
  return {
    expression:
      one.expression.trim() === 'true' ? other.expression : `(${one.expression}) && ${other.expression}`,
    test: (attributes) => one.test(attributes) && other.test(attributes),
    reads: [...reads.values()],
    segments: [...new Set([...one.segments, ...other.segments])],
    flags: [...new Set([...one.flags, ...other.flags])],
    experiments: [...new Set([...one.experiments, ...other.experiments])],
    basis: one.basis | other.basis,
    dependence: one.dependence | other.dependence,
    cost: one.cost + other.cost,
  };
}

function inOrder(
  compiled: Map<string, FlagOrSegment>,
  experiments: ReadonlyMap<string, CompiledExperiment>,
  onUnusable: OnUnusable,
): FlagsAndSegments {
  const arms = new Map([...experiments].map(([id, { rule }]) => [`experiment:${id}`, rule]));
  const { order, circles } = orderRules([
    ...[...compiled].map(([id, { rule }]) => ({ id, needs: needsOf(rule) })),
    ...[...arms].map(([id, rule]) => ({ id, needs: needsOf(rule) })),
  ]);
  for (const circle of circles) {
    for (const id of circle.slice(1)) {
      const node = compiled.get(id);
      if (node === undefined || node.rule === null) continue;
      compiled.set(
        id,
        node.kind === 'flag'
          ? { ...node, rule: null }
          : { ...node, rule: neverTrue(node.rule.expression), thresholds: null },
      );
      onUnusable(id, `The rules refer to each other in a circle: ${circle.join(' → ')}.`);
    }
  }

  const flagsBehind = new Map<string, readonly string[]>();
  const dependences = new Map<string, Dependence>();
  const nodes: FlagOrSegment[] = [];
  for (const id of order) {
    const node = compiled.get(id);
    const rule = node?.rule ?? arms.get(id) ?? null;
    if (node !== undefined) nodes.push(node);
    const own = node?.kind === 'flag' ? [node.flagId] : [];
    const behind = needsOf(rule).flatMap((need) => flagsBehind.get(need) ?? []);
    flagsBehind.set(id, [...new Set([...own, ...behind])]);
    // A variant can be pinned, as a flag can be set.
    const ofOwn = node === undefined ? (rule?.dependence ?? 0) | DEPENDENCE.flags : ownDependence(node);
    dependences.set(
      id,
      needsOf(rule).reduce((union, need) => union | (dependences.get(need) ?? 0), ofOwn),
    );
  }
  return { nodes, flagsBehind, dependences };
}

function ownDependence(node: FlagOrSegment): Dependence {
  const byRule = node.rule?.dependence ?? 0;
  if (node.kind === 'segment') return byRule;
  return byRule | DEPENDENCE.flags | (node.isPayer ? DEPENDENCE.events : 0);
}

function needsOf(rule: CompiledRule | null): string[] {
  return rule === null ? [] : nodeNames(rule);
}

function neverTrue(expression: string): CompiledRule {
  const dependsOn = { reads: [], segments: [], flags: [], experiments: [], basis: 0, dependence: 0 };
  return { expression, test: () => false, ...dependsOn, cost: 0 };
}

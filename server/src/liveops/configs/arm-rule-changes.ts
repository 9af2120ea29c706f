import { TIME_BASIS } from '../../decide/attributes/time-basis.js';
import {
  ANY_CHANGE,
  type ArmMove,
  CHANGE,
  type Changes,
  ruleChanges,
  UNCHANGED,
} from '../../decide/rules/rule-changes.js';
import type { RuleScope } from '../../decide/rules/rule-paths.js';
import type { CompiledRule } from '../../decide/rules/rules.js';
import { canonicalJson } from '../../platform/lib/canonical-json.js';
import type { Steps } from '../../platform/lib/steps.js';
import { armMoves, type ReadExperiment } from './arm-moves.js';

/** A flag or segment. */
export type RuleNode = Readonly<{
  rule: CompiledRule | null;
  /** What decides besides the rule. Any other schedule of a flag counts as a change, like any other text of a rule. */
  otherwise: unknown;
  /** A segment without thresholds is what its rule gives. A flag may be overridden, and who is in a segment may stay. */
  isItsRule: boolean;
}>;
export type NodeReader = (name: string) => RuleNode | undefined;

/** A rule that an experiment decides about, also through flags and segments. */
export type ArmRule = Readonly<{
  rule: CompiledRule;
  scope: RuleScope;
  nodeOf: NodeReader;
  predictionsOff: readonly string[];
  /** By id, all that it reads. */
  experiments: ReadonlyMap<string, ReadExperiment>;
}>;

/** Beyond that many cases, from several experiments at once, every change counts as possible. */
const MAX_CASES = 200;

/**
 * What the rule may give a player under two documents. Each way in which arms may move, such as from `half` to `control`, is a case, and the rule is
 * looked at in each. Rules are compared as text: another text counts as any change. In steps, one for each case.
 */
export function* armRuleChangeSteps(before: ArmRule, after: ArmRule): Steps<Changes> {
  const cases = casesOf(before, after);
  if (cases === null) return ANY_CHANGE;
  let changes = 0;
  for (const moves of cases) {
    changes |= changesOfCase(before, after, moves);
    yield;
  }
  return changes | changesForChildren(before, after, changes);
}

/**
 * Children get no offer that a lot decides about. They may have one once the experiment is decided, and are without it when the experiment
 * is not decided any more, or is so for others.
 */
function changesForChildren(before: ArmRule, after: ArmRule, changes: Changes): Changes {
  const { begins, ends, staysTrue } = CHANGE;
  const mayGoTo = (changes & (begins | staysTrue)) !== 0 && hasNewlyDecided(before, after);
  const mayBeTakenFrom = (changes & (ends | staysTrue)) !== 0 && hasNewlyDecided(after, before);
  return (mayGoTo ? begins : 0) | (mayBeTakenFrom ? ends : 0);
}

/** Whether an experiment of the second is decided, and in the first it is not, or for others. */
function hasNewlyDecided({ experiments: first }: ArmRule, { experiments: second }: ArmRule): boolean {
  return [...second].some(([id, { entry, mayEnter }]) => {
    if (entry.state !== 'decided') return false;
    const old = first.get(id);
    const isForTheSame = old?.mayEnter === mayEnter || old?.entry.when === null;
    return old?.entry.state !== 'decided' || !isForTheSame;
  });
}

type Case = ReadonlyMap<string, ArmMove>;

function casesOf(before: ArmRule, after: ArmRule): Case[] | null {
  let cases: Case[] = [new Map()];
  for (const id of new Set([...before.experiments.keys(), ...after.experiments.keys()])) {
    const moves = armMoves(before.experiments.get(id), after.experiments.get(id));
    if (cases.length * moves.length > MAX_CASES) return null;
    cases = cases.flatMap((others) => moves.map((move) => new Map([...others, [id, move]])));
  }
  return cases;
}

const NOT_IN_IT: ArmMove = ['', ''];

function changesOfCase(before: ArmRule, after: ArmRule, moves: Case): Changes {
  const isSameOff = before.predictionsOff.join() === after.predictionsOff.join();
  const known = knownNodes(before, after, moves);
  const changesOf = (rule: CompiledRule, next: CompiledRule): Changes => {
    if (rule.expression !== next.expression) return ANY_CHANGE;
    if (!isSameOff && (rule.basis & TIME_BASIS.predictions) !== 0) return ANY_CHANGE;
    return ruleChanges(rule, before.scope, { armOf, nodeOf });
  };
  const armOf = (experimentId: string) => moves.get(experimentId) ?? NOT_IN_IT;
  const nodeOf = (name: string): Changes => {
    const found = known.get(name);
    if (found !== undefined) return found;
    // Until it is known: rules of an old document may refer to each other in a circle.
    known.set(name, ANY_CHANGE);
    const changes = changesOfNode(before.nodeOf(name), after.nodeOf(name), changesOf);
    known.set(name, changes);
    return changes;
  };
  return changesOf(before.rule, after.rule);
}

type KnownNodes = Map<string, Changes>;
const knownCases = new WeakMap<NodeReader, WeakMap<NodeReader, Map<string, KnownNodes>>>();

/** Of the flags and segments of two documents in a case, once for all offers that refer to them. */
function knownNodes({ nodeOf }: ArmRule, { nodeOf: next }: ArmRule, moves: Case): KnownNodes {
  const ofBefore = knownCases.get(nodeOf) ?? new WeakMap<NodeReader, Map<string, KnownNodes>>();
  knownCases.set(nodeOf, ofBefore);
  const cases = ofBefore.get(next) ?? new Map<string, KnownNodes>();
  ofBefore.set(next, cases);
  const key = JSON.stringify([...moves]);
  const known = cases.get(key) ?? new Map<string, Changes>();
  cases.set(key, known);
  return known;
}

function changesOfNode(
  node: RuleNode | undefined,
  next: RuleNode | undefined,
  changesOf: (rule: CompiledRule, next: CompiledRule) => Changes,
): Changes {
  if (node === undefined || next === undefined) return ANY_CHANGE;
  if (canonicalJson(node.otherwise) !== canonicalJson(next.otherwise)) return ANY_CHANGE;
  if (node.rule === null || next.rule === null) return node.rule === next.rule ? UNCHANGED : ANY_CHANGE;
  const changes = changesOf(node.rule, next.rule);
  return node.isItsRule ? changes : changes | UNCHANGED;
}

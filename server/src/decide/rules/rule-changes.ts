import type { ASTNode } from '@marcbachmann/cel-js';
import { environmentOf } from './rule-environment.js';
import { experimentOf } from './rule-experiments.js';
import { type RuleScope, resolvePath } from './rule-paths.js';
import type { CompiledRule } from './rules.js';

/**
 * What one rule may give a player before and after a publication, if only arms of experiments, flags and segments may have changed. The rule
 * is not run: everything else that it reads may be anything, but is the same before and after. Two readings of one attribute
 * count as unrelated, so a change may be listed that no player can see, but none is missing.
 */
export const CHANGE = Object.freeze({ staysFalse: 1, begins: 2, ends: 4, staysTrue: 8 });
/** A sum of these. */
export type Changes = number;

export const UNCHANGED: Changes = CHANGE.staysFalse | CHANGE.staysTrue;
export const ANY_CHANGE: Changes = UNCHANGED | CHANGE.begins | CHANGE.ends;

/** The arm of a player before and after; '' for a player who is not in the experiment. */
export type ArmMove = readonly [before: string, after: string];

export type WhatChanged = Readonly<{
  armOf: (experimentId: string) => ArmMove;
  /** Of a flag or segment, by names as `nodeNames` writes them. */
  nodeOf: (name: string) => Changes;
}>;

const parsed = new WeakMap<CompiledRule, ASTNode>();

export function ruleChanges(rule: CompiledRule, scope: RuleScope, changed: WhatChanged): Changes {
  let ast = parsed.get(rule);
  if (ast === undefined) {
    try {
      ast = environmentOf(scope.attributes).parse(rule.expression).ast;
    } catch {
      // With the thresholds of a segment, a rule may be longer than a rule that somebody writes can be.
      return ANY_CHANGE;
    }
    parsed.set(rule, ast);
  }
  return changesOf(ast, scope, changed);
}

function changesOf(node: ASTNode, scope: RuleScope, changed: WhatChanged): Changes {
  if (plain.has(node)) return UNCHANGED;
  const ofPart = (part: ASTNode) => changesOf(part, scope, changed);
  switch (node.op) {
    case '&&':
      return combined(ofPart(node.args[0]), ofPart(node.args[1]), (a, b) => a && b);
    case '||':
      return combined(ofPart(node.args[0]), ofPart(node.args[1]), (a, b) => a || b);
    case '!_':
      return combined(ofPart(node.args), UNCHANGED, (a) => !a);
    case 'value':
      return node.args === true ? CHANGE.staysTrue : CHANGE.staysFalse;
    default:
      return (
        armChanges(node, changed) ?? nodeChanges(node, scope, changed) ?? otherChanges(node, scope, changed)
      );
  }
}

/** Of `experiment("price_test") == "b"`, the same with `!=`, and `experiment("price_test") in ["a", "b"]`. */
function armChanges(node: ASTNode, { armOf }: WhatChanged): Changes | undefined {
  if (node.op !== '==' && node.op !== '!=' && node.op !== 'in') return undefined;
  const [left, right] = node.args;
  const [read, compared] = experimentOf(left) === undefined ? [right, left] : [left, right];
  const experimentId = experimentOf(read);
  const texts = textsOf(compared);
  if (experimentId === undefined || texts === undefined) return undefined;
  const [before, after] = armOf(experimentId).map((arm) => texts.includes(arm) === (node.op !== '!='));
  return changeOf(before === true, after === true);
}

function textsOf(node: ASTNode): unknown[] | undefined {
  if (node.op === 'value') return [node.args];
  if (node.op !== 'list') return undefined;
  return node.args.map((element) => (element.op === 'value' ? element.args : undefined));
}

/** Of `flags.vip`, `segment("payer")` and `"payer" in segments`. */
function nodeChanges(node: ASTNode, scope: RuleScope, { nodeOf }: WhatChanged): Changes | undefined {
  const segmentId = segmentOf(node);
  if (segmentId !== undefined) return nodeOf(`segment:${segmentId}`);
  if (node.op !== '.' && node.op !== '[]') return undefined;
  const found = resolvePath(node, scope);
  return 'path' in found && found.path.name === 'flags' ? nodeOf(`flag:${found.path.key}`) : undefined;
}

function segmentOf(node: ASTNode): unknown {
  if (node.op === 'call' && node.args[0] === 'segment') return node.args[1][0]?.args;
  if (node.op !== 'in') return undefined;
  const [member, whole] = node.args;
  return whole.op === 'id' && whole.args === 'segments' ? member.args : undefined;
}

/** Conditions that read no experiment, flag or segment: most of them, and they are asked about in every case. */
const plain = new WeakSet<ASTNode>();

/** Whatever else may give anything, but the same before and after as long as all that it reads is the same. */
function otherChanges(node: ASTNode, scope: RuleScope, changed: WhatChanged): Changes {
  let isPlain = true;
  for (const part of partsOf(node.args)) {
    const experimentId = experimentOf(part);
    const [before, after] = experimentId === undefined ? [] : changed.armOf(experimentId);
    const ofNode = nodeChanges(part, scope, changed);
    if (before !== after || ((ofNode ?? UNCHANGED) & ~UNCHANGED) !== 0) return ANY_CHANGE;
    if (experimentId !== undefined || ofNode !== undefined) isPlain = false;
  }
  if (isPlain) plain.add(node);
  return UNCHANGED;
}

function* partsOf(args: unknown): Generator<ASTNode> {
  if (Array.isArray(args)) for (const each of args) yield* partsOf(each);
  else if (isNode(args)) {
    yield args;
    yield* partsOf(args.args);
  }
}

function isNode(value: unknown): value is ASTNode {
  return typeof value === 'object' && value !== null && 'op' in value && 'args' in value;
}

function changeOf(before: boolean, after: boolean): Changes {
  if (before) return after ? CHANGE.staysTrue : CHANGE.ends;
  return after ? CHANGE.begins : CHANGE.staysFalse;
}

const PAIRS = [
  [false, false],
  [false, true],
  [true, false],
  [true, true],
] as const;

function combined(one: Changes, other: Changes, combine: (a: boolean, b: boolean) => boolean): Changes {
  let changes = 0;
  for (const [before, after] of PAIRS) {
    if ((one & changeOf(before, after)) === 0) continue;
    for (const [otherBefore, otherAfter] of PAIRS) {
      if ((other & changeOf(otherBefore, otherAfter)) === 0) continue;
      changes |= changeOf(combine(before, otherBefore), combine(after, otherAfter));
    }
  }
  return changes;
}

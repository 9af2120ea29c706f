import type { ASTNode } from '@marcbachmann/cel-js';
import { writePath } from '../attributes/attribute.js';
import type { PlayerAttributes } from '../attributes/player-attributes.js';
import { closureOf } from './rule-closures.js';
import { environmentOf } from './rule-environment.js';
import { type RuleScope, resolvePath } from './rule-paths.js';
import { compileRule } from './rules.js';

type Bound = '>' | '>=' | '<' | '<=';

/** The one number that keeps a player out, where all other conditions of a rule hold. */
export type NearMiss = Readonly<{
  /** As the rule writes it: `purchases.total`. */
  attribute: string;
  value: number;
  /** What the value would have to be: `>=` 3. */
  operator: Bound;
  threshold: number;
  /** How far the value is from the threshold. */
  distance: number;
}>;

type Comparison = Readonly<{ attribute: string; operator: Bound; threshold: number }>;
type Condition = Readonly<{
  holds: (attributes: PlayerAttributes) => boolean;
  /**
   * Null for a condition that is not about a number, because nobody is nearly in another country, and for a number that would
   * have to fall but can only grow.
   */
  comparison: (Comparison & { read: (attributes: PlayerAttributes) => number }) | null;
}>;

/**
 * Finds what a player lacks for a rule of conditions that all have to hold (`a && b`). Null for players who lack more than one
 * condition, or one that is not about a number or can never hold again, and for rules that are not such a list.
 */
export function nearMissOf(
  expression: string,
  scope: RuleScope,
): (attributes: PlayerAttributes) => NearMiss | null {
  if (!compileRule(expression, scope).ok) return () => null;
  const { ast } = environmentOf(scope.attributes).parse(expression);
  const conditions = conjuncts(ast).map((node) => conditionOf(node, scope));
  return (attributes) => {
    let missed: Condition | undefined;
    for (const condition of conditions) {
      if (holds(condition, attributes)) continue;
      if (missed !== undefined) return null;
      missed = condition;
    }
    return missed?.comparison == null ? null : missing(missed.comparison, attributes);
  };
}

/** `Would enter with purchases.total of at least 3: 2 more than now.` */
export function nearMissSentence({ attribute, operator, threshold, value, distance }: NearMiss): string {
  const change = `${rounded(distance)} ${threshold > value || operator === '>' ? 'more' : 'less'} than now`;
  return `Would enter with ${attribute} of ${WORDS[operator]} ${threshold}: ${change}.`;
}

const WORDS: Readonly<Record<Bound, string>> = {
  '>': 'more than',
  '>=': 'at least',
  '<': 'less than',
  '<=': 'at most',
};

function conjuncts(node: ASTNode): ASTNode[] {
  return node.op === '&&' ? [...conjuncts(node.args[0]), ...conjuncts(node.args[1])] : [node];
}

function conditionOf(node: ASTNode, scope: RuleScope): Condition {
  return { holds: closureOf(node, scope), comparison: comparisonOf(node, scope) };
}

/** A condition that fails to be worked out does not hold. */
function holds(condition: Condition, attributes: PlayerAttributes): boolean {
  try {
    return condition.holds(attributes);
  } catch {
    return false;
  }
}

function comparisonOf(node: ASTNode, scope: RuleScope): Condition['comparison'] {
  switch (node.op) {
    case '>':
    case '>=':
    case '<':
    case '<=': {
      const [left, right] = node.args;
      return (
        boundOf(left, node.op, numberOf(right), scope) ??
        boundOf(right, FLIPPED[node.op], numberOf(left), scope)
      );
    }
    default:
      return null;
  }
}

const FLIPPED: Readonly<Record<Bound, Bound>> = { '>': '<', '>=': '<=', '<': '>', '<=': '>=' };

function boundOf(
  node: ASTNode,
  operator: Bound,
  threshold: number | undefined,
  scope: RuleScope,
): Condition['comparison'] {
  if (threshold === undefined) return null;
  const found = resolvePath(node, scope);
  if ('message' in found) return null;
  const hasToFall = operator === '<' || operator === '<=';
  if (hasToFall && scope.attributes.valueAt(found.path).onlyGrows) return null;
  const read = scope.attributes.readerOf(found.path) as (attributes: PlayerAttributes) => number;
  const attribute = writePath(found.path);
  // More than 2 of something that is counted is at least 3 of it.
  if (found.type === 'int' && operator === '>')
    return { attribute, operator: '>=', threshold: threshold + 1, read };
  if (found.type === 'int' && operator === '<')
    return { attribute, operator: '<=', threshold: threshold - 1, read };
  return { attribute, operator, threshold, read };
}

function numberOf(node: ASTNode): number | undefined {
  if (node.op === '-_') {
    const value = numberOf(node.args);
    return value === undefined ? undefined : -value;
  }
  if (node.op !== 'value') return undefined;
  const value: unknown = node.args;
  return typeof value === 'bigint' || typeof value === 'number' ? Number(value) : undefined;
}

function missing(
  { read, ...comparison }: NonNullable<Condition['comparison']>,
  attributes: PlayerAttributes,
): NearMiss | null {
  const value = readOrNull(read, attributes);
  if (value === null) return null;
  return { ...comparison, value, distance: Math.abs(comparison.threshold - value) };
}

/** Null for what is not worked out for the player yet. */
function readOrNull(
  read: (attributes: PlayerAttributes) => number,
  attributes: PlayerAttributes,
): number | null {
  try {
    return read(attributes);
  } catch {
    return null;
  }
}

/** Sums of prices have digits that nobody means. */
function rounded(distance: number): number {
  return Math.round(distance * 100) / 100;
}

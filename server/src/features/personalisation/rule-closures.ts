import type { ASTNode } from '@marcbachmann/cel-js';
import { type AttributeValue, type PlayerAttributes, readerOf } from './player-attributes.js';
import { type RuleScope, resolvePath } from './rule-paths.js';

/**
 * Turns a rule that has been checked into closures over plain numbers. The CEL library could evaluate it, too, and the
 * tests hold the two against each other; but its integers are BigInts and its lookups are dynamic, which makes it ten
 * times as slow, and a decision evaluates a hundred rules. Integers are exact up to 2^53 here instead of 2^63.
 */

/** Thrown by a rule: `&&` and `||` still give an answer if the other side decides it, as CEL has it. */
export class RuleError extends Error {}

// Made once: a stack trace would cost more than the rest of the evaluation and lead nowhere.
const OVERFLOW = new RuleError('integer overflow');
const DIVISION_BY_ZERO = new RuleError('division by zero');

type Run = (attributes: PlayerAttributes, item: AttributeValue) => AttributeValue;
type Type = 'int' | 'double' | 'string' | 'bool';
type Compiled = Readonly<{ run: Run; type: Type; canFail: boolean }>;
type Loop = Readonly<{ variable: string; type: Type }>;

export function closureOf(ast: ASTNode, scope: RuleScope): (attributes: PlayerAttributes) => boolean {
  const { run } = compile(ast, scope, null);
  return (attributes) => run(attributes, false) === true;
}

function compile(node: ASTNode, scope: RuleScope, loop: Loop | null): Compiled {
  const sub = (child: ASTNode) => compile(child, scope, loop);
  switch (node.op) {
    case 'value':
      return literal(node.args);
    case 'id':
      if (node.args === loop?.variable)
        return { run: (_attributes, item) => item, type: loop.type, canFail: false };
      return attribute(node, scope);
    case '.':
    case '[]':
      return attribute(node, scope);
    case 'call':
      return call(node.args[0], node.args[1], sub);
    case 'rcall':
      return method(node.args[0], node.args[1], node.args[2], scope, loop);
    case '!_':
      return not(sub(node.args));
    case '-_':
      return negative(sub(node.args));
    case '?:':
      return choice(sub(node.args[0]), sub(node.args[1]), sub(node.args[2]));
    case '&&':
      return logical(sub(node.args[0]), sub(node.args[1]), false);
    case '||':
      return logical(sub(node.args[0]), sub(node.args[1]), true);
    case 'in':
      return membership(node.args[0], node.args[1], sub);
    case '+':
    case '-':
    case '*':
    case '/':
    case '%':
      return arithmetic(node.op, sub(node.args[0]), sub(node.args[1]));
    case '==':
    case '!=':
    case '<':
    case '<=':
    case '>':
    case '>=':
      return comparison(node.op, sub(node.args[0]), sub(node.args[1]));
    default:
      throw new Error(`${node.op} is no part of rules`);
  }
}

function infallible(type: Type, run: Run): Compiled {
  return { run, type, canFail: false };
}

function literal(value: unknown): Compiled {
  if (typeof value === 'bigint') return literalOf('int', Number(value));
  if (typeof value === 'number') return literalOf('double', value);
  if (typeof value === 'string') return literalOf('string', value);
  return literalOf('bool', value === true);
}

function literalOf(type: Type, value: AttributeValue): Compiled {
  return infallible(type, () => value);
}

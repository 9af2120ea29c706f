import type { ASTNode } from '@marcbachmann/cel-js';
import type { AttributePath, ValueType } from '../attributes/attribute.js';
import type { AttributeValue, PlayerAttributes } from '../attributes/player-attributes.js';
import {
  arithmetic,
  choice,
  comparison,
  converted,
  existsOne,
  fallible,
  logical,
  negative,
  not,
  type Operation,
  operation,
  quantifier,
  textMethod,
} from './rule-operations.js';
import { type RuleScope, resolvePath } from './rule-paths.js';

/**
 * Turns a rule that has been analysed and type-checked into closures over plain numbers. The CEL library could evaluate
 * it, too, and the tests hold the two against each other; but its integers are BigInts and its lookups are dynamic, which
 * makes it ten times as slow, and one decision evaluates a hundred rules. Integers here are exact up to 2^53, not 2^63.
 */
export function closureOf(ast: ASTNode, scope: RuleScope): (attributes: PlayerAttributes) => boolean {
  const { run } = new Compiler(scope, null).compile(ast);
  return (attributes) => run(attributes, false) === true;
}

type Loop = Readonly<{ variable: string; type: ValueType }>;

class Compiler {
  readonly #scope: RuleScope;
  readonly #loop: Loop | null;

  constructor(scope: RuleScope, loop: Loop | null) {
    this.#scope = scope;
    this.#loop = loop;
  }

  compile(node: ASTNode): Operation {
    switch (node.op) {
      case 'value':
        return constant(literalOf(node), typeOf(node));
      case 'id':
        if (node.args === this.#loop?.variable)
          return operation(this.#loop.type, [], (_attributes, item) => item);
        return this.#attribute(node);
      case '.':
      case '[]':
        return this.#attribute(node);
      case 'call':
        return this.#call(node.args[0], node.args[1]);
      case 'rcall':
        return this.#method(node.args[0], node.args[1], node.args[2]);
      case '!_':
        return not(this.compile(node.args));
      case '-_':
        return negative(this.compile(node.args));
      case '?:':
        return choice(this.compile(node.args[0]), this.compile(node.args[1]), this.compile(node.args[2]));
      case '&&':
      case '||':
        return logical(node.op === '||', this.compile(node.args[0]), this.compile(node.args[1]));
      case 'in':
        return this.#membership(node.args[0], node.args[1]);
      case '+':
      case '-':
      case '*':
      case '/':
      case '%':
        return arithmetic(node.op, this.compile(node.args[0]), this.compile(node.args[1]));
      case '==':
      case '!=':
      case '<':
      case '<=':
      case '>':
      case '>=':
        return comparison(node.op, this.compile(node.args[0]), this.compile(node.args[1]));
      default:
        throw new Error(`"${node.op}" is no part of rules`);
    }
  }

  #attribute(node: ASTNode): Operation {
    const found = resolvePath(node, this.#scope);
    if ('message' in found) throw new Error(found.message);
    return this.#reading(found.path, found.type);
  }

  #call(name: string, args: readonly ASTNode[]): Operation {
    const [first] = args;
    if (first === undefined) throw new Error(`${name} has no argument`);
    if (name === 'segment') return this.#segment(first);
    if (name === 'experiment') return this.#experiment(first);
    return converted(name === 'int' ? 'int' : 'double', this.compile(first));
  }

  #method(name: string, receiver: ASTNode, args: readonly ASTNode[]): Operation {
    const [first, second] = args;
    if (receiver.op === 'list' && first?.op === 'id' && second !== undefined) {
      const type = receiver.args[0] === undefined ? 'bool' : typeOf(receiver.args[0]);
      const elements = receiver.args.map(literalOf);
      const body = new Compiler(this.#scope, { variable: first.args, type }).compile(second);
      return name === 'exists_one'
        ? existsOne(elements, body)
        : quantifier(name === 'exists', elements, body);
    }
    return textMethod(name, this.compile(receiver), first === undefined ? undefined : this.compile(first));
  }

  #membership(member: ASTNode, whole: ASTNode): Operation {
    if (whole.op !== 'list') return this.#segment(member);
    const elements = new Set(whole.args.map(literalOf));
    const value = this.compile(member);
    return operation('bool', [value], (attributes, item) => elements.has(value.run(attributes, item)));
  }

  #segment(node: ASTNode): Operation {
    const path = { name: 'segments', key: String(literalOf(node)), field: null };
    return this.#reading(path, 'bool');
  }

  #reading(path: AttributePath, type: ValueType): Operation {
    const { attributes } = this.#scope;
    const read = attributes.readerOf(path);
    return attributes.valueAt(path).canFail ? fallible(type, read) : operation(type, [], read);
  }

  #experiment(node: ASTNode): Operation {
    const path = { name: 'experiments', key: String(literalOf(node)), field: null };
    return operation('string', [], this.#scope.attributes.readerOf(path));
  }
}

function constant(value: AttributeValue, type: ValueType): Operation {
  return operation(type, [], () => value);
}

/** A text, a number, true or false, or a number with a minus before it. */
function literalOf(node: ASTNode): AttributeValue {
  if (node.op === '-_') return -Number(literalOf(node.args));
  const value: unknown = node.args;
  return typeof value === 'bigint' ? Number(value) : (value as AttributeValue);
}

function typeOf(node: ASTNode): ValueType {
  if (node.op === '-_') return typeOf(node.args);
  const type = typeof node.args;
  if (type === 'bigint') return 'int';
  if (type === 'number') return 'double';
  return type === 'string' ? 'string' : 'bool';
}

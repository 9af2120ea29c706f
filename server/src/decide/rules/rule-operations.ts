import type { ValueType } from '../attributes/attribute.js';
import type { AttributeValue, PlayerAttributes } from '../attributes/player-attributes.js';

/** The operations of rules on values that the type checker has found to fit. */

/** Thrown by a rule: `&&` and `||` still give a result if the other side decides it, as CEL has it. */
class RuleError extends Error {}

// Made once: a stack trace would cost more than the rest of the evaluation and lead nowhere.
const OVERFLOW = new RuleError('integer overflow');
const DIVISION_BY_ZERO = new RuleError('division by zero');

/** `item` is what the variable of a loop stands for, inside of one. */
type Run = (attributes: PlayerAttributes, item: AttributeValue) => AttributeValue;
export type Operation = Readonly<{ run: Run; type: ValueType; canFail: boolean }>;

export function operation(type: ValueType, parts: readonly Operation[], run: Run): Operation {
  return { run, type, canFail: parts.some(({ canFail }) => canFail) };
}

export function fallible(type: ValueType, run: Run): Operation {
  return { run, type, canFail: true };
}

export type ArithmeticOperator = '+' | '-' | '*' | '/' | '%';

export function arithmetic(operator: ArithmeticOperator, left: Operation, right: Operation): Operation {
  const calculate = left.type === 'int' ? INT[operator] : DOUBLE[operator];
  return fallible(left.type, (attributes, item) =>
    calculate(left.run(attributes, item) as number, right.run(attributes, item) as number),
  );
}

type Calculate = (a: number, b: number) => number;

const INT: Record<ArithmeticOperator, Calculate> = {
  '+': (a, b) => exact(a + b),
  '-': (a, b) => exact(a - b),
  '*': (a, b) => exact(a * b),
  // Without the remainder the division leaves no fraction to be rounded.
  '/': (a, b) => (a - remainder(a, b)) / b,
  '%': remainder,
};

const DOUBLE: Record<ArithmeticOperator, Calculate> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '%': (a, b) => a % b,
};

function exact(value: number): number {
  if (!Number.isSafeInteger(value)) throw OVERFLOW;
  return value;
}

function remainder(a: number, b: number): number {
  if (b === 0) throw DIVISION_BY_ZERO;
  return a % b;
}

export function negative(value: Operation): Operation {
  return operation(value.type, [value], (attributes, item) => -(value.run(attributes, item) as number));
}

export function converted(to: 'int' | 'double', value: Operation): Operation {
  if (to === 'double' || value.type === 'int') return { ...value, type: to };
  return fallible('int', (attributes, item) => exact(Math.trunc(value.run(attributes, item) as number)));
}

export type ComparisonOperator = '==' | '!=' | '<' | '<=' | '>' | '>=';

export function comparison(operator: ComparisonOperator, left: Operation, right: Operation): Operation {
  const [a, b] = [left.run, right.run];
  return operation('bool', [left, right], COMPARISONS[operator](a, b));
}

const COMPARISONS: Record<ComparisonOperator, (a: Run, b: Run) => Run> = {
  '==': (a, b) => (attributes, item) => a(attributes, item) === b(attributes, item),
  '!=': (a, b) => (attributes, item) => a(attributes, item) !== b(attributes, item),
  '<': (a, b) => (attributes, item) => a(attributes, item) < b(attributes, item),
  '<=': (a, b) => (attributes, item) => a(attributes, item) <= b(attributes, item),
  '>': (a, b) => (attributes, item) => a(attributes, item) > b(attributes, item),
  '>=': (a, b) => (attributes, item) => a(attributes, item) >= b(attributes, item),
};

export function not(value: Operation): Operation {
  return operation('bool', [value], (attributes, item) => value.run(attributes, item) !== true);
}

export function choice(condition: Operation, yes: Operation, no: Operation): Operation {
  return operation(yes.type, [condition, yes, no], (attributes, item) =>
    condition.run(attributes, item) === true ? yes.run(attributes, item) : no.run(attributes, item),
  );
}

/** `decisive` is the value that settles it: false for `&&`, true for `||`. It does so also if the other side fails. */
export function logical(decisive: boolean, left: Operation, right: Operation): Operation {
  if (!left.canFail) {
    return operation('bool', [right], (attributes, item) =>
      left.run(attributes, item) === decisive ? decisive : right.run(attributes, item),
    );
  }
  return fallible('bool', (attributes, item) => {
    let failure: unknown;
    try {
      if (left.run(attributes, item) === decisive) return decisive;
    } catch (error) {
      failure = error;
    }
    if (right.run(attributes, item) === decisive) return decisive;
    if (failure !== undefined) throw failure;
    return !decisive;
  });
}

/** `exists` (true is decisive) and `all` (false is): an element that fails counts only if no other decides. */
export function quantifier(
  decisive: boolean,
  elements: readonly AttributeValue[],
  body: Operation,
): Operation {
  return operation('bool', [body], (attributes) => {
    let failure: unknown;
    for (const element of elements) {
      try {
        if (body.run(attributes, element) === decisive) return decisive;
      } catch (error) {
        failure ??= error;
      }
    }
    if (failure !== undefined) throw failure;
    return !decisive;
  });
}

export function existsOne(elements: readonly AttributeValue[], body: Operation): Operation {
  return operation('bool', [body], (attributes) => {
    let count = 0;
    for (const element of elements) if (body.run(attributes, element) === true) count++;
    return count === 1;
  });
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 127) return false;
  return true;
}

/** Only the letters between the two: what other alphabets have stays as it is, as CEL has it. */
function shifted(text: string, first: string, last: string, by: number): string {
  const [from, to] = [first.charCodeAt(0), last.charCodeAt(0)];
  const codes: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    codes.push(code >= from && code <= to ? code + by : code);
  }
  return String.fromCharCode(...codes);
}

type TextMethod = (text: string, other: string) => AttributeValue;

const TEXT_METHODS: ReadonlyMap<string, TextMethod> = new Map<string, TextMethod>([
  ['startsWith', (text, other) => text.startsWith(other)],
  ['endsWith', (text, other) => text.endsWith(other)],
  ['contains', (text, other) => text.includes(other)],
  ['lowerAscii', (text) => (isAscii(text) ? text.toLowerCase() : shifted(text, 'A', 'Z', 32))],
  ['upperAscii', (text) => (isAscii(text) ? text.toUpperCase() : shifted(text, 'a', 'z', -32))],
]);

export function textMethod(name: string, text: Operation, other: Operation | undefined): Operation {
  const apply = TEXT_METHODS.get(name);
  if (apply === undefined) throw new Error(`there is no method ${name}`);
  if (other === undefined) {
    return operation('string', [text], (attributes, item) => apply(text.run(attributes, item) as string, ''));
  }
  return operation('bool', [text, other], (attributes, item) =>
    apply(text.run(attributes, item) as string, other.run(attributes, item) as string),
  );
}

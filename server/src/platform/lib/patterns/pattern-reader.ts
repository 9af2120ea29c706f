import {
  type CodePointSet,
  createSet,
  DIGITS,
  LINE_ENDS,
  outsideOf,
  type Ranges,
  SPACE,
  WORD,
} from './code-point-set.js';

/** A regular expression as a tree. Groups leave no trace: nothing is captured. */
export type PatternNode =
  | { kind: 'set'; set: CodePointSet }
  | { kind: 'assertion'; assertion: Assertion }
  | { kind: 'sequence'; parts: PatternNode[] }
  | { kind: 'choice'; branches: PatternNode[] }
  | { kind: 'repeat'; part: PatternNode; min: number; max: number };

export type Assertion = 'start' | 'end' | 'word boundary' | 'no word boundary';

/** Why a pattern cannot be used: the sentence that begins with the pattern, without its end. */
export class PatternError extends Error {}

/** Deeper groups would take more of the stack than there may be. */
const MAX_NESTING = 50;

const SHORTHANDS: Record<string, Ranges> = {
  d: DIGITS,
  D: outsideOf(DIGITS),
  w: WORD,
  W: outsideOf(WORD),
  s: SPACE,
  S: outsideOf(SPACE),
};
const CONTROLS: Record<string, number> = { f: 0x0c, n: 0x0a, r: 0x0d, t: 0x09, v: 0x0b, 0: 0 };
const HEX_ESCAPE = /x([\da-f]{2})|u\{([\da-f]+)\}|u(d[89ab][\da-f]{2})\\u(d[c-f][\da-f]{2})|u([\da-f]{4})/iy;
const PROPERTY = /p\{[^}]*\}/iy;
const QUANTIFIER = /(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/y;
const GROUP_NAME = /\?<[^=!>][^>]*>/y;

type Escape = { ranges: Ranges } | { property: RegExp } | { codePoint: number };

/**
 * Reads a pattern of ECMAScript with the flag `u`. The runtime has found it valid before, so this reader sees correct syntax only. It
 * refuses what a machine without backtracking cannot do.
 */
export function readPattern(source: string): PatternNode {
  return new PatternReader(source).choice(0);
}

class PatternReader {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  choice(depth: number): PatternNode {
    if (depth > MAX_NESTING) throw new PatternError(`has groups more than ${MAX_NESTING} levels deep`);
    const branches = [this.#sequence(depth)];
    while (this.#skip('|')) branches.push(this.#sequence(depth));
    const [only] = branches;
    return branches.length === 1 && only !== undefined ? only : { kind: 'choice', branches };
  }

  #sequence(depth: number): PatternNode {
    const parts: PatternNode[] = [];
    for (let next = this.#peek(); next !== '' && next !== '|' && next !== ')'; next = this.#peek()) {
      parts.push(this.#repeated(this.#atom(depth)));
    }
    return { kind: 'sequence', parts };
  }

  #repeated(part: PatternNode): PatternNode {
    const found = this.#match(QUANTIFIER);
    if (found === null) return part;
    const [, sign, from, comma, to] = found;
    if (sign !== undefined) {
      return {
        kind: 'repeat',
        part,
        min: sign === '+' ? 1 : 0,
        max: sign === '?' ? 1 : Number.POSITIVE_INFINITY,
      };
    }
    const min = Number(from);
    const max = comma === undefined ? min : to ? Number(to) : Number.POSITIVE_INFINITY;
    return { kind: 'repeat', part, min, max };
  }

  #atom(depth: number): PatternNode {
    if (this.#skip('^')) return { kind: 'assertion', assertion: 'start' };
    if (this.#skip('$')) return { kind: 'assertion', assertion: 'end' };
    if (this.#skip('.')) return { kind: 'set', set: createSet(LINE_ENDS, [], true) };
    if (this.#skip('(')) return this.#group(depth);
    if (this.#skip('[')) return { kind: 'set', set: this.#class() };
    if (this.#skip('\\')) return this.#escapedAtom();
    return this.#literal();
  }

  #group(depth: number): PatternNode {
    if (this.#peek() === '?' && !this.#skip('?:') && this.#match(GROUP_NAME) === null) {
      const isLook = /^\?<?[=!]/.test(this.#source.slice(this.#at, this.#at + 3));
      throw unsupported(isLook ? 'looks ahead or behind' : 'changes flags within the pattern');
    }
    const inner = this.choice(depth + 1);
    this.#skip(')');
    return inner;
  }

  #escapedAtom(): PatternNode {
    if (this.#skip('b')) return { kind: 'assertion', assertion: 'word boundary' };
    if (this.#skip('B')) return { kind: 'assertion', assertion: 'no word boundary' };
    if (/[1-9k]/.test(this.#peek())) throw unsupported('refers back to a group');
    return { kind: 'set', set: setOf([this.#escape()], false) };
  }

  #literal(): PatternNode {
    const codePoint = this.#codePoint();
    return { kind: 'set', set: setOf([{ codePoint }], false) };
  }

  #class(): CodePointSet {
    const isNegated = this.#skip('^');
    const members: Escape[] = [];
    while (!this.#skip(']')) {
      const member = this.#classMember();
      const isRange = this.#peek() === '-' && this.#source[this.#at + 1] !== ']' && 'codePoint' in member;
      if (!isRange) {
        members.push(member);
        continue;
      }
      this.#at += 1;
      const last = this.#classMember();
      if ('codePoint' in last) members.push({ ranges: [member.codePoint, last.codePoint] });
    }
    return setOf(members, isNegated);
  }

  #classMember(): Escape {
    if (!this.#skip('\\')) return { codePoint: this.#codePoint() };
    return this.#skip('b') ? { codePoint: 0x08 } : this.#escape();
  }

  /** What stands after a backslash, in a class and outside. */
  #escape(): Escape {
    const property = this.#match(PROPERTY);
    if (property !== null) return { property: new RegExp(`^\\${property[0]}$`, 'u') };
    const hex = this.#match(HEX_ESCAPE);
    if (hex !== null) {
      const [, byte, braced, high, low, unit] = hex;
      if (high === undefined) return { codePoint: Number.parseInt(byte ?? braced ?? unit ?? '', 16) };
      const pair = String.fromCharCode(Number.parseInt(high, 16), Number.parseInt(low ?? '', 16));
      return { codePoint: pair.codePointAt(0) ?? 0 };
    }
    const letter = this.#peek();
    if (this.#skip('c')) return { codePoint: this.#codePoint() % 32 };
    const ranges = SHORTHANDS[letter];
    const codePoint = this.#codePoint();
    return ranges === undefined ? { codePoint: CONTROLS[letter] ?? codePoint } : { ranges };
  }

  #codePoint(): number {
    const codePoint = this.#source.codePointAt(this.#at) ?? 0;
    this.#at += codePoint > 0xffff ? 2 : 1;
    return codePoint;
  }

  #peek(): string {
    return this.#source.charAt(this.#at);
  }

  #skip(text: string): boolean {
    if (!this.#source.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #match(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#source);
    if (found !== null) this.#at += found[0].length;
    return found;
  }
}

function unsupported(what: string): PatternError {
  return new PatternError(`${what}, which is not supported: patterns are matched without backtracking`);
}

function setOf(members: readonly Escape[], isNegated: boolean): CodePointSet {
  const ranges = members.flatMap((member) =>
    'ranges' in member ? member.ranges : 'codePoint' in member ? [member.codePoint, member.codePoint] : [],
  );
  const properties = members.flatMap((member) => ('property' in member ? [member.property] : []));
  return createSet(ranges, properties, isNegated);
}

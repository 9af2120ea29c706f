import { clipText } from '../clip-text.js';
import type { StepLimit } from '../step-limit.js';
import { type CodePointSet, isInSet, isWordCharacter } from './code-point-set.js';
import { type Assertion, PatternError, type PatternNode, readPattern } from './pattern-reader.js';

/**
 * Regular expressions of ECMAScript with the flag `u`, without backtracking: the machine is in several states at once and reads
 * the text one time. Each state is entered at most once for each character, and every entry is a step that is counted.
 */
export type Pattern = {
  /** Whether some part of the text matches. */
  test(text: string, steps: StepLimit): boolean;
};

type State =
  | { kind: 'read'; set: CodePointSet; next: number }
  | { kind: 'assertion'; assertion: Assertion; next: number }
  | { kind: 'split'; next: number; other: number }
  | { kind: 'match' };

/** The runtime takes a quarter of a millisecond to read `\p{…}`, as long as for some hundred other characters. */
const PROPERTY_SIZE = 250;
const PROPERTIES = /\\p\{/gi;

/** The runtime repeats the whole pattern in its reason. */
const MAX_REASON = 200;

/** What stands before the first and after the last code point of a text. */
const NOTHING = -1;

/** Throws a `PatternError`, or `TooManySteps` where the machine would be larger than `size` allows. */
export function compilePattern(source: string, size: StepLimit): Pattern {
  size.take(source.length + PROPERTY_SIZE * (source.match(PROPERTIES)?.length ?? 0));
  try {
    new RegExp(source, 'u');
  } catch (error) {
    throw new PatternError(`is not valid: ${clipText((error as Error).message, MAX_REASON)}`);
  }
  const root = readPattern(source);
  const program = new ProgramWriter(size);
  const first = program.write(root, program.add({ kind: 'match' }));
  return new PatternMachine(program.states, first, beginsAtStart(root));
}

/** Writes the states of a tree from its end to its beginning, so that each state knows what follows. */
class ProgramWriter {
  readonly states: State[] = [];
  readonly #size: StepLimit;

  constructor(size: StepLimit) {
    this.#size = size;
  }

  add(state: State): number {
    return this.states.push(state) - 1;
  }

  /** The first state of a node after which the machine goes on with `next`. */
  write(node: PatternNode, next: number): number {
    // Every call counts, also one that adds no state: a group without content may be repeated a billion times.
    this.#size.take(1);
    switch (node.kind) {
      case 'set':
        return this.add({ kind: 'read', set: node.set, next });
      case 'assertion':
        return this.add({ kind: 'assertion', assertion: node.assertion, next });
      case 'sequence':
        return node.parts.reduceRight((after, part) => this.write(part, after), next);
      case 'choice':
        return node.branches
          .map((branch) => this.write(branch, next))
          .reduceRight((other, first) => this.add({ kind: 'split', next: first, other }));
      case 'repeat':
        return this.#repeat(node, next);
    }
  }

  #repeat({ part, min, max }: PatternNode & { kind: 'repeat' }, next: number): number {
    let first = next;
    let missing = min;
    if (max === Number.POSITIVE_INFINITY) {
      const loop = { kind: 'split' as const, next: 0, other: next };
      first = this.add(loop);
      loop.next = this.write(part, first);
      if (missing > 0) {
        missing -= 1;
        first = loop.next;
      }
    } else {
      // Each optional repetition leads to the end at once, not through those after it.
      for (let n = min; n < max; n++) {
        first = this.add({ kind: 'split', next: this.write(part, first), other: next });
      }
    }
    for (; missing > 0; missing--) first = this.write(part, first);
    return first;
  }
}

class PatternMachine implements Pattern {
  readonly #states: readonly State[];
  readonly #first: number;
  readonly #beginsAtStart: boolean;
  /** For each state the number of the last round that entered it. Numbers go on from text to text, so nothing is cleared. */
  readonly #entered: Float64Array;
  #round = 0;

  constructor(states: readonly State[], first: number, beginsAtStart: boolean) {
    this.#states = states;
    this.#first = first;
    this.#beginsAtStart = beginsAtStart;
    this.#entered = new Float64Array(states.length);
  }

  test(text: string, steps: StepLimit): boolean {
    let waiting: number[] = [];
    let before = NOTHING;
    for (let at = 0; ; ) {
      const codePoint = text.codePointAt(at) ?? NOTHING;
      if (at === 0 || !this.#beginsAtStart) waiting.push(this.#first);
      const readers = this.#enter(waiting, before, codePoint, steps);
      if (readers === 'match') return true;
      if (codePoint === NOTHING || (readers.length === 0 && this.#beginsAtStart)) return false;
      waiting = [];
      for (const { set, next } of readers) if (isInSet(set, codePoint)) waiting.push(next);
      before = codePoint;
      at += codePoint > 0xffff ? 2 : 1;
    }
  }

  /** Enters these states and all that they lead to without reading, and returns those that read. */
  #enter(
    waiting: number[],
    before: number,
    after: number,
    steps: StepLimit,
  ): (State & { kind: 'read' })[] | 'match' {
    const readers: (State & { kind: 'read' })[] = [];
    this.#round += 1;
    for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
      steps.take(1);
      if (this.#entered[index] === this.#round) continue;
      this.#entered[index] = this.#round;
      const state = this.#states[index];
      if (state === undefined || state.kind === 'match') return 'match';
      if (state.kind === 'read') {
        // A property is looked up in the runtime's tables.
        steps.take(1 + state.set.properties.length);
        readers.push(state);
      } else if (state.kind === 'split') waiting.push(state.next, state.other);
      else if (holds(state.assertion, before, after)) waiting.push(state.next);
    }
    return readers;
  }
}

function holds(assertion: Assertion, before: number, after: number): boolean {
  if (assertion === 'start') return before === NOTHING;
  if (assertion === 'end') return after === NOTHING;
  const isBoundary = isWordCharacter(before) !== isWordCharacter(after);
  return isBoundary === (assertion === 'word boundary');
}

/** A match of such a pattern can begin at the start of the text only, so the rest of the text need not be tried. */
function beginsAtStart(node: PatternNode): boolean {
  if (node.kind === 'assertion') return node.assertion === 'start';
  if (node.kind === 'choice') return node.branches.every(beginsAtStart);
  return node.kind === 'sequence' && node.parts[0] !== undefined && beginsAtStart(node.parts[0]);
}

import type { RuleProblem } from './rules.js';

/** Why a document cannot be published. */
export type DocumentProblem = Readonly<{
  /** JSON pointer to the culprit. */
  pointer: string;
  message: string;
  /** Inside of a rule. */
  position: Readonly<{ offset: number; line: number; column: number }> | null;
}>;

/** An entry of one of the document's lists, and where it stands. */
export type Entry<T> = Readonly<{ entry: T; pointer: string }>;

/** Nobody reads more at once; and a hostile document cannot make a huge answer of a small mistake. */
export const MAX_PROBLEMS = 1000;

/** Collects problems. Once it is full the rest is not told: who looks for more of them can stop. */
export class ProblemList {
  readonly all: DocumentProblem[] = [];

  get isFull(): boolean {
    return this.all.length >= MAX_PROBLEMS;
  }

  add(pointer: string, message: string): void {
    if (!this.isFull) this.all.push({ pointer, message, position: null });
  }

  addRule(pointer: string, { message, offset, line, column }: RuleProblem): void {
    if (!this.isFull) this.all.push({ pointer, message, position: { offset, line, column } });
  }

  /** Names must be unique: the first one keeps it. */
  duplicates<T>(entries: readonly Entry<T>[], member: string, idOf: (entry: T) => string): void {
    const first = new Map<string, string>();
    for (const { entry, pointer } of entries) {
      const id = idOf(entry);
      const taken = first.get(id);
      if (taken === undefined) first.set(id, pointer);
      else this.add(`${pointer}/${member}`, `"${id}" is taken by ${taken}.`);
    }
  }
}

/** A member's name as a part of a JSON pointer. */
export function pointerPart(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

import { clipText } from '../../platform/lib/clip-text.js';
import { valueAt } from '../../platform/lib/schema-members.js';
import { idOf, type ListPart } from '../document/document-part.js';
import type { RuleProblem } from '../rules/rules.js';

/** Why a document cannot be published. */
export type DocumentProblem = Readonly<{
  /** JSON pointer to the wrong value. */
  pointer: string;
  /** The entry of a list that the wrong value is or belongs to, by its name: `offer "winter_sale"`. */
  subject: string | null;
  message: string;
  /** Inside of a rule. */
  position: Readonly<{ offset: number; line: number; column: number }> | null;
}>;

/** An entry of one of the document's lists, and where it stands. */
export type Entry<T> = Readonly<{ entry: T; pointer: string }>;

/** More problems would not be read, and a hostile document cannot turn a small mistake into a huge response. */
export const MAX_PROBLEMS = 1000;

/** Collects problems. Once it is full the rest is dropped, and checks can stop. */
export class ProblemList {
  readonly all: DocumentProblem[] = [];
  readonly #document: unknown;
  readonly #lists: readonly ListPart[];

  constructor(document: unknown, lists: readonly ListPart[]) {
    this.#document = document;
    this.#lists = lists;
  }

  get isFull(): boolean {
    return this.all.length >= MAX_PROBLEMS;
  }

  add(pointer: string, message: string): void {
    this.#add(pointer, message, null);
  }

  addRule(pointer: string, { message, offset, line, column }: RuleProblem): void {
    this.#add(pointer, message, { offset, line, column });
  }

  #add(pointer: string, message: string, position: DocumentProblem['position']): void {
    if (this.isFull) return;
    this.all.push({ pointer, subject: this.#subjectOf(pointer), message, position });
  }

  /** Names must be unique: the first entry keeps its name. */
  duplicates<T>(entries: readonly Entry<T>[], part: ListPart): void {
    const first = new Map<string, string>();
    for (const { entry, pointer } of entries) {
      const id = idOf(part, entry);
      const taken = first.get(id);
      if (taken === undefined) first.set(id, pointer);
      else this.add(`${pointer}/${part.idMember}`, `"${id}" is taken by ${taken}.`);
    }
  }

  #subjectOf(pointer: string): string | null {
    const part = this.#lists.find(({ path }) => pointer.startsWith(`/${path}/`));
    if (part === undefined) return null;
    const [index] = pointer.slice(part.path.length + 2).split('/', 1);
    const id = valueAt(this.#document, `/${part.path}/${index}/${part.idMember}`);
    return typeof id === 'string' && id !== '' ? `${part.noun} "${clipText(id, MAX_ID)}"` : null;
  }
}

const MAX_ID = 128;

/** `offer "winter_sale" (/offers/3/when)`, or the pointer alone. */
export function placeOf({ subject, pointer }: DocumentProblem, detail = ''): string {
  const place = `${pointer || '/'}${detail}`;
  return subject === null ? place : `${subject} (${place})`;
}

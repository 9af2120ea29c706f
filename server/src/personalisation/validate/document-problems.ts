import { clipText } from '../../lib/clip-text.js';
import { valueAt } from '../../lib/schema-members.js';
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

  constructor(document: unknown) {
    this.#document = document;
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
    this.all.push({ pointer, subject: subjectOf(this.#document, pointer), message, position });
  }

  /** Names must be unique: the first entry keeps its name. */
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

/** Where the lists of a document are, and what their entries are called by. */
const LISTS = [
  { list: '/offers', kind: 'offer', id: 'offerId' },
  { list: '/segments', kind: 'segment', id: 'segmentId' },
  { list: '/catalogue', kind: 'SKU', id: 'skuId' },
  { list: '/flags/custom', kind: 'flag', id: 'flagId' },
] as const;
const MAX_ID = 128;

function subjectOf(document: unknown, pointer: string): string | null {
  const found = LISTS.find(({ list }) => pointer.startsWith(`${list}/`));
  if (found === undefined) return null;
  const [index] = pointer.slice(found.list.length + 1).split('/', 1);
  const id = valueAt(document, `${found.list}/${index}/${found.id}`);
  return typeof id === 'string' && id !== '' ? `${found.kind} "${clipText(id, MAX_ID)}"` : null;
}

/** `offer "winter_sale" (/offers/3/when)`, or the pointer alone. */
export function placeOf({ subject, pointer }: DocumentProblem, detail = ''): string {
  const place = `${pointer || '/'}${detail}`;
  return subject === null ? place : `${subject} (${place})`;
}

/** A member's name as a part of a JSON pointer. */
export function pointerPart(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

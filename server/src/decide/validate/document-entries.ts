import { type ListPart, partOf } from '../document/document-part.js';
import type { Entry } from './document-problems.js';

/**
 * The entries of a document that may have the wrong shape in places. Only entries of the right shape are checked further; the ids
 * of the others are known, so that references to those are not reported as well.
 */
export class DocumentEntries {
  readonly #document: unknown;
  readonly #maxEntries: number;
  /** Where something in an entry has the wrong shape. */
  readonly #shapeless: ReadonlySet<string>;

  constructor(document: unknown, lists: readonly ListPart[], wrongPointers: readonly string[]) {
    this.#document = document;
    this.#maxEntries = Math.max(...lists.map(({ limit }) => limit));
    this.#shapeless = new Set(wrongPointers.flatMap(entriesAbove));
  }

  of<T>(part: ListPart<T>): Entry<T>[] {
    const list = partOf(this.#document, part);
    return (Array.isArray(list) ? list.slice(0, this.#maxEntries) : [])
      .map((entry: T, index) => ({ entry, pointer: `/${part.path}/${index}` }))
      .filter(({ pointer }) => !this.#shapeless.has(pointer));
  }

  idsOf(part: ListPart): string[] {
    const list = partOf(this.#document, part);
    if (!Array.isArray(list)) return [];
    return list.map((entry) => membersOf(entry)[part.idMember]).filter((id) => typeof id === 'string');
  }
}

export function membersOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** Where the entry that a problem is inside of may stand: `/offers/3`, or `/flags/custom/3`. */
function entriesAbove(pointer: string): string[] {
  const parts = pointer.split('/', 4);
  return [parts.slice(0, 3).join('/'), parts.join('/')];
}

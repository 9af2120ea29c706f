/** All of a text. */
export const USER_IDS = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const USER_ID_LENGTH = 36;
/** What `erasedName` gives has no ids in it, also where a device is called `erased`: a text does not grow when it is renamed again. */
const NAME = /erased:[0-9a-f]{29}/y;

/** What a text says once the ids in it are renamed, and whose ids they were. */
export type Renamed<T> = Readonly<{ text: string; found: ReadonlySet<T> }>;

/**
 * Renames ids in texts wherever they stand as words: what is next to an id is no letter, digit or underscore, so a device that is called `e`
 * changes no other word. User ids may be in capital letters. Players choose ids and studios write texts: a place of the text takes one look-up in
 * the sorted ids, however many there are and whatever they have in common.
 */
export function createRenamer<T>(
  ids: ReadonlyMap<string, T>,
  nameOf: (owner: T) => string,
): (text: string) => Renamed<T> {
  const sorted = [...ids.keys()].sort();
  const beginnings = beginningsOf(sorted);
  const longest = sorted.reduce((most, { length }) => Math.max(most, length), 0);

  /** The longest id that begins here. */
  const idAt = (text: string, at: number): string | undefined => {
    const rest = text.slice(at, at + longest);
    let index = lastNotAfter(sorted, rest);
    const common = commonLength(sorted[index] ?? '', rest);
    for (; index >= 0; index = beginnings[index] ?? -1) {
      const id = sorted[index] ?? '';
      if (id.length <= common && isEdge(text, at + id.length)) return id;
    }
    const userId = text.slice(at, at + USER_ID_LENGTH).toLowerCase();
    return ids.has(userId) && isEdge(text, at + USER_ID_LENGTH) ? userId : undefined;
  };

  return (text) => {
    const found = new Set<T>();
    let renamed = '';
    let from = 0;
    for (let at = 0; at < text.length; ) {
      const end = endOfName(text, at);
      const id = end === undefined && isEdge(text, at) ? idAt(text, at) : undefined;
      const owner = id === undefined ? undefined : ids.get(id);
      if (id === undefined || owner === undefined) {
        at = end ?? at + 1;
        continue;
      }
      found.add(owner);
      renamed += text.slice(from, at) + nameOf(owner);
      at += id.length;
      from = at;
    }
    return { text: renamed + text.slice(from), found };
  };
}

/** For each id the place of the longest other one that it begins with, or -1. */
function beginningsOf(sorted: readonly string[]): number[] {
  const open: number[] = [];
  return sorted.map((id, index) => {
    while (open.length > 0 && !id.startsWith(sorted[open.at(-1) ?? 0] ?? '')) open.pop();
    const beginning = open.at(-1) ?? -1;
    open.push(index);
    return beginning;
  });
}

/** An id that the text begins with is this one, or one that this one begins with. */
function lastNotAfter(sorted: readonly string[], text: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? '') <= text) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function commonLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one.charCodeAt(length) === other.charCodeAt(length)) length++;
  return length;
}

function endOfName(text: string, at: number): number | undefined {
  NAME.lastIndex = at;
  return NAME.test(text) ? NAME.lastIndex : undefined;
}

/** Whether no word goes on here. */
function isEdge(text: string, at: number): boolean {
  return !(isWord(text.charCodeAt(at - 1)) && isWord(text.charCodeAt(at)));
}

/** Letters, digits and the underscore; not NaN, which is the code outside of a text. */
function isWord(code: number): boolean {
  return (
    (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || code === 95 || (code >= 97 && code <= 122)
  );
}

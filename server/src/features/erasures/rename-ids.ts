/** All of a text. */
export const USER_IDS = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
/** A user id may stand in a text in capital letters. */
const UUID_LENGTH = 36;
/** What `erasedName` gives has no ids in it, also where a device is called `erased`: a text does not grow when it is renamed again. */
const NAME = /erased:[0-9a-f]{29}/y;

/** What a text says once the ids in it are renamed, and whose ids they were. */
export type Renamed<T> = Readonly<{ text: string; found: ReadonlySet<T> }>;

/**
 * Renames ids in texts wherever they stand as words: what is next to an id is no letter, digit or underscore, so a device that is called `e`
 * changes no other word. How long it takes depends on the text and on how many lengths the ids have, not on their number, which may be thousands.
 */
export function createRenamer<T>(
  ids: ReadonlyMap<string, T>,
  nameOf: (owner: T) => string,
): (text: string) => Renamed<T> {
  const lengths = [...new Set([...ids.keys()].map(({ length }) => length))].sort((a, b) => b - a);
  const ownerOf = (word: string) =>
    ids.get(word) ?? (word.length === UUID_LENGTH ? ids.get(word.toLowerCase()) : undefined);

  /** The longest id that begins here, or a name, which stays. */
  const idAt = (text: string, at: number) => {
    NAME.lastIndex = at;
    if (NAME.test(text)) return { owner: undefined, end: NAME.lastIndex };
    for (const length of lengths) {
      const end = at + length;
      if (end > text.length || !isEdge(text, end)) continue;
      const owner = ownerOf(text.slice(at, end));
      if (owner !== undefined) return { owner, end };
    }
    return undefined;
  };

  return (text) => {
    const found = new Set<T>();
    let renamed = '';
    let from = 0;
    for (let at = 0; at < text.length; ) {
      const id = isEdge(text, at) ? idAt(text, at) : undefined;
      if (id === undefined) {
        at++;
        continue;
      }
      if (id.owner !== undefined) {
        found.add(id.owner);
        renamed += text.slice(from, at) + nameOf(id.owner);
        from = id.end;
      }
      at = id.end;
    }
    return { text: renamed + text.slice(from), found };
  };
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

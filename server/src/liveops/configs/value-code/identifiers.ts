/** A name for each key that is no reserved word of the language and no other name. An underscore is added until it is neither. */
export function identifiersOf(
  keys: readonly string[],
  reserved: ReadonlySet<string>,
  transform: (key: string) => string = (key) => key,
): ReadonlyMap<string, string> {
  const taken = new Set(reserved);
  const names = new Map<string, string>();
  for (const key of keys) {
    let name = transform(key);
    while (taken.has(name)) name += '_';
    taken.add(name);
    names.set(key, name);
  }
  return names;
}

/** A text as one line, for a comment. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

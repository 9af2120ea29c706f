/**
 * One text for one JSON value: the identity of an event is a digest of it, so a client that sends the members
 * of an object in another order, or escapes a character differently, still sends the same event.
 */

/** A character that JSON must escape, or a surrogate, which it must if it stands alone. */
const NEEDS_ESCAPE = /[^ !#-[\]-\ud7ff\ue000-\uffff]/;

/** Up to here an insertion sort beats `Array.sort`; beyond, its square would be a gift to an attacker. */
const INSERTION_SORT_MAX = 32;

/**
 * Games send the same few keys again and again: remembering them quoted saves a third of the time. Emptied when
 * full, so that a sender of random keys can neither fill the memory nor lock the others out.
 */
const quotedKeys = new Map<string, string>();
const QUOTED_KEYS_MAX = 4096;
const QUOTED_KEY_LENGTH_MAX = 64;

/**
 * The JSON text of something that `JSON.parse` gave, without white space and with the keys of every object in
 * code unit order. Equal values give equal texts. The caller has bounded the depth.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'null';
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return canonicalArray(value);
  return canonicalObject(value as Record<string, unknown>);
}

function canonicalArray(items: readonly unknown[]): string {
  let text = '[';
  let separator = '';
  for (const item of items) {
    text += separator;
    text += canonicalJson(item);
    separator = ',';
  }
  return `${text}]`;
}

function canonicalObject(members: Record<string, unknown>): string {
  let text = '{';
  let separator = '';
  for (const key of sortKeys(Object.keys(members))) {
    text += separator;
    text += quoteKey(key);
    text += canonicalJson(members[key]);
    separator = ',';
  }
  return `${text}}`;
}

/** Sorts in place. Without a comparator `sort` compares code units, and so does `>`. */
function sortKeys(keys: string[]): string[] {
  if (keys.length > INSERTION_SORT_MAX) return keys.sort();
  for (let end = 1; end < keys.length; end++) {
    const key = keys[end];
    if (key === undefined) break;
    let at = end;
    for (; at > 0; at--) {
      const before = keys[at - 1];
      if (before === undefined || before <= key) break;
      keys[at] = before;
    }
    keys[at] = key;
  }
  return keys;
}

function quoteKey(key: string): string {
  const known = quotedKeys.get(key);
  if (known !== undefined) return known;
  const quoted = `${quote(key)}:`;
  if (key.length <= QUOTED_KEY_LENGTH_MAX) {
    if (quotedKeys.size >= QUOTED_KEYS_MAX) quotedKeys.clear();
    quotedKeys.set(key, quoted);
  }
  return quoted;
}

function quote(text: string): string {
  return NEEDS_ESCAPE.test(text) ? JSON.stringify(text) : `"${text}"`;
}

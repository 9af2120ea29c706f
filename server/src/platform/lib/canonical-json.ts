import { flatten } from './flatten.js';

/**
 * One text for one JSON value: the JSON Canonicalization Scheme (JCS, RFC 8785). The identity of an event is a digest of
 * it, so a client that sends the members of an object in another order, or escapes a character differently, still sends the
 * same event.
 */

/** A character that has to be escaped, or a surrogate, which cannot be written if it stands alone. */
const NEEDS_A_LOOK = /[^ !#-[\]-\ud7ff\ue000-\uffff]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that JSON escapes
const NEEDS_ESCAPE = /[\0-\x1f"\\]/;

/** Up to this many keys an insertion sort beats `Array.sort`. Beyond it, an attacker could exploit its quadratic time. */
const INSERTION_SORT_MAX = 32;

/**
 * Games send the same few keys again and again: remembering them quoted saves a third of the time. Emptied when
 * full, so that a sender of random keys can neither fill the memory nor lock the others out.
 */
const quotedKeys = new Map<string, string>();
const QUOTED_KEYS_MAX = 4096;
const QUOTED_KEY_LENGTH_MAX = 64;

/**
 * The JSON text of something that `JSON.parse` gave, without white space, with the keys of every object in the order of
 * their UTF-16 code units and with numbers as ECMAScript writes them. Equal values give equal texts. The caller has bounded
 * the depth, and has refused what RFC 8785 refuses (see `checkStorable`): numbers that are not finite and lone surrogates.
 * For these it throws a RangeError.
 */
export function canonicalJson(value: unknown): string {
  // The text of an event lives until the event is stored.
  return flatten(textOf(value));
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'number') return numberText(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return canonicalArray(value);
  return canonicalObject(value as Record<string, unknown>);
}

function canonicalArray(items: readonly unknown[]): string {
  let text = '[';
  let separator = '';
  for (const item of items) {
    text += separator;
    text += textOf(item);
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
    text += textOf(members[key]);
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

function numberText(value: number): string {
  if (!Number.isFinite(value)) throw new RangeError(`canonical JSON has no ${value}`);
  return String(value);
}

function quote(text: string): string {
  if (!NEEDS_A_LOOK.test(text)) return `"${text}"`;
  if (!text.isWellFormed()) throw new RangeError('canonical JSON has no lone surrogates');
  // An emoji needs no escape, and this takes two thirds of the time of JSON.stringify.
  return NEEDS_ESCAPE.test(text) ? JSON.stringify(text) : `"${text}"`;
}

import { pointerPart } from './json-pointer.js';

/**
 * From the bytes of a request to a value that PostgreSQL can store. Nothing here throws, whatever the bytes:
 * what is wrong with a whole body, or with one event of it, is a return value.
 */

export type DecodedJson =
  | {
      ok: true;
      value: unknown;
      /** What the value was read from, without a byte order mark. */
      text: string;
      /**
       * Some string may hold NUL or a lone surrogate. Numbers have no part in it: `checkStorable` looks at each
       * of them anyway, and to find those out of range in the text costs a fifth of the parsing.
       */
      suspicious: boolean;
    }
  | { ok: false; code: 'invalid_utf8' | 'invalid_json'; message: string };

export type Unstorable = {
  /** JSON pointer to the value, or to the object that has the bad key. */
  path: string;
  code: 'too_deep' | 'invalid_unicode' | 'number_out_of_range';
};

/** Holds no state between calls, as none of them streams. Takes away a leading byte order mark. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The bytes are strict UTF-8, so only an escape can bring NUL or a lone surrogate into a string. */
const DOUBTFUL_ESCAPE = /\\u(?:0000|[dD][89a-fA-F])/;
/** In Unicode mode a proper pair is one character, so this finds lone surrogates only. */
const LONE_SURROGATE = /\p{Surrogate}/u;

export function decodeJson(bytes: Uint8Array): DecodedJson {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    return { ok: false, code: 'invalid_utf8', message: 'The body is not valid UTF-8.' };
  }
  try {
    const value: unknown = JSON.parse(mayHoldInexactInteger(text) ? replaceInexactIntegers(text) : text);
    return { ok: true, value, text, suspicious: text.includes('\\u') && DOUBTFUL_ESCAPE.test(text) };
  } catch {
    // The text of a SyntaxError quotes the body and differs between versions of Node.
    const message = text.trim() === '' ? 'The body is empty.' : 'The body is not valid JSON.';
    return { ok: false, code: 'invalid_json', message };
  }
}

/**
 * The first thing in a value that cannot be stored exactly: more than `maxDepth` objects and arrays inside each
 * other (the value itself is the first), a string or key with NUL or a lone surrogate, a number beyond a double.
 */
export function checkStorable(value: unknown, maxDepth: number, suspicious: boolean): Unstorable | undefined {
  if (typeof value === 'string') {
    return suspicious && isBadText(value) ? { path: '', code: 'invalid_unicode' } : undefined;
  }
  if (typeof value === 'number') {
    return Number.isFinite(value) ? undefined : { path: '', code: 'number_out_of_range' };
  }
  if (typeof value !== 'object' || value === null) return undefined;
  if (maxDepth < 1) return { path: '', code: 'too_deep' };
  return Array.isArray(value)
    ? checkItems(value, maxDepth - 1, suspicious)
    : checkMembers(value as Record<string, unknown>, maxDepth - 1, suspicious);
}

function checkItems(
  items: readonly unknown[],
  maxDepth: number,
  suspicious: boolean,
): Unstorable | undefined {
  for (let index = 0; index < items.length; index++) {
    const found = checkStorable(items[index], maxDepth, suspicious);
    if (found !== undefined) return prefixPath(String(index), found);
  }
  return undefined;
}

function checkMembers(
  members: Record<string, unknown>,
  maxDepth: number,
  suspicious: boolean,
): Unstorable | undefined {
  for (const key of Object.keys(members)) {
    // Reported where the object is: the path is shown and stored, and must not carry the bad key itself.
    if (suspicious && isBadText(key)) return { path: '', code: 'invalid_unicode' };
    const found = checkStorable(members[key], maxDepth, suspicious);
    if (found !== undefined) return prefixPath(key, found);
  }
  return undefined;
}

/** The path grows on the way back, so that a good value costs no text. */
function prefixPath(step: string, found: Unstorable): Unstorable {
  return { path: `/${pointerPart(step)}${found.path}`, code: found.code };
}

function isBadText(text: string): boolean {
  return text.includes('\0') || LONE_SURROGATE.test(text);
}

/** The least integer that a double cannot hold, 2^53 + 1 or 9007199254740993, has 16 digits. */
const BIG_INTEGER_DIGITS = 16;
/** Every character that a number can have; whether they make one is left to the parser. */
const NUMBER_TOKEN = /-?\d[\d.eE+-]*/g;
const BIG_INTEGER = /^-?[1-9]\d{15,}$/;
/** What can stand before a value; neither the point of a decimal nor the quote before an identifier. */
const BEFORE_VALUE = /[[,:\s]/;
const POINT_OR_EXPONENT = /\.|e.*/g;
/** Parsed as Infinity, and refused by `checkStorable` for the one event that has it. */
const OUT_OF_RANGE = '1e999';

/**
 * Every body pays for this, so it looks at each 16th character only: 16 digits in a row cannot hide between.
 * It may take digits inside a string for a number, but never overlooks one.
 */
function mayHoldInexactInteger(text: string): boolean {
  for (let at = BIG_INTEGER_DIGITS - 1; at < text.length; at += BIG_INTEGER_DIGITS) {
    if (!isDigit(text.charCodeAt(at))) continue;
    let start = at;
    while (isDigit(text.charCodeAt(start - 1))) start--;
    while (isDigit(text.charCodeAt(at))) at++;
    if (at - start >= BIG_INTEGER_DIGITS && mayBeginValue(text, start) && isInexact(text.slice(start, at))) {
      return true;
    }
  }
  return false;
}

function mayBeginValue(text: string, at: number): boolean {
  const before = text.charAt(at - 1) === '-' ? at - 2 : at - 1;
  return before < 0 || BEFORE_VALUE.test(text.charAt(before));
}

/**
 * `JSON.parse` rounds 9007199254740993 to its neighbour without a word. Such integers are marked here, outside
 * strings. Jumps from quote to quote instead of matching strings with a pattern, which would overflow the stack
 * of the regular expression engine on a long one.
 */
function replaceInexactIntegers(text: string): string {
  let replaced = '';
  let copiedTo = 0;
  let at = 0;
  while (at < text.length) {
    const quote = text.indexOf('"', at);
    const end = quote === -1 ? text.length : quote;
    if (end - at >= BIG_INTEGER_DIGITS) {
      replaced += text.slice(copiedTo, at) + text.slice(at, end).replace(NUMBER_TOKEN, markInexact);
      copiedTo = end;
    }
    at = quote === -1 ? end : endOfString(text, quote);
  }
  return replaced + text.slice(copiedTo);
}

function markInexact(token: string): string {
  return isInexact(token) ? OUT_OF_RANGE : token;
}

/**
 * Whether the text is an integer that is another one after it was parsed and written again. Not the same as what
 * a double can hold: 2^60 fits, but is written as 1152921504606847000, whereas 123456789012345680000 does not, but
 * is how JavaScript itself writes the double next to it, and so comes out as it went in.
 */
function isInexact(token: string): boolean {
  if (!BIG_INTEGER.test(token)) return false;
  const value = Number(token);
  // Microseconds since 1970 have 16 digits, too, and need no second look.
  if (Number.isSafeInteger(value)) return false;
  return String(value).replace(POINT_OR_EXPONENT, '').padEnd(token.length, '0') !== token;
}

/** The index behind the quote that closes the string opened at `quote`, or the end of the text. */
function endOfString(text: string, quote: number): number {
  let close = text.indexOf('"', quote + 1);
  while (close !== -1 && isEscaped(text, close)) close = text.indexOf('"', close + 1);
  return close === -1 ? text.length : close + 1;
}

function isEscaped(text: string, at: number): boolean {
  let start = at;
  while (text.charCodeAt(start - 1) === 0x5c) start--;
  return (at - start) % 2 === 1;
}

function isDigit(charCode: number): boolean {
  return charCode >= 0x30 && charCode <= 0x39;
}

/**
 * From the bytes of a request to a value that PostgreSQL can store. Nothing here throws, whatever the bytes:
 * what is wrong with a whole body, or with one event of it, is a return value.
 */

export type DecodedJson =
  | {
      ok: true;
      value: unknown;
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
    const value: unknown = JSON.parse(mayHoldBigInteger(text) ? replaceInexactIntegers(text) : text);
    return { ok: true, value, suspicious: text.includes('\\u') && DOUBTFUL_ESCAPE.test(text) };
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
  const escaped = step.replaceAll('~', '~0').replaceAll('/', '~1');
  return { path: `/${escaped}${found.path}`, code: found.code };
}

function isBadText(text: string): boolean {
  return text.includes('\0') || LONE_SURROGATE.test(text);
}

/** The least integer that a double cannot hold, 2^53 + 1, has 16 digits. */
const BIG_INTEGER_DIGITS = 16;
/** So cheap that every body pays for it. Finds decimals and identifiers in strings, too, of course. */
const DIGIT_RUN = /\d{16}/;
/** A long integer where a value may begin; neither the decimals of a number nor a string of digits. */
const BIG_INTEGER_START = /(?:^|[[,:\s])-?[1-9]\d{15}/;
/** Every character that a number can have; whether they make one is left to the parser. */
const NUMBER_TOKEN = /-?\d[\d.eE+-]*/g;
const BIG_INTEGER = /^-?[1-9]\d{15,}$/;
/** From here on `Number` gives Infinity; spares `BigInt` a million digits. */
const FINITE_TOKEN_LENGTH_MAX = 310;
/** Parsed as Infinity, and refused by `checkStorable` for the one event that has it. */
const OUT_OF_RANGE = '1e999';

function mayHoldBigInteger(text: string): boolean {
  return DIGIT_RUN.test(text) && BIG_INTEGER_START.test(text);
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
  if (token.length > FINITE_TOKEN_LENGTH_MAX || !BIG_INTEGER.test(token)) return token;
  const value = Number(token);
  if (Number.isSafeInteger(value)) return token;
  return Number.isFinite(value) && BigInt(token) === BigInt(value) ? token : OUT_OF_RANGE;
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

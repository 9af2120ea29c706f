/**
 * The source text of each element of a JSON array. What was parsed is not always what was sent: numbers beyond a double
 * and members that stand twice are lost by then.
 *
 * The text must be one that `JSON.parse` took for an array: nothing is checked here. One pass, without recursion.
 */
export function sliceJsonArray(text: string): string[] {
  return [...jsonElements(text)];
}

/** The same one by one, read as far as they are asked for. */
export function jsonElements(text: string): Generator<string, void, void> {
  return slicesOf(text, text.indexOf('[') + 1, CLOSE_BRACKET);
}

/** The members of a JSON object: the name of each, and the source text of its value. */
export function* jsonMembers(text: string): Generator<readonly [name: string, value: string], void, void> {
  for (const member of slicesOf(text, text.indexOf('{') + 1, CLOSE_BRACE)) {
    const nameEnd = closingQuote(member, 0) + 1;
    const value = member.slice(member.indexOf(':', nameEnd) + 1);
    yield [JSON.parse(member.slice(0, nameEnd)), value.trim()];
  }
}

/** What stands between commas from a place on, up to the bracket that closes there. */
function* slicesOf(text: string, from: number, close: number): Generator<string, void, void> {
  let at = from;
  while (at < text.length) {
    while (isSpace(text.charCodeAt(at))) at++;
    const end = endOfElement(text, at, close);
    if (end > at) yield text.slice(at, endWithoutSpace(text, end));
    if (text.charCodeAt(end) !== COMMA) return;
    at = end + 1;
  }
}

/** The comma behind an element, or the bracket that closes what it stands in. */
function endOfElement(text: string, from: number, close: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = closingQuote(text, at);
    else if (depth === 0 && (code === COMMA || code === close)) return at;
    else if (code === OPEN_BRACKET || code === OPEN_BRACE) depth++;
    else if (code === CLOSE_BRACKET || code === CLOSE_BRACE) depth--;
  }
  return text.length;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Space, tab and the two line ends: all that JSON allows between tokens. */
function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d;
}

/** Where an element ends that white space may follow. */
function endWithoutSpace(text: string, end: number): number {
  let last = end;
  while (isSpace(text.charCodeAt(last - 1))) last--;
  return last;
}

/** A quote closes the string unless an odd number of backslashes stands before it. */
function closingQuote(text: string, open: number): number {
  for (let close = text.indexOf('"', open + 1); close !== -1; close = text.indexOf('"', close + 1)) {
    let slashes = 0;
    while (text.charCodeAt(close - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return close;
  }
  return text.length;
}

/**
 * The source text of each element of a JSON array. What was parsed is not always what was sent: numbers beyond a double
 * and members that stand twice are lost by then.
 *
 * The text must be one that `JSON.parse` took for an array: nothing is checked here. One pass, without recursion.
 */
export function sliceJsonArray(text: string): string[] {
  const slices: string[] = [];
  let depth = 0;
  // Where the element begins that is being read, or -1 between two.
  let start = -1;
  let at = text.indexOf('[') + 1;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isSpace(code)) continue;
    if (depth === 0 && (code === COMMA || code === CLOSE_BRACKET)) {
      if (start >= 0) slices.push(text.slice(start, endOfElement(text, at)));
      start = -1;
      if (code === CLOSE_BRACKET) break;
      continue;
    }
    if (start < 0) start = at;
    if (code === QUOTE) at = closingQuote(text, at);
    else if (code === OPEN_BRACKET || code === OPEN_BRACE) depth++;
    else if (code === CLOSE_BRACKET || code === CLOSE_BRACE) depth--;
  }
  return slices;
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

/** Without the white space before the comma or bracket at `end`. */
function endOfElement(text: string, end: number): number {
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

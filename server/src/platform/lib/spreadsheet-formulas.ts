/**
 * Spreadsheets take a cell that begins with one of these for a formula, and a formula can send what is in the sheet
 * elsewhere: a text that somebody else wrote must not begin so. As is usual, an apostrophe is put before it. A text that
 * begins with apostrophes and then one of these gets one more, so that `unescapeFormula` gives back what was written, to
 * the letter.
 */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/;
const ESCAPED = /^'+[=+\-@\t\r\n＝＋－＠]/;

export function escapeFormula(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

export function unescapeFormula(text: string): string {
  return ESCAPED.test(text) ? text.slice(1) : text;
}

/**
 * In regions that write a decimal comma, a double click opens a file of commas as one of semicolons: quotes then mean nothing,
 * and every semicolon and every line begins a cell. So a text of players, who may know that, is escaped at those places as well.
 */
const FORMULA_ANYWHERE = /(?<=^|[;\t\r\n])'*[=+\-@\t\r\n＝＋－＠]/g;

export function escapeFormulas(text: string): string {
  return text.replace(FORMULA_ANYWHERE, "'$&");
}

/** The same for JSON, which begins with a bracket and holds semicolons in strings only: as an escape they mean the same. */
export function escapeFormulasInJson(json: string): string {
  return json.replace(/;(?=[=+\-@＝＋－＠])/g, '\\u003b');
}

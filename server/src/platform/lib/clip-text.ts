/**
 * The beginning of a text that may be too long to show or to keep. The result is well-formed even where a surrogate pair was
 * cut.
 */
export function clipText(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1).toWellFormed()}…`;
}

/** The beginning of a text that may be too long to show or to keep, well-formed also where a pair was cut in two. */
export function clipText(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1).toWellFormed()}…`;
}

/**
 * What a player sent, fit for one line of a terminal: control characters could move the cursor, change colours or hide
 * text, and are shown as JSON escapes.
 */
export function printable(text: string): string {
  return text.replace(CONTROL, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The same for a text of several lines, which stay. A JSON text keeps its meaning: other controls stand only inside its strings. */
export function printableLines(text: string): string {
  return text
    .replaceAll('\t', ' ')
    .split(/\r\n?|\n/)
    .map(printable)
    .join('\n');
}

/** Control characters, line separators, and marks that change the direction of writing. */
const CONTROL = /\p{Cc}|[\u2028-\u202e\u2066-\u2069]/gu;

/**
 * A JSON text as one piece of memory. V8 stores a concatenated string as a rope, a tree of its parts, and the garbage collector copies each part
 * of it. Reading a character makes it one flat string: worth its while for a text that is kept.
 */
export function flatten(json: string): string {
  // V8 skips a read whose result is not used. No JSON text begins with NUL, so the text is always returned.
  return json.charCodeAt(0) === 0 ? '' : json;
}

export function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

/** The URL alphabet without padding, as in tokens; undefined for anything else, such as bits behind the last byte. */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[\w-]+$/.test(text)) return undefined;
  try {
    const standard = text.replaceAll('-', '+').replaceAll('_', '/');
    const binary = atob(standard);
    // It ignores such bits, so that one token could be written in several ways.
    if (btoa(binary).replace(/=+$/, '') !== standard) return undefined;
    return Uint8Array.from(binary, (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

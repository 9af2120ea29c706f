/** ASCII's own separator of records, as in RFC 7464. JSON has neither of the two characters. */
const START = '\x1e';
const END = '\n';

/**
 * A text whose damage stays where it is. Each record has a checksum and stands between a start and an end, so whichever byte is
 * changed, the records before and after it are still found.
 */
export function writeRecords(records: readonly string[]): string {
  return records.map((record) => `${START}${checksum(record)} ${record}${END}`).join('');
}

/** The records that are sound, in their order. Anything else between them is damage. */
export function readRecords(stored: unknown): { records: string[]; isDamaged: boolean } {
  if (typeof stored !== 'string') return { records: [], isDamaged: true };
  const parts = stored.replaceAll(START, END).split(END).filter(Boolean);
  const records = parts.flatMap((part) => {
    const record = part.slice(9);
    return part === `${checksum(record)} ${record}` ? [record] : [];
  });
  return { records, isDamaged: records.length < parts.length || !stored.endsWith(END) };
}

/** FNV-1a over UTF-16. Not by `crypto.subtle`: an IndexedDB transaction would end while it is awaited. */
function checksum(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}

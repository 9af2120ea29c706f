export type Decoding = Readonly<{ ok: true; text: string }> | Readonly<{ ok: false; reason: string }>;

const AS_UTF8 = 'Save it as UTF-8; spreadsheets call that "CSV UTF-8".';

/** The text of a file, without its byte order mark. `reason` goes behind the name of the file. */
export function decodeText(bytes: Uint8Array): Decoding {
  if (isUtf16(bytes)) {
    return { ok: false, reason: `is UTF-16, which PowerShell and "Unicode text" of Excel write. ${AS_UTF8}` };
  }
  try {
    return { ok: true, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return { ok: false, reason: `is not UTF-8. ${AS_UTF8}` };
  }
}

/** By its byte order mark, or by the zeros of its first two letters. */
function isUtf16([a, b, c, d]: Uint8Array): boolean {
  if ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff)) return true;
  return (b === 0 && d === 0) || (a === 0 && c === 0);
}

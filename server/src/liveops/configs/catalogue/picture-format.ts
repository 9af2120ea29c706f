/** The pictures that browsers show and that cannot hold script, by their first bytes. SVG can, and is not among them. */
const FORMATS: readonly Readonly<{ mediaType: string; isIt: (bytes: Buffer) => boolean }>[] = [
  {
    mediaType: 'image/png',
    isIt: (bytes) => startsWith(bytes, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  },
  { mediaType: 'image/jpeg', isIt: (bytes) => startsWith(bytes, [0xff, 0xd8, 0xff]) },
  {
    mediaType: 'image/webp',
    isIt: (bytes) => bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP',
  },
];

/** A thumbnail of 128 pixels takes 5 to 20 kB. A page of a list stays below two megabytes with these. */
export const MAX_PICTURE_BYTES = 32_768;

export type Picture = Readonly<{ mediaType: string; content: Buffer }>;
export type PictureReading =
  | Readonly<{ ok: true; picture: Picture }>
  | Readonly<{ ok: false; message: string }>;

/** What a client sent as base64, by what it is and not by what it is called. */
export function readPicture(base64: string): PictureReading {
  const content = Buffer.from(base64, 'base64');
  // Buffer skips what is not base64.
  if (content.toString('base64') !== base64) return refuse('content must be base64 (RFC 4648, padded).');
  if (content.length > MAX_PICTURE_BYTES) {
    return refuse(
      `A picture takes ${MAX_PICTURE_BYTES} bytes at most; this one has ${content.length}. Make it smaller.`,
    );
  }
  const format = FORMATS.find(({ isIt }) => isIt(content));
  if (format === undefined) return refuse('The picture is neither PNG nor JPEG nor WebP.');
  return { ok: true, picture: { mediaType: format.mediaType, content } };
}

function refuse(message: string): PictureReading {
  return { ok: false, message };
}

function startsWith(bytes: Buffer, first: readonly number[]): boolean {
  return bytes.length > first.length && first.every((byte, index) => bytes[index] === byte);
}

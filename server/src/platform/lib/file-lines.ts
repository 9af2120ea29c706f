import { createReadStream } from 'node:fs';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

/** A line of a file. */
export type FileLine = {
  /** From 1. */
  number: number;
  /** Without the line feed; undefined for a line that is too long. */
  bytes: Buffer | undefined;
  /** Where the next line begins, in bytes of the uncompressed content. */
  end: number;
};

/** Where to begin: behind so many lines, which take so many bytes of the uncompressed content. */
export type FilePosition = Readonly<{ bytes: number; lines: number }>;

export type LineReader = {
  lines: AsyncGenerator<FileLine>;
  /** How much of the file has been read, compressed if it is. */
  bytesRead(): number;
};

const LINE_FEED = 0x0a;

/** Reads a file line by line, also a compressed one whose name ends in .gz. However long a line is, memory holds `maxLineBytes` of it. */
export function openLines(path: string, from: FilePosition, maxLineBytes: number): LineReader {
  const isZipped = path.endsWith('.gz');
  const start = isZipped ? 0 : from.bytes;
  const file = createReadStream(path, { start });
  // An error of the file ends the second stream, whose reader throws it.
  const content: Readable = isZipped ? pipeline(file, createGunzip(), () => {}) : file;
  return {
    lines: splitLines(content, { from, skip: from.bytes - start, maxLineBytes }),
    bytesRead: () => start + file.bytesRead,
  };
}

async function* splitLines(
  content: Readable,
  { from, skip, maxLineBytes }: { from: FilePosition; skip: number; maxLineBytes: number },
): AsyncGenerator<FileLine> {
  let { lines: number, bytes: end } = from;
  let toSkip = skip;
  let begun: Buffer[] = [];
  let length = 0;
  const line = (endsWithFeed: boolean): FileLine => {
    end += length + (endsWithFeed ? 1 : 0);
    const bytes = length > maxLineBytes ? undefined : Buffer.concat(begun);
    begun = [];
    length = 0;
    return { number: ++number, bytes, end };
  };
  for await (const chunk of content as AsyncIterable<Buffer>) {
    let at = Math.min(toSkip, chunk.length);
    toSkip -= at;
    for (;;) {
      const feed = chunk.indexOf(LINE_FEED, at);
      const piece = chunk.subarray(at, feed === -1 ? chunk.length : feed);
      length += piece.length;
      if (length <= maxLineBytes) begun.push(piece);
      else begun = [];
      if (feed === -1) break;
      yield line(true);
      at = feed + 1;
    }
  }
  if (length > 0) yield line(false);
}

import { createWriteStream } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { StartupError } from '../../platform/lib/startup-error.js';
import { writeToStream } from '../../platform/lib/write-to-stream.js';
import { outputClosed } from './closed-output.js';

/** Writes to a new file, or to standard output without one. */
export function writePieces(
  pieces: AsyncGenerator<string>,
  out: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  return out === undefined ? writeOut(pieces, signal) : writeFile(out, pieces, signal);
}

async function writeOut(pieces: AsyncGenerator<string>, signal: AbortSignal): Promise<void> {
  for await (const piece of pieces) {
    if (outputClosed.aborted) return;
    await writeToStream(process.stdout, piece, signal);
  }
}

/** Leaves no file that is not complete. It is personal data: only its owner can read it. */
async function writeFile(path: string, pieces: AsyncGenerator<string>, signal: AbortSignal): Promise<void> {
  const compression = path.endsWith('.gz') ? createGzip() : new PassThrough();
  try {
    await pipeline(pieces, compression, createWriteStream(path, { flags: 'wx', mode: 0o600 }), { signal });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
      throw new StartupError(`${path} exists already. Delete it, or choose another name.`);
    }
    await unlink(path).catch(() => {});
    throw error;
  }
}

import { once } from 'node:events';
import type { Writable } from 'node:stream';

/** Resolves when the stream takes more. The signal ends the wait for a reader that does not read. */
export async function writeToStream(stream: Writable, text: string, signal?: AbortSignal): Promise<void> {
  if (!stream.write(text)) await once(stream, 'drain', { signal });
}

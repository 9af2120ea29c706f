import { type FileHandle, open } from 'node:fs/promises';
import type { LineError } from './event-line.js';

/** A line that was not imported. */
export type RejectedLine = LineError & { line: number; text: string };

/**
 * The lines that were not imported, one JSON document each, with the number and the text of the line and the reason. The file is made
 * with its first line.
 */
export type RejectsFile = {
  /** Writes behind the first `bytes` bytes, and returns how many there are then. What was there is written over. */
  writeAt(bytes: number, lines: readonly RejectedLine[]): Promise<number>;
  close(): Promise<void>;
};

export function openRejects(path: string): RejectsFile {
  let opening: Promise<FileHandle> | undefined;
  return {
    async writeAt(bytes, lines) {
      if (lines.length === 0) return bytes;
      // The lines hold what players did: they are for their owner only.
      opening ??= open(path, bytes === 0 ? 'w' : 'r+', 0o600);
      const file = await opening;
      await file.truncate(bytes);
      const text = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
      await file.write(text, 0, text.length, bytes);
      await file.datasync();
      return bytes + text.length;
    },
    close: async () => (await opening)?.close(),
  };
}

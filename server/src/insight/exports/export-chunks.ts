import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { ExportKey } from './export-queries.js';

/** Written, compressed and synced at once: large enough to compress well, small enough to be held in memory. */
const CHUNK_CHARACTERS = 4 * 1024 * 1024;

/** Pages may have little text, or none. After this many, how far the export has come is saved in any case. */
const MAX_PAGES = 20;

const compress = promisify(gzip);

/** How far an export has come. */
export type ExportProgress = { events: number; key: ExportKey | null };

export type Chunks = {
  /** Takes text; `key` is that of the last event in it. Resolves when more can be taken. */
  write(text: string, events: number, key: ExportKey | null): Promise<void>;
  /** Saves what is left; with `even`, also where that is nothing. */
  flush(options?: { even: boolean }): Promise<void>;
};

/**
 * Gathers the text of an export into chunks that can be gone on behind. Of a compressed export every chunk is a member of its own; gzip
 * reads the members one after another as one file.
 */
export function createChunks({
  isZipped,
  from,
  save,
}: {
  isZipped: boolean;
  from: ExportProgress;
  /** Keeps a chunk for good, and that the export has come so far with it. */
  save: (chunk: Buffer, progress: ExportProgress) => Promise<void>;
}): Chunks {
  let pending = '';
  let pages = 0;
  let progress = from;
  const flush: Chunks['flush'] = async ({ even } = { even: false }) => {
    if (pending === '' && !even) return;
    const text = Buffer.from(pending);
    pending = '';
    pages = 0;
    await save(isZipped ? await compress(text) : text, progress);
  };
  return {
    async write(text, events, key) {
      pending += text;
      progress = { events: progress.events + events, key: key ?? progress.key };
      pages++;
      if (pending.length >= CHUNK_CHARACTERS || pages >= MAX_PAGES) await flush({ even: true });
    },
    flush,
  };
}

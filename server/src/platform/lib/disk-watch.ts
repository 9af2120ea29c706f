import { type FreeSpace, readFreeSpace } from './free-space.js';
import { createPoller } from './poller.js';

/** Under full load the log of PostgreSQL takes some 50 MB in this time. */
const EVERY_MS = 1_000;

export type DiskWatch = Readonly<{
  /** Undefined without a disk that this machine could look at. */
  reading(): FreeSpace | undefined;
  stop(): Promise<void>;
}>;

type Options = Readonly<{
  /** A folder of the disk; undefined if the database is on another machine. */
  dir: string | undefined;
  onError: (error: unknown) => void;
}>;

/** Knows how much room there is without asking for each request. */
export async function watchDisk({ dir, onError }: Options): Promise<DiskWatch> {
  if (dir === undefined) return { reading: () => undefined, stop: async () => {} };
  let reading = await readFreeSpace(dir);
  const poller = createPoller({
    everyMs: EVERY_MS,
    onError,
    async work() {
      reading = await readFreeSpace(dir);
    },
  });
  poller.start();
  return { reading: () => reading, stop: poller.stop };
}

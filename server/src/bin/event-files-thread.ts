import { parentPort, Worker, workerData } from 'node:worker_threads';
import { createPool } from '../db/pool.js';
import { openFileStore } from '../features/event-files/open-store.js';
import { type FilesResult, writeEventFiles } from '../features/event-files/writing/write-files.js';
import { clockFrom } from '../lib/clock.js';
import { stepBehindPlayers } from '../lib/thread-priority.js';
import type { EventFilesSettings } from '../settings/bucket-settings.js';

/** Files are written in a thread of its own: a row group takes a good part of a second in which a process would serve nothing. */
type Task = Readonly<{ databaseUrl: string; settings: EventFilesSettings; nowMs: number }>;

/** A row group with its columns takes a fifth of this. */
const MEMORY_MB = 512;
const CONNECTIONS = 1;
/** Only look-ups of keys go through the pool. */
const TIMEOUT_MS = 30_000;

/** Ends when the signal comes: a file that is cut off is begun anew by the next run. */
export function writeFilesInThread(
  task: Task,
  signal: AbortSignal,
  file = new URL(import.meta.url),
): Promise<FilesResult> {
  const thread = new Worker(file, {
    workerData: task,
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });
  const stop = () => void thread.terminate();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  return new Promise<FilesResult>((resolve, reject) => {
    thread.once('message', resolve);
    thread.once('error', reject);
    thread.once('exit', () => {
      if (signal.aborted) resolve({ state: 'unfinished', files: 0, events: 0 });
      reject(new Error('the thread that writes files of events has ended before it was done'));
    });
  }).finally(() => signal.removeEventListener('abort', stop));
}

// Here it is the thread that runs this file.
if (parentPort !== null) {
  stepBehindPlayers();
  const { databaseUrl: url, settings, nowMs } = workerData as Task;
  const pool = createPool({ url, size: CONNECTIONS, timeoutMs: TIMEOUT_MS, onError: () => {} });
  try {
    const store = openFileStore(settings, clockFrom(nowMs).now);
    parentPort.postMessage(await writeEventFiles({ pool, store, nowMs }));
  } finally {
    await pool.end();
  }
}

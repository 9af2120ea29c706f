import { Worker } from 'node:worker_threads';
import { programFile } from '../../platform/package-files.js';
import type { EventFilesSettings } from '../../platform/settings/bucket-settings.js';
import type { FilesResult } from './writing/write-files.js';

/** What the thread is given. A row group takes a good part of a second in which a process would serve nothing. */
export type EventFilesTask = Readonly<{ databaseUrl: string; settings: EventFilesSettings; nowMs: number }>;

/** A row group with its columns takes a fifth of this. */
const MEMORY_MB = 512;

/** Ends when the signal comes: a file that is cut off is begun anew by the next run. */
export function writeFilesInThread(task: EventFilesTask, signal: AbortSignal): Promise<FilesResult> {
  const thread = new Worker(programFile('event-files-thread'), {
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

import { parentPort, Worker, workerData } from 'node:worker_threads';
import { createPool } from '../db/pool.js';
import {
  type DailyOptions,
  type DailyResult,
  runDailyPredictions,
} from '../features/predictions/daily-work.js';

/**
 * Grading and training in a thread of its own: fitting takes seconds in which a process answers nothing. Its memory is bounded; a
 * thread that needs more ends, and nothing else does.
 */
type Task = Omit<DailyOptions, 'signal'> & { databaseUrl: string };

const MAX_MEMORY_MB = 1_024;
const CONNECTIONS = 2;
/** Only short statements go through the pool: training has a connection of its own. */
const TIMEOUT_MS = 30_000;

/** Starts the thread, and ends it when the signal comes: a training that is cut off has changed nothing. */
export async function runPredictionsInThread(
  databaseUrl: string,
  { signal, ...options }: DailyOptions,
  file = new URL(import.meta.url),
): Promise<readonly DailyResult[]> {
  const task: Task = { ...options, databaseUrl };
  const thread = new Worker(file, {
    workerData: task,
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB },
  });
  return new Promise((resolve, reject) => {
    const stop = () => void thread.terminate();
    signal.addEventListener('abort', stop, { once: true });
    thread.once('message', resolve);
    thread.once('error', reject);
    thread.once('exit', () => {
      signal.removeEventListener('abort', stop);
      reject(new Error('the thread that trains models has ended before it was done'));
    });
  });
}

async function work({ databaseUrl, ...options }: Task): Promise<DailyResult[]> {
  const pool = createPool({ url: databaseUrl, size: CONNECTIONS, timeoutMs: TIMEOUT_MS, onError: () => {} });
  try {
    return await runDailyPredictions(pool, { ...options, signal: new AbortController().signal });
  } finally {
    await pool.end();
  }
}

// Here it is the thread that runs this file.
if (parentPort !== null) parentPort.postMessage(await work(workerData as Task));

import { parentPort, Worker, workerData } from 'node:worker_threads';
import type { TrainingOutcome } from '../admin/admin-context.js';
import type { Actor } from '../admin/audit-log.js';
import type { JobRun } from '../admin/background-jobs.js';
import { createPool, type Pool } from '../db/pool.js';
import {
  type DailyOptions,
  type DailyResult,
  type DueGame,
  listDueGames,
  nothingDone,
  workOnGame,
} from '../features/predictions/daily-work.js';
import { trainGame } from '../features/predictions/train-game.js';
import { type NotedFailure, noteFailure } from '../features/predictions/work-queries.js';
import { clockFrom } from '../lib/clock.js';
import { stepBehindPlayers } from '../lib/thread-priority.js';

/**
 * Grading and training in a thread of its own: fitting takes seconds in which a process serves nothing. The memory of the thread
 * and the time of each game are bounded. A game that needs more ends its thread; the games after it are worked on in a new one.
 *
 *   thread:  begun game 1 ─► result 1 ─► begun game 2 ─► (out of memory, or out of time)
 *   next:    note the failure of game 2 ─► begun game 3 ─► result 3 ─► done
 */
type Task = Readonly<{
  databaseUrl: string;
  nowMs: number;
  trainingDays: number;
  /** Games that had their turn in this run. */
  hadTurn: readonly number[];
  /** What ended the thread before. */
  failed: NotedFailure | null;
}>;

/** A training that a member of the studio has asked for. */
type TrainTask = Readonly<{ databaseUrl: string; training: Readonly<{ gameId: number; actor: Actor }> }>;

/** What the thread of such a training tells. */
type TrainMessage = TrainingOutcome | Readonly<{ progress: Readonly<{ done: number; total: number }> }>;

/** What the thread tells. */
export type ThreadMessage = Readonly<{ begun: DueGame }> | Readonly<{ result: DailyResult }> | 'done';

export type ThreadLimits = Readonly<{ memoryMb: number; gameMs: number }>;

/** A game with 200,000 players takes a minute, several on a machine that is busy serving players, and a third of the memory. */
const LIMITS: ThreadLimits = { memoryMb: 1_024, gameMs: 20 * 60_000 };
const CONNECTIONS = 2;
/** Only short statements go through the pool: training has a connection of its own. */
const TIMEOUT_MS = 30_000;

/** Works on all games that are due. Ends when the signal comes: a training that is cut off has changed nothing. */
export async function runPredictionsInThread(
  databaseUrl: string,
  { signal, ...options }: DailyOptions,
  file = new URL(import.meta.url),
  limits = LIMITS,
): Promise<readonly DailyResult[]> {
  const results: DailyResult[] = [];
  const hadTurn: number[] = [];
  const clock = clockFrom(options.nowMs);
  for (let failed: NotedFailure | null = null; ; ) {
    const task: Task = { ...options, nowMs: clock.now(), databaseUrl, hadTurn, failed };
    const end = await runThread(task, file, limits, signal);
    results.push(...end.results);
    hadTurn.push(...end.hadTurn);
    if (end.cutOff === null || signal.aborted) return results;
    const { game, failure } = end.cutOff;
    results.push({ ...nothingDone(game), failure });
    hadTurn.push(game.gameId);
    failed = { gameId: game.gameId, failure };
  }
}

/** Rejects where the training fails, or needs more memory or time than it may. */
export function trainInThread(
  databaseUrl: string,
  training: TrainTask['training'],
  run?: JobRun,
  file = new URL(import.meta.url),
  { memoryMb, gameMs } = LIMITS,
): Promise<TrainingOutcome> {
  const task: TrainTask = { databaseUrl, training };
  const thread = new Worker(file, {
    workerData: task,
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
  });
  const stop = () => void thread.terminate();
  const timer = setTimeout(stop, gameMs);
  run?.signal.addEventListener('abort', stop, { once: true });
  return new Promise((resolve, reject) => {
    thread.on('message', (message: TrainMessage) => {
      if ('progress' in message) run?.tell(message.progress);
      else resolve(message);
    });
    thread.once('error', reject);
    thread.once('exit', () => {
      clearTimeout(timer);
      run?.signal.removeEventListener('abort', stop);
      reject(
        new Error(`the training was given up: it has ended, or took longer than ${gameMs / 60_000} minutes`),
      );
    });
  });
}

type ThreadEnd = Readonly<{
  results: readonly DailyResult[];
  hadTurn: readonly number[];
  /** The game that ended the thread, and how; null if the thread was done. */
  cutOff: Readonly<{ game: DueGame; failure: string }> | null;
}>;

/** Rejects where a thread fails outside of a game: the database cannot be reached, say. */
function runThread(
  task: Task,
  file: URL,
  { memoryMb, gameMs }: ThreadLimits,
  signal: AbortSignal,
): Promise<ThreadEnd> {
  const thread = new Worker(file, {
    workerData: task,
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
  });
  const results: DailyResult[] = [];
  const hadTurn: number[] = [];
  let game: DueGame | null = null;
  let isDone = false;
  let isOutOfTime = false;
  let error: Error | undefined;
  let timer: NodeJS.Timeout | undefined;
  return new Promise((resolve, reject) => {
    const stop = () => void thread.terminate();
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    thread.on('message', (message: ThreadMessage) => {
      clearTimeout(timer);
      if (message === 'done') isDone = true;
      else if ('begun' in message) {
        game = message.begun;
        timer = setTimeout(() => {
          isOutOfTime = true;
          stop();
        }, gameMs);
      } else {
        results.push(message.result);
        if (game !== null) hadTurn.push(game.gameId);
        game = null;
      }
    });
    thread.once('error', (cause: Error) => {
      error = cause;
    });
    thread.once('exit', () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      if (isDone || signal.aborted) return resolve({ results, hadTurn, cutOff: null });
      if (game === null) {
        return reject(error ?? new Error('the thread that trains models has ended before it was done'));
      }
      const failure = isOutOfTime
        ? `it took longer than ${gameMs / 60_000} minutes`
        : (error?.message ?? 'its thread has ended');
      return resolve({ results, hadTurn, cutOff: { game, failure } });
    });
  });
}

async function work(pool: Pool, { hadTurn, failed, ...options }: Task): Promise<void> {
  const tell = (message: ThreadMessage) => parentPort?.postMessage(message);
  const clock = clockFrom(options.nowMs);
  if (failed !== null) await noteFailure(pool, failed, clock.now());
  for (const game of await listDueGames(pool, options)) {
    if (hadTurn.includes(game.gameId)) continue;
    tell({ begun: game });
    tell({ result: await workOnGame(pool, game, { nowMs: clock.now() }) });
  }
  tell('done');
}

async function trainOne(pool: Pool, { training }: TrainTask): Promise<void> {
  const tell = (message: TrainMessage) => parentPort?.postMessage(message);
  let weeks = 0;
  const trained = await trainGame(pool, {
    ...training,
    onProgress({ phase, done, total }) {
      if (phase === 'reading') weeks = total;
      // The fit that follows takes about as long as the reading of a few weeks, and counts as one.
      tell({ progress: { done: phase === 'reading' ? done : weeks, total: weeks + 1 } });
    },
  });
  tell(
    trained.outcome === 'trained' ? { outcome: 'trained', version: trained.version } : { outcome: 'busy' },
  );
}

// Here it is the thread that runs this file.
if (parentPort !== null) {
  stepBehindPlayers();
  const task = workerData as Task | TrainTask;
  const { databaseUrl: url } = task;
  const pool = createPool({ url, size: CONNECTIONS, timeoutMs: TIMEOUT_MS, onError: () => {} });
  try {
    await ('training' in task ? trainOne(pool, task) : work(pool, task));
  } finally {
    await pool.end();
  }
}

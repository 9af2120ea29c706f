import { Worker } from 'node:worker_threads';
import type { Actor } from '../../platform/admin-api/audit-log.js';
import { clockFrom } from '../../platform/lib/clock.js';
import { programFile } from '../../platform/package-files.js';
import type { JobRun } from '../../studio/admin-api/background-jobs.js';
import { type DailyOptions, type DailyResult, type DueGame, nothingDone } from './daily-work.js';
import type { TrainingOutcome } from './model-routes.js';
import type { NotedFailure } from './work-queries.js';

export type DailyTask = Readonly<{
  databaseUrl: string;
  nowMs: number;
  trainingDays: number;
  /** Games that had their turn in this run. */
  hadTurn: readonly number[];
  /** What ended the thread before. */
  failed: NotedFailure | null;
}>;

/** A training that a member of the studio has asked for. */
export type TrainTask = Readonly<{
  databaseUrl: string;
  training: Readonly<{ gameId: number; actor: Actor }>;
}>;

/** What the thread of such a training tells. */
export type TrainMessage =
  | TrainingOutcome
  | Readonly<{ progress: Readonly<{ done: number; total: number }> }>;

/** What the thread tells. */
export type ThreadMessage = Readonly<{ begun: DueGame }> | Readonly<{ result: DailyResult }> | 'done';

export type ThreadLimits = Readonly<{ memoryMb: number; gameMs: number }>;

/** A game with 200,000 players takes a minute, several on a machine that is busy serving players, and a third of the memory. */
const LIMITS: ThreadLimits = { memoryMb: 1_024, gameMs: 20 * 60_000 };

/** Works on all games that are due. Ends when the signal comes: a training that is cut off has changed nothing. */
export async function runPredictionsInThread(
  databaseUrl: string,
  { signal, ...options }: DailyOptions,
  file = programFile('predictions-thread'),
  limits = LIMITS,
): Promise<readonly DailyResult[]> {
  const results: DailyResult[] = [];
  const hadTurn: number[] = [];
  const clock = clockFrom(options.nowMs);
  for (let failed: NotedFailure | null = null; ; ) {
    const task: DailyTask = { ...options, nowMs: clock.now(), databaseUrl, hadTurn, failed };
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
): Promise<TrainingOutcome> {
  const task: TrainTask = { databaseUrl, training };
  const { memoryMb, gameMs } = LIMITS;
  const thread = new Worker(programFile('predictions-thread'), {
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
  task: DailyTask,
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

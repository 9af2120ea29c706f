import { parentPort, workerData } from 'node:worker_threads';
import { listDueGames, workOnGame } from '../../insight/predictions/daily-work.js';
import type {
  DailyTask,
  ThreadMessage,
  TrainMessage,
  TrainTask,
} from '../../insight/predictions/run-predictions-thread.js';
import { trainGame } from '../../insight/predictions/train-game.js';
import { noteFailure } from '../../insight/predictions/work-queries.js';
import { createPool, type Pool } from '../../platform/db/pool.js';
import { clockFrom } from '../../platform/lib/clock.js';
import { stepBehindPlayers } from '../../platform/lib/thread-priority.js';
import { mapStackTraces } from '../../platform/telemetry/map-stack-traces.js';

/**
 * Grading and training in a thread of its own, started by run-predictions-thread.ts: fitting takes seconds in which a process serves nothing. The memory of the thread
 * and the time of each game are bounded. A game that needs more ends its thread; the games after it are worked on in a new one.
 *
 *   thread:  begun game 1 ─► result 1 ─► begun game 2 ─► (out of memory, or out of time)
 *   next:    note the failure of game 2 ─► begun game 3 ─► result 3 ─► done
 */

const CONNECTIONS = 2;
/** Only short statements go through the pool: training has a connection of its own. */
const TIMEOUT_MS = 30_000;

async function work(pool: Pool, { hadTurn, failed, ...options }: DailyTask): Promise<void> {
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

mapStackTraces();
stepBehindPlayers();
const task = workerData as DailyTask | TrainTask;
const pool = createPool({
  url: task.databaseUrl,
  size: CONNECTIONS,
  timeoutMs: TIMEOUT_MS,
  onError: () => {},
});
try {
  await ('training' in task ? trainOne(pool, task) : work(pool, task));
} finally {
  await pool.end();
}

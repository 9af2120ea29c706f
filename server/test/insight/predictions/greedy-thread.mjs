// A thread as `insight/predictions/run-predictions-thread.ts` starts it, with games that need more than they may.
import { parentPort, workerData } from 'node:worker_threads';

// What is tried is told by the days between two trainings.
const GAMES = ['fine', ['greedy', 'endless', 'broken'][workerData.trainingDays], 'last'];

for (const [index, game] of GAMES.entries()) {
  const gameId = index + 1;
  if (workerData.hadTurn.includes(gameId)) continue;
  if (game === 'broken') throw new Error('the database is away');
  parentPort.postMessage({ begun: { gameId, tenant: 'studio', game } });
  if (game === 'greedy') fillMemory();
  if (game === 'endless') for (;;);
  const failure = workerData.failed === null ? null : workerData.failed.failure;
  parentPort.postMessage({ result: { tenant: 'studio', game, failure } });
}
parentPort.postMessage('done');

function fillMemory() {
  const kept = [];
  for (;;) kept.push(Array.from({ length: 10_000 }, Math.random));
}

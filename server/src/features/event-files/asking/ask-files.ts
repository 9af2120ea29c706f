import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { Pool } from '../../../db/pool.js';
import { type GameFolder, inFolder } from '../manifest.js';
import { listFiles } from '../stored-files.js';
import { EMPTY_TABLE } from './empty-table.js';
import type { Outcome, Question } from './question.js';

/** The package installs it beside the command; it runs bin/sql-child.ts as it is built. */
const CHILD = new URL('../../../../bin/sql-child.mjs', import.meta.url);
/** Beside DuckDB itself, which has a limit of its own: the rows of the answer. */
const NODE_MEMORY_MB = 192;

export type AskLimits = Readonly<{
  maxRows: number;
  maxBytes: number;
  memoryMb: number;
  threads: number;
  maxMs: number;
}>;

export const ASK_LIMITS: AskLimits = {
  maxRows: 1_000,
  maxBytes: 4 * 1024 * 1024,
  memoryMb: 512,
  threads: 2,
  maxMs: 60_000,
};

/** Asks the files of a game. Only the files that stand are read, and each of them once. */
export async function askFiles(
  pool: Pool,
  folder: string,
  game: GameFolder,
  sql: string,
  { limits = ASK_LIMITS, signal }: { limits?: AskLimits; signal?: AbortSignal | undefined } = {},
): Promise<Outcome> {
  const listed = await listFiles(pool, [game.gameId]);
  const files = listed.map(({ file }) => join(folder, ...inFolder(game, file).split('/')));
  const { maxMs, ...rest } = limits;
  return askInProcess({ sql, files, columns: EMPTY_TABLE, ...rest }, maxMs, signal);
}

/**
 * DuckDB runs in a process of its own, which knows no setting and no secret of the service: whatever a question does to it, the service goes
 * on. The process is killed at its time limit, and when nobody waits any more.
 */
function askInProcess(question: Question, maxMs: number, signal: AbortSignal | undefined): Promise<Outcome> {
  const child = fork(CHILD, {
    env: {},
    execArgv: [`--max-old-space-size=${NODE_MEMORY_MB}`],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  return new Promise<Outcome>((resolve, reject) => {
    const stop = () => void child.kill('SIGKILL');
    const timer = setTimeout(() => {
      resolve({
        outcome: 'out_of_time',
        message: `The question takes longer than ${maxMs / 1_000} seconds. Ask for fewer days or columns.`,
      });
      stop();
    }, maxMs);
    signal?.addEventListener('abort', stop, { once: true });
    child.once('message', (outcome: Outcome) => {
      resolve(outcome);
      stop();
    });
    child.once('error', reject);
    child.once('exit', () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
      if (signal?.aborted) return reject(signal.reason);
      // After a message this changes nothing.
      return resolve({
        outcome: 'out_of_memory',
        message: 'The process that answered has ended, probably for want of memory. Ask for fewer rows.',
      });
    });
    if (signal?.aborted) stop();
    child.send(question, () => {});
  });
}

import { type ChildProcess, type ForkOptions, fork } from 'node:child_process';
import type { Readable } from 'node:stream';
import { residentMb } from '../../../platform/lib/resident-memory.js';
import { programFile } from '../../../platform/package-files.js';
import { cutMessage } from './cut-answer.js';
import { ANSWER_FD, OUT_OF_MEMORY, type Outcome, type Question } from './question.js';

/** The rows of the answer, as Node has them. */
const NODE_MEMORY_MB = 192;
/**
 * How much memory the process may take, where DuckDB is given so much. The rest is for Node and the code of DuckDB (90 MB together), the rows of
 * the answer, and what DuckDB does not count, such as the texts and lists of an expression that is being computed.
 */
export const processMb = (memoryMb: number): number => memoryMb + Math.max(256, memoryMb / 2);
/** Memory that is reserved and not used, which is not resident: stacks of threads, and what allocators keep. */
const RESERVED_MB = 256;
const LOOK_EVERY_MS = 50;
/** What is around the columns and rows of an answer. */
const ENVELOPE_BYTES = 64 * 1024;
const LINE_FEED = 10;

/**
 * The kernel gives the process no more memory that it can write to (`-d`, from Linux 4.7), which DuckDB reports like its own limit. The kernel
 * ends this process before all others where a machine or a container has no memory left. No core is written: it would hold events of players.
 */
const LIMITED = 'ulimit -c 0; ulimit -d "$0"; echo 1000 > /proc/self/oom_score_adj; exec "$@"';

/**
 * DuckDB runs in a process of its own, which knows no setting and no secret of the service: whatever a question does to it, the service goes
 * on. The process is killed when the signal comes (at its time limit, or when nobody waits any more), and when it takes more memory than it may.
 */
export async function askInProcess(question: Question, signal: AbortSignal): Promise<Outcome> {
  signal.throwIfAborted();
  const maxMb = processMb(question.memoryMb);
  const child = start(maxMb + RESERVED_MB);
  const stop = () => void child.kill('SIGKILL');
  const failed = new Promise<never>((_, reject) => child.on('error', reject));
  signal.addEventListener('abort', stop, { once: true });
  let isTooLarge = false;
  const watch = setInterval(() => {
    if (residentMb(child.pid) <= maxMb) return;
    isTooLarge = true;
    stop();
  }, LOOK_EVERY_MS);
  try {
    child.send(question, () => {});
    const line = await Promise.race([readLine(child, question.maxBytes + ENVELOPE_BYTES), failed]);
    if (line !== undefined) return cutMessage(JSON.parse(line) as Outcome);
    signal.throwIfAborted();
    return isTooLarge ? OUT_OF_MEMORY : ENDED;
  } finally {
    clearInterval(watch);
    signal.removeEventListener('abort', stop);
    stop();
  }
}

const ENDED: Outcome = {
  outcome: 'out_of_memory',
  message:
    'The process that answered has ended, most likely for want of memory. Ask for fewer days or columns, for sums, or for shorter texts and lists.',
};

/** Only Linux knows these limits. Elsewhere DuckDB's own has to do. */
function start(maxMb: number): ChildProcess {
  const node = [`--max-old-space-size=${NODE_MEMORY_MB}`];
  const options: ForkOptions = { env: {}, stdio: ['ignore', 'ignore', 'ignore', 'ipc', 'pipe'] };
  if (process.platform !== 'linux') return fork(programFile('sql-child'), { ...options, execArgv: node });
  const execArgv = ['-c', LIMITED, String(Math.ceil(maxMb * 1024)), process.execPath, ...node];
  return fork(programFile('sql-child'), { ...options, execPath: '/bin/sh', execArgv });
}

/** What the child says, up to the line feed at its end; undefined if it ends before. */
async function readLine({ stdio }: ChildProcess, maxBytes: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdio[ANSWER_FD] as Readable as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error(`the process that answers wrote more than ${maxBytes} bytes`);
    if (chunk.at(-1) === LINE_FEED) return Buffer.concat(chunks).toString();
  }
  return undefined;
}
